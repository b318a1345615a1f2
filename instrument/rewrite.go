package instrument

import (
	"context"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"

	"github.com/racepred/racepred/instrument/internal/load"
	"github.com/racepred/racepred/instrument/internal/plan"
)

// Config says what to rewrite.
type Config struct {
	Context    context.Context // when it is done, so are the go commands that Rewrite runs, and soon Rewrite itself; nil is never done
	Dir        string          // where patterns are resolved; "" is the current directory
	Patterns   []string        // as the go command takes them
	BuildFlags []string        // -tags, -mod, ... as the go command takes them
	Env        []string        // nil is the environment of this process

	// Overlay is what a -overlay among BuildFlags says: absolute path -> file that replaces it. A
	// file that does not exist itself cannot be loaded.
	Overlay map[string]string
	Tests   bool                   // rewrite _test.go files, too
	Tested  func(path string) bool // but only those of these packages; nil: of all

	Options
	// Recorded reports whether a package that is not rewritten is recorded in
	// another way (by the compiler). nil means none is.
	Recorded func(pkgPath string) bool

	// Check type-checks what is rewritten, and leaves packages alone of which that does not compile.
	// The runtime that BuildFlags lead to MUST be the recording one.
	Check bool

	// Loaded is called when the go command has nothing more to compile for the packages; nil for
	// nothing.
	Loaded func()

	// Cache keeps what became of packages; nil is none. With a cache, Paths lists all packages that
	// Patterns stand for.
	Cache *Cache
	Paths []string
}

// Result is what Rewrite made.
type Result struct {
	Files map[string][]byte // new content by the original's absolute path; files with nothing to record are left out

	// Templates are Files with slots for what the cover tool puts into the originals (package
	// counters).
	Templates map[string][]byte

	Packages []Package // all that the patterns named, by path
	Notes    []string  // one line each for the user: what is not covered
	Made     []string  // the paths of the units that did not come from the cache
}

// DoesNotCompile begins the Reason of packages that go test has words for.
const DoesNotCompile = load.DoesNotCompile

// Package is the outcome for one package.
type Package struct {
	Path      string // import path; external tests have a path of their own that ends in _test
	Dir       string
	Rewritten bool
	Reason    string   // why not, if not
	Files     []string // the files looked at, absolute
	Sites     int
	Misses    []FileMiss
	Covered   []FileCovered
	Once      int // accesses that are recorded once for a loop (C4)
	Opaque    int
	Slotless  string // a file that lacks a slot, so that it cannot have counters (counters/K3); "" if there is none

	// Unrecorded are the functions that are not recorded, "F" or "T.M", sorted: calls of them are
	// opaque.
	Unrecorded []string
}

// FileMiss is an unrecorded access of a file.
type FileMiss struct {
	File string
	Miss
}

// FileCovered is an access of a file that another one covers.
type FileCovered struct {
	File string
	Covered
}

// sitesVar names a file's array of sites. It does not depend on where the module lies.
func sitesVar(pkgPath, file string) string {
	h := fnv.New32a()
	h.Write([]byte(pkgPath + "\x00" + filepath.Base(file)))
	return fmt.Sprintf("_racepredSites_%08x", h.Sum32())
}

// notes are the lines of Result.Notes.
func notes(pkgs []Package) []string {
	var lines []string
	for _, p := range pkgs {
		if !p.Rewritten {
			lines = append(lines, fmt.Sprintf("%s: not rewritten: %s", p.Path, p.Reason))
			continue
		}
		count := map[Reason]int{}
		for _, m := range p.Misses {
			switch m.Why {
			case plan.WhyStrayMark:
				lines = append(lines, fmt.Sprintf("%s: %s:%d: %s marks nothing: %s", p.Path, filepath.Base(m.File), m.Line, plan.Marker, m.Why))
			case plan.WhyUnknownWord:
				lines = append(lines, fmt.Sprintf("%s: %s:%d: %s says nothing: %s", p.Path, filepath.Base(m.File), m.Line, m.Expr, m.Why))
			default:
				count[m.Why]++
			}
		}
		var whys []Reason
		for why := range count {
			whys = append(whys, why)
		}
		slices.Sort(whys)
		for _, why := range whys {
			lines = append(lines, fmt.Sprintf("%s: unrecorded: %d of %d: %s", p.Path, count[why], p.Sites+len(p.Misses), why))
		}
	}
	return lines
}
