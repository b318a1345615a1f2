package gotestplugin

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// Which dependencies are recorded. One that is not orders goroutines: a call of it while it holds a
// lock of its own may access anything, so its sections stay as they were, and a logger or a counter
// between two accesses hides their race.
//
// (Y1) Those that -deps names;
// (Y2) with the word auto, which is the default: those that import sync or sync/atomic, and the
// packages of the same module that they import, directly or not. What does neither synchronizes
// nothing, and recording it costs time and finds races of its own only. A package with a file for
// -race only is left out: what it does otherwise is not for a race detector to see, like data of a
// processor that goroutines use in turn while they are pinned to it;
// (Y3) all selects every dependency, and off turns (Y2) off. A package of the library is not a
// dependency: it is recorded if a pattern names it.

// Words of -deps beside patterns.
const (
	depsAuto = "auto"
	depsAll  = "all"
	depsOff  = "off"
)

// dependency reports whether p is neither of the library nor of a main module.
func (p *goPackage) dependency() bool { return !p.Standard && !p.inMain() && p.Module != nil }

// dependencies are the paths of those that are recorded: named has what a pattern names, auto what
// (Y2) adds.
func (gr *graph) dependencies(deps []string, dir string) (named, auto map[string]bool) {
	named, auto = map[string]bool{}, map[string]bool{}
	byDefault := true
	for _, word := range deps {
		switch word {
		case depsAuto:
			continue
		case depsOff:
			byDefault = false
			continue
		}
		match := matcher(word, dir) // (Y1), and all of (Y3)
		for _, p := range gr.packages {
			if p.dependency() && match(p) {
				named[p.flagsPath()] = true
			}
		}
	}
	if byDefault {
		for _, path := range gr.synchronizing() {
			if !named[path] {
				auto[path] = true
			}
		}
	}
	return named, auto
}

// synchronizing are the paths of the dependencies of (Y2).
func (gr *graph) synchronizing() (paths []string) {
	needed := map[string]bool{} // by a package of the same module that synchronizes
	for _, p := range slices.Backward(gr.packages) {
		if !p.dependency() || p.ForTest != "" || len(p.CgoFiles) > 0 {
			continue
		}
		if !needed[p.ImportPath] && !slices.Contains(p.Imports, "sync") && !slices.Contains(p.Imports, "sync/atomic") {
			continue
		}
		if differs, _ := p.differsUnderRace(); differs {
			continue
		}
		paths = append(paths, p.ImportPath)
		for _, imp := range p.Imports {
			if imp == p.Module.Path || strings.HasPrefix(imp, p.Module.Path+"/") {
				needed[imp] = true
			}
		}
	}
	return paths
}

// recordDependencies adds to what is rewritten the dependencies that -deps names or leaves to us,
// as far as the go command lets their files be replaced.
func (j *job) recordDependencies(ctx context.Context, user map[string]string) (err error) {
	gr := j.graph
	if gr.fromFiles() { // what files need cannot be given to the rewriter together with them
		return nil
	}
	named, auto := gr.dependencies(j.args.deps, j.dir)
	for _, p := range gr.own {
		if p.dependency() { // its tests run, too
			named[p.flagsPath()] = true
			delete(auto, p.flagsPath())
		}
	}
	recorded := maps.Clone(named)
	maps.Copy(recorded, auto)
	changed, err := j.asUnderRace(named)
	if err != nil {
		return err
	}
	linked := maps.Clone(recorded)
	maps.Copy(linked, changed)
	var why string
	if gr.links, why, err = j.linkDependencies(ctx, linked, user); err != nil {
		return err
	}
	if why != "" {
		j.details = append(j.details, report.Uncovered{Reason: "dependencies in the module cache: " + why})
	}
	gr.auto = auto
	gr.recordAlso(recorded)
	maps.DeleteFunc(gr.underRace, func(name, _ string) bool { return within(j.goEnv.GOMODCACHE, name) && gr.links.rename(name) == name })
	return nil
}

// leaveDependency takes a package of (Y2) out of those that are recorded.
func (j *job) leaveDependency(path, why string) {
	j.graph.own = slices.DeleteFunc(j.graph.own, func(p *goPackage) bool { return p.ImportPath == path })
	j.details = append(j.details, report.Uncovered{Package: path, Reason: "a dependency that is not recorded: " + why})
}

// within reports whether a directory or file is below dir.
func within(dir, name string) bool {
	return dir != "" && strings.HasPrefix(name, dir+string(filepath.Separator))
}
