package instrument

import (
	"context"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/instrument/internal/edit"
	"github.com/racepred/racepred/instrument/internal/load"
	"github.com/racepred/racepred/instrument/internal/site"
)

// Config says what to rewrite.
type Config struct {
	Context    context.Context // ends the go commands that Rewrite runs, and soon Rewrite itself; nil never does
	Dir        string          // where patterns are resolved; "" is the current directory
	Patterns   []string        // as the go command takes them
	BuildFlags []string        // -tags, -mod, ... as the go command takes them
	Env        []string        // nil is the environment of this process

	// Overlay is what a -overlay among BuildFlags says: absolute path -> file that stands in for it. A
	// file that does not exist itself cannot be loaded.
	Overlay map[string]string
	Tests   bool // rewrite _test.go files, too

	Options
	// Recorded says whether a package that is not rewritten is recorded in
	// another way (by the compiler). nil means none is.
	Recorded func(pkgPath string) bool

	// Cache keeps what became of packages; nil is none. With a cache, Paths lists all packages that
	// Patterns stand for.
	Cache *Cache
	Paths []string
}

// Options are what a plan depends on besides the source.
type Options struct {
	All      bool // switches pruning off, rules S3 and L of doc.go: what stays local is recorded, too
	Sections bool // functions that take a lock several times say when they begin and end, rule U2
}

// Result is what Rewrite made.
type Result struct {
	Files map[string][]byte // new content by the original's absolute path; files with nothing to record are left out

	// Templates are Files with slots for what the cover tool puts into the originals (package counters).
	Templates map[string][]byte

	Packages []Package // all that the patterns named, by path
	Notes    []string  // one line each for the user: what is not covered
	Made     []string  // the paths of the units that did not come from the cache
}

// Package tells what became of one package.
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

	// Unrecorded are the functions that are not recorded, "F" or "T.M", sorted: calls of them are opaque.
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

// finish applies a plan to its file and adds what makes it complete: the
// import, right after the package clause, at the end the sites, and slots.
func finish(p *load.Package, f *load.File, plan *Plan, prefix string, slots []int) []byte {
	tok := p.Fset.File(f.Syntax.FileStart)
	alias := prefix + "runtime"
	edits := append([]Edit{{
		Off: tok.Offset(f.Syntax.Name.End()), Text: importClause(alias, plan, prefix),
	}}, plan.Edits...)
	edits = append(load.Raise(f, p.Info.FileVersions[f.Syntax]), edits...)
	var b strings.Builder
	b.WriteString(edit.Apply(f.Bytes, 0, edit.WithSlots(edits, slots)))
	if len(f.Bytes) > 0 && f.Bytes[len(f.Bytes)-1] != '\n' {
		b.WriteByte('\n')
	}
	base := "nil"
	if len(plan.Sites) > 0 {
		sites := sitesVar(p.Path, f.Name)
		fmt.Fprintf(&b, "\nvar %s [%d]byte\n", sites, len(plan.Sites))
		base = "&" + sites + "[0]"
	}
	fmt.Fprintf(&b, "\nfunc init() {\n\t%s.RacepredSites(%s, %s, %s, %d, %s)\n",
		alias, strconv.Quote(f.Name), strconv.Quote(p.Path), base, len(plan.Sites), strconv.Quote(site.Table(plan.Sites)))
	for _, t := range plan.wrappers { // (R5)
		for _, call := range t.calls {
			fmt.Fprintf(&b, "\t%s.RacepredWrapper(%s)\n", alias, call)
		}
		fmt.Fprintf(&b, "\t%s.RacepredWrapped(%s)\n", alias, t.pointer)
	}
	b.WriteString("}\n")
	for _, f := range plan.forwards {
		b.WriteString("\n" + f)
	}
	return []byte(b.String())
}

// importClause has the imports of recording calls.
func importClause(alias string, plan *Plan, prefix string) string {
	text := "; import " + alias + ` "runtime"`
	for i, path := range plan.imports {
		text += "; import " + prefix + "p" + strconv.Itoa(i) + " " + strconv.Quote(path)
	}
	return text
}

// sitesVar names a file's array of sites. It does not depend on where the module lies.
func sitesVar(pkgPath, file string) string {
	h := fnv.New32a()
	h.Write([]byte(pkgPath + "\x00" + filepath.Base(file)))
	return fmt.Sprintf("_racepredSites_%08x", h.Sum32())
}

// notes says in words what is not covered.
func notes(pkgs []Package) []string {
	var lines []string
	for _, p := range pkgs {
		if !p.Rewritten {
			lines = append(lines, fmt.Sprintf("%s: not rewritten: %s", p.Path, p.Reason))
			continue
		}
		count := map[Reason]int{}
		for _, m := range p.Misses {
			count[m.Why]++
		}
		var whys []Reason
		for why := range count {
			whys = append(whys, why)
		}
		slices.Sort(whys)
		for _, why := range whys {
			if why == WhyStrayMark {
				lines = append(lines, fmt.Sprintf("%s: %s marks nothing: %s", p.Path, marker, why))
				continue
			}
			lines = append(lines, fmt.Sprintf("%s: unrecorded: %d of %d: %s", p.Path, count[why], p.Sites+len(p.Misses), why))
		}
	}
	return lines
}
