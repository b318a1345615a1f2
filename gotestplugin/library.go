package gotestplugin

import "strings"

// unrecordedLibrary are the packages of the standard library that nobody records unless -deps names them, each with its reason. All others the compiler records, a new one of the next toolchain as
// well, but for the runtime, what that is built on, and sync (underRuntime, belowRuntime). (R4)
var unrecordedLibrary = map[string]string{
	"fmt":                      "its printers' own state comes from a pool, and two that print must not be ordered (E7); reflect reads the values, and what it reads and writes by itself it tells (E11)",
	"internal/poll":            "descriptors are made to be shared; that two goroutines write to standard output must order nothing (E7); what is read and written, package syscall tells itself",
	"log":                      "a Logger is made to be shared, and its lines have no order (E7); what is printed goes through package fmt",
	"log/slog":                 "a Logger and its Handlers are made to be shared, and their lines have no order (E7)",
	"log/slog/internal/buffer": "as log/slog",
	"os":                       "files and processes are made to be shared; standard output as for internal/poll; what is read and written, package syscall tells itself",
	"syscall":                  "it tells itself what system calls read and write",
	"testing":                  "T, B and F are made to be shared, and lines of the log have no order (E7); what they are misused for, the seam records",

	"testing/internal/testdeps": "it is the part of package testing that imports other packages",

	"math":       "it has values only",
	"math/bits":  "it has values only",
	"math/cmplx": "it has values only",

	"compress/flate": "its tables are accessed for every byte, which soon is all that a run may record (70,000 of the 112,000 events of a heap profile); a Writer or Reader that is shared by mistake is seen in gzip, zlib, zip and png, which hold it",
	"runtime/pprof":  "what it builds a profile from is its own, and a profile takes some 20,000 events",

	"crypto/internal/fips140/bigmod":             numbers,
	"crypto/internal/fips140/edwards25519":       numbers,
	"crypto/internal/fips140/edwards25519/field": numbers,
	"crypto/internal/fips140/mldsa":              numbers,
	"crypto/internal/fips140/mlkem":              numbers,
	"crypto/internal/fips140/nistec":             numbers,
	"crypto/internal/fips140/nistec/fiat":        numbers,

	"runtime/race": "the compiler does not record it, and it is empty without the race detector",
	"runtime/cgo":  "it runs where goroutines have no state yet",
}

// numbers is why the arithmetic below package crypto is left out.
const numbers = "its numbers are held by other packages of crypto only, and change while one of these makes them"

// belowRuntime are the packages of the graph that the runtime is built on: what they do may be done in the middle of a hook. (R5)
func belowRuntime(gr *graph) map[string]bool {
	imports := map[string][]string{}
	for _, p := range gr.packages {
		if p.Standard && p.ForTest == "" {
			imports[p.ImportPath] = p.Imports
		}
	}
	below := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		if !below[path] {
			below[path] = true
			for _, imp := range imports[path] {
				visit(imp)
			}
		}
	}
	visit("runtime")
	return below
}

// ofLibrary are the packages of the standard library in the graph that the compiler records by default. (R4)
func ofLibrary(gr *graph) []string {
	except := belowRuntime(gr)
	for _, p := range gr.own { // (R1)
		except[p.ImportPath] = true
	}
	var out []string
	for _, p := range gr.packages {
		path := p.flagsPath()
		if _, left := unrecordedLibrary[path]; p.Standard && !left && !except[path] && !underRuntime(path) && !strings.HasPrefix(path, "cmd/") {
			out = append(out, path)
		}
	}
	return out
}
