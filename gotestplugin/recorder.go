package gotestplugin

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/library"
	"github.com/racepred/racepred/internal/seam"
)

// Who records a package:
//
// (R1) the packages the patterns name, their tests included, and those of the
// main module that they need, are recorded by the rewriter: it knows names, values
// and what stays within a goroutine;
// (R2) with -instrument=compiler, the compiler records them;
// (R3) the compiler also records a package that the rewriter cannot change: one that it leaves
// alone; one with a file that only the user's own -overlay has; one that is covered and has a file
// in the user's own -overlay, since the cover tool is given the original; one in the module cache,
// where overlays are refused, and to which links.go cannot give another name; and one of the
// standard library with a file that the seam replaces;
// (R4) the compiler records the rest of the standard library but for what package library says of
// them, since values of most of its types can be shared by mistake. What of it -deps names is
// recorded in any case;
// (R5) the runtime, sync and sync/atomic are never recorded, and what the runtime is built on only
// if it is named;
// (R6) the rewriter also records dependencies (dependencies.go), and packages of the library with
// generic functions, which are compiled in packages that the compiler does not record.

// genericPackages are the packages of the library whose code is compiled where it is called (R6).
func genericPackages() map[string]bool {
	paths := map[string]bool{}
	for _, path := range library.GenericPackages() {
		paths[path] = true
	}
	return paths
}

// looksAtOutput reports whether a recorded package keeps state that goroutines share when they
// print.
func looksAtOutput(compiled map[string]bool, own []*goPackage) bool {
	for path, recorded := range compiled {
		if recorded && library.OfPackage(path).Prints {
			return true
		}
	}
	return slices.ContainsFunc(own, func(p *goPackage) bool { return p.Standard && library.OfPackage(p.ImportPath).Prints })
}

// byCompiler are the paths of the packages that -instrument, -deps and
// the library list give to the compiler.
func byCompiler(gr *graph, a *args, dir, modcache string) map[string]bool {
	paths := map[string]bool{}
	var deps []func(*goPackage) bool
	all := a.instrument == instrumentCompiler // (R2)
	for _, pattern := range a.deps {
		match := matcher(pattern, dir)
		deps = append(deps, func(p *goPackage) bool {
			return match(p) && (p.Standard && pattern != depsAll || p.dependency() && (all || gr.fromFiles())) // (Y3)
		})
	}
	for _, path := range ofLibrary(gr) { // (R4)
		paths[path] = true
	}
	for _, p := range gr.packages {
		path := p.flagsPath()
		if underRuntime(path) { // (R5)
			continue
		}
		for _, match := range deps { // (R4)
			if match(p) {
				paths[path] = true
			}
		}
	}
	for path := range gr.fixed(modcache, a.covering()) { // (R3)
		paths[path] = true
	}
	for _, p := range gr.own {
		// What files need cannot be given to the rewriter together with them.
		if (all || gr.fromFiles() && p.DepOnly) && !underRuntime(p.ImportPath) {
			paths[p.ImportPath] = true
		}
	}
	return paths
}

// fixed has, by path, the own packages that the rewriter cannot change, and why. (R3)
func (gr *graph) fixed(modcache string, covering bool) map[string]string {
	why := map[string]string{}
	for _, p := range gr.own {
		if within(modcache, p.Dir) && !gr.links.has(p) && !library.OfPackage(p.ImportPath).Generic {
			why[p.ImportPath] = "it is in the module cache, whose files cannot be replaced"
		}
	}
	for _, p := range gr.packages {
		path := p.flagsPath()
		if !slices.ContainsFunc(gr.own, func(o *goPackage) bool { return o.ImportPath == path }) {
			continue
		}
		for _, f := range p.files() {
			if _, ok := gr.overlay[f]; !ok {
				continue
			}
			if _, err := os.Stat(f); err != nil {
				why[path] = "a file of it is in -overlay only (" + filepath.Base(f) + ")"
			} else if covering && !gr.turned[f] && !strings.HasSuffix(f, "_test.go") {
				why[path] = "a file of it is in -overlay (" + filepath.Base(f) + "), but coverage is measured of the original"
			}
		}
	}
	maps.DeleteFunc(why, func(path, _ string) bool { return underRuntime(path) })
	return why
}

// seam has, by path, the own packages with a file that the seam replaces, and why. (R3)
func (gr *graph) seam(tc *seam.Toolchain) map[string]string {
	why := map[string]string{}
	for _, p := range gr.own {
		for _, f := range p.files() {
			if tc.Overlay[f] != "" && !tc.Printing[f] && !underRuntime(p.ImportPath) && !library.OfPackage(p.ImportPath).Generic {
				why[p.ImportPath] = "racepred's own version replaces a file of it (" + filepath.Base(f) + ")"
			}
		}
	}
	return why
}

// genericDirs has the directories of the packages of (R6).
func (gr *graph) genericDirs() map[string]bool {
	dirs := map[string]bool{}
	for _, p := range gr.own {
		if library.OfPackage(p.ImportPath).Generic {
			dirs[p.Dir] = true
		}
	}
	return dirs
}

// read is the content of a file as the go command sees it.
func (gr *graph) read(file string) ([]byte, error) {
	if to := gr.overlay[file]; to != "" {
		file = to
	}
	return os.ReadFile(file)
}
