package gotestplugin

import (
	"path/filepath"
	"slices"
	"strings"
)

// Who records a package:
//
// (R1) the packages the patterns name, their tests included, and those of the
// main module that they need, are recorded by the rewriter: it knows names, values
// and what stays within a goroutine;
// (R2) with -instrument=compiler, and under coverage, where the go command
// gives the original file to the cover tool and drops what an overlay says, the
// compiler records them;
// (R3) the compiler also records a package that the rewriter leaves alone, one
// with a file the user's own -overlay replaces, and one in the module cache,
// where overlays are refused;
// (R4) values of the library types below are recorded by the compiler, and so
// are the dependencies that -deps names;
// (R5) the runtime, sync and sync/atomic are never recorded.

// libraryValues are packages whose types are not safe for concurrent use and
// often shared by mistake. (R4)
var libraryValues = []string{
	"bufio",
	"bytes",
	"container/heap",
	"container/list",
	"container/ring",
	"math/big",
	"math/rand",
	"math/rand/v2",
	"sort",
	"strings",
	"text/tabwriter",
}

// printing are the packages whose own state two goroutines that print share, and nobody looks at as long as it is not recorded.
var printing = []string{"fmt", "internal/poll", "log", "os", "syscall", "testing"}

// looksAtOutput reports whether one of them is recorded.
func looksAtOutput(compiled map[string]bool) bool {
	return slices.ContainsFunc(printing, func(path string) bool { return compiled[path] })
}

// byCompiler are the paths of the packages that -instrument, -cover, -deps and
// the library list give to the compiler.
func byCompiler(gr *graph, a *args, dir, modcache string, overlaid map[string]string) map[string]bool {
	paths := map[string]bool{}
	var deps []func(*goPackage) bool
	for _, pattern := range a.deps {
		deps = append(deps, matcher(pattern, dir))
	}
	for _, p := range gr.packages {
		path := p.flagsPath()
		if underRuntime(path) { // (R5)
			continue
		}
		if slices.Contains(libraryValues, path) && p.Standard { // (R4)
			paths[path] = true
		}
		for _, match := range deps { // (R4)
			if match(p) {
				paths[path] = true
			}
		}
		if !p.DepOnly && modcache != "" && strings.HasPrefix(p.Dir, modcache+string(filepath.Separator)) { // (R3)
			paths[path] = true
		}
		for _, f := range p.files() { // (R3)
			if _, ok := overlaid[f]; ok && !p.DepOnly {
				paths[path] = true
			}
		}
	}
	all := a.instrument == instrumentCompiler || a.covering() // (R2)
	for _, p := range gr.own {
		// What files need cannot be given to the rewriter together with them.
		if (all || gr.fromFiles() && p.DepOnly) && !underRuntime(p.ImportPath) {
			paths[p.ImportPath] = true
		}
	}
	return paths
}
