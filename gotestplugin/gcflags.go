package gotestplugin

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/seam"
)

// The compiler flags of a package. The go command takes the last
// -gcflags whose pattern matches a package and ignores the others, so:
//
// (G1) each package that needs flags of ours gets a -gcflags of its own, after
// all of the user's;
// (G2) it repeats the flags that the user's last matching pattern gives it;
// (G3) a package the compiler records is compiled with -race, without the checks of unsafe pointers
// that -race brings unless the user asks for them: go test does not make them;
// (G4) a package that only has to call sync/atomic's functions, where the compiler would
// use instructions, is compiled with -d=ssa/intrinsics/off (-race implies that);
// (G5) both get -l when code that is compiled without these flags may import
// them: an inlined body is compiled by the importer, with the importer's flags;
// (G6) the engine, which nothing of this is for, is compiled with its profile by a -gcflags before
// the user's. If one of those matches its packages, as with all=, they are compiled as that says;
// (G7) a package is named by its directory, relative to that of go test. For an import path, the go
// command compiles a regular expression for each flag and each package that it loads, once for each
// test binary: of the CPU time of a run of 60 packages that was two thirds. Since Go 1.27 it does
// not know the directories of dependencies at that time;
// (G8) package runtime is compiled with optimization and inlining, even where all=-N -l says
// otherwise, as debuggers do: the recorder's functions run on any stack, and do not fit on the
// smallest one without.

// need is what a package needs from the compiler.
type need uint8

const (
	needAtomics  need = 1 << iota // (G4)
	needRecord                    // (G3)
	needNoInline                  // (G5)
)

// flags are the compiler flags for a need.
func (n need) flags() []string {
	var f []string
	switch {
	case n&needRecord != 0:
		f = append(f, "-race")
	case n&needAtomics != 0:
		f = append(f, "-d=ssa/intrinsics/off")
	}
	if n&needNoInline != 0 {
		f = append(f, "-l")
	}
	return f
}

// needs are what the packages of the graph need when those in compiled are
// recorded by the compiler, and rewritten has the files of rewritten ones.
func needs(gr *graph, compiled map[string]bool, rewritten map[string]string) map[string]need {
	needs := map[string]need{}
	for path := range compiled {
		needs[path] |= needRecord
	}
	for path := range atomicCallers(gr, rewritten) {
		needs[path] |= needAtomics
	}
	for path := range needs {
		needs[path] |= needNoInline // (G5)
	}
	return needs
}

// userFlag is one -gcflags of the user.
type userFlag struct {
	match func(*goPackage) bool
	flags []string
}

// parseGcflags reads the values of -gcflags in order.
func parseGcflags(values []string, dir string, gr *graph) ([]userFlag, error) {
	named := map[string]bool{}
	for _, p := range gr.named {
		named[p.ImportPath] = true
	}
	var out []userFlag
	for _, v := range values {
		v = strings.TrimSpace(v)
		match := func(p *goPackage) bool { return named[p.flagsPath()] }
		if v != "" && !strings.HasPrefix(v, "-") {
			pattern, rest, ok := strings.Cut(v, "=")
			if !ok || pattern == "" {
				return nil, usagef("invalid value %q for flag -gcflags: it is [pattern=]flags", v)
			}
			match, v = matcher(strings.TrimSpace(pattern), dir), rest
		}
		words, err := splitQuoted(v)
		if err != nil {
			return nil, usagef("invalid value for flag -gcflags: %v", err)
		}
		out = append(out, userFlag{match, words})
	}
	return out, nil
}

// gcflags are the -gcflags to run go test with: the user's own and then, in
// the order of the graph, one for each package that needs something.
func gcflags(gr *graph, needs map[string]need, fromCommandLine []string, user []userFlag, name func(*goPackage) string) ([]string, error) {
	var out []string
	for _, v := range fromCommandLine {
		out = append(out, "-gcflags="+v)
	}
	done := map[string]bool{}
	for _, p := range gr.packages {
		path := p.flagsPath()
		n := needs[path]
		if done[path] || n == 0 && path != "runtime" {
			continue
		}
		var words []string
		for _, u := range user { // (G2)
			if u.match(p) {
				words = u.flags
			}
		}
		if path == "runtime" { // (G8)
			given := len(words)
			words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "-N" || w == "-l" })
			if n == 0 && len(words) == given {
				continue
			}
		}
		done[path] = true
		ours := n.flags()
		if n&needRecord != 0 && !strings.Contains(strings.Join(words, " "), "checkptr") { // (G3)
			ours = append(ours, "-d=checkptr=0")
		}
		joined, err := joinQuoted(append(words[:len(words):len(words)], ours...))
		if err != nil {
			return nil, fmt.Errorf("-gcflags: %w", err)
		}
		out = append(out, "-gcflags="+name(p)+"="+joined) // (G1)
	}
	return out, nil
}

// knowsDirectories reports whether the go command of that version can find packages by their
// directory. (G7)
func knowsDirectories(version string) bool {
	return before(version, "go1.27")
}

// namer names packages for -gcflags (G7). The go command runs in dir, and has the standard library
// in goroot.
func (gr *graph) namer(dir, goroot string) func(*goPackage) string {
	path, shared := map[string]string{}, map[string]bool{}
	for _, p := range gr.packages {
		if first, ok := path[p.Dir]; ok && first != p.flagsPath() {
			shared[p.Dir] = true
		}
		path[p.Dir] = p.flagsPath()
	}
	return func(p *goPackage) string {
		at := gr.links.rename(p.Dir)
		if p.Standard {
			at = filepath.Join(goroot, "src", filepath.FromSlash(p.flagsPath()))
		}
		rel, err := filepath.Rel(dir, at)
		if rel = filepath.ToSlash(rel); err != nil || p.Dir == "" || shared[p.Dir] || strings.Contains(rel, "=") || strings.Contains(rel, "...") || strings.TrimSpace(rel) != rel {
			return p.flagsPath()
		}
		if !isLocal(rel) {
			rel = "./" + rel
		}
		return rel
	}
}

// engineFlags are the -gcflags for the engine, none without a profile. (G6)
func engineFlags(profile string) []string {
	word, err := joinQuoted([]string{"-pgoprofile=" + profile})
	if profile == "" || err != nil { // without it the engine is slower, and nothing else
		return nil
	}
	return []string{"-gcflags=" + seam.Engine + "=" + word}
}
