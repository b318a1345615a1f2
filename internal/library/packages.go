package library

import (
	"slices"
	"strings"
)

// Package is what is known of a package as a whole.
type Package struct {
	// Unrecorded is why the package is not recorded unless the user asks for it; "" means that the compiler records it.
	Unrecorded string
	// Prints: its own state is shared by goroutines that print, and is not recorded.
	Prints bool
	// Synchronizes: its operations are recorded as synchronization.
	Synchronizes bool
	// Runtime: its hooks are the recorder, or would record what others have recorded already.
	Runtime bool
	// Generic: its functions are compiled in the packages that call them, out of the compiler's reach, so the rewriter records it.
	Generic bool
}

// GenericPackages are the packages that are Generic, sorted.
func GenericPackages() (paths []string) {
	for path, p := range packageRows {
		if p.Generic {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// cryptoNumbers is why the arithmetic below package crypto is left out.
const cryptoNumbers = "its numbers are held by other packages of crypto only, and change while one of these makes them"

// packageRows are the packages with facts. The compiler records all others, also a new one of the
// next toolchain, except for those that the runtime is built on. gotestplugin/R4
var packageRows = map[string]Package{
	"fmt":                                  {Unrecorded: "its printers' own state comes from a pool, and two that print must not be ordered (E7); reflect reads the values, and what it reads and writes by itself it tells (E11)", Prints: true},
	"internal/poll":                        {Unrecorded: "descriptors are made to be shared; that two goroutines write to standard output must order nothing (E7); what is read and written, package syscall tells itself", Prints: true},
	"log":                                  {Unrecorded: "a Logger is made to be shared, and its lines have no order (E7); what is printed goes through package fmt", Prints: true},
	"log/slog":                             {Unrecorded: "a Logger and its Handlers are made to be shared, and their lines have no order (E7)", Prints: true},
	"log/slog/internal/buffer":             {Unrecorded: "as log/slog", Prints: true},
	"maps":                                 {Generic: true},
	"os":                                   {Unrecorded: "files and processes are made to be shared; standard output as for internal/poll; what is read and written, package syscall tells itself", Prints: true},
	"slices":                               {Generic: true},
	"syscall":                              {Unrecorded: "it tells itself what system calls read and write", Prints: true, Synchronizes: true},
	"testing":                              {Unrecorded: "T, B and F are made to be shared, and lines of the log have no order (E7); what they are misused for, the seam records", Prints: true},
	"testing/internal/testdeps":            {Unrecorded: "it is the part of package testing that imports other packages"},
	"math":                                 {Unrecorded: "it has values only"},
	"math/bits":                            {Unrecorded: "it has values only"},
	"math/cmplx":                           {Unrecorded: "it has values only"},
	"compress/flate":                       {Unrecorded: "its tables are accessed for every byte, which soon is all that a run may record (70,000 of the 112,000 events of a heap profile); a Writer or Reader that is shared by mistake is seen in gzip, zlib, zip and png, which hold it"},
	"runtime/pprof":                        {Unrecorded: "what it builds a profile from is its own, and a profile takes some 20,000 events"},
	"crypto/internal/fips140/bigmod":       {Unrecorded: cryptoNumbers},
	"crypto/internal/fips140/edwards25519": {Unrecorded: cryptoNumbers},
	"crypto/internal/fips140/edwards25519/field": {Unrecorded: cryptoNumbers},
	"crypto/internal/fips140/mldsa":              {Unrecorded: cryptoNumbers},
	"crypto/internal/fips140/mlkem":              {Unrecorded: cryptoNumbers},
	"crypto/internal/fips140/nistec":             {Unrecorded: cryptoNumbers},
	"crypto/internal/fips140/nistec/fiat":        {Unrecorded: cryptoNumbers},
	"runtime/race":                               {Unrecorded: "the compiler does not record it, and it is empty without the race detector", Synchronizes: true},
	"runtime/cgo":                                {Unrecorded: "it runs where goroutines have no state yet"},

	"internal/race": {Synchronizes: true, Runtime: true},
	"internal/sync": {Synchronizes: true, Runtime: true},
	"runtime":       {Runtime: true},
	"sync":          {Synchronizes: true, Runtime: true},
	"sync/atomic":   {Synchronizes: true, Runtime: true},
}

// OfPackage is what is known of a package.
func OfPackage(path string) Package {
	p := packageRows[path]
	p.Runtime = p.Runtime || strings.HasPrefix(path, "internal/runtime/") || strings.HasPrefix(path, "runtime/internal/")
	return p
}

// Packages yields the packages with facts, in no order.
func Packages(yield func(path string, p Package) bool) {
	for path, p := range packageRows {
		if !yield(path, p) {
			return
		}
	}
}
