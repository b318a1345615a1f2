package gotestplugin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
)

// choosePackages removes packages from the named ones, as -exclude and -shard say. -shard does not
// change which packages are recorded. If no package is left, the job is done, and the reports are
// written.
func (j *job) choosePackages(ctx context.Context) (done bool, err error) {
	if len(j.args.exclude) == 0 && j.args.shard.of == 0 {
		return false, nil
	}
	packages := slices.DeleteFunc(slices.Clone(j.graph.named), j.excluded)
	for _, p := range j.graph.named {
		if !slices.Contains(packages, p) {
			j.details = append(j.details, report.Uncovered{Package: p.ImportPath, Reason: "its tests were not run: it is excluded"})
		}
	}
	mine, err := j.takeShard(packages)
	if err != nil {
		return false, err
	}
	switch {
	case len(mine) == 0:
		if j.args.shard.of == 0 && !j.printsEvents() {
			fmt.Fprintf(j.err, "racepred: no package to test: %d excluded\n", len(j.graph.named))
		}
		return true, j.writeReport(ctx, j.outcome(&collect.Run{}))
	case len(mine) == len(j.graph.named):
		return false, nil
	}
	recorded := map[string]bool{}
	for _, p := range packages {
		recorded[p.ImportPath] = true
	}
	var paths []string
	for _, p := range mine {
		paths = append(paths, p.ImportPath)
	}
	j.args.setPackages(paths)
	if j.graph, err = j.list(ctx, paths); err != nil {
		return false, cancelled(ctx, err)
	}
	j.graph.recordAlso(recorded)
	return false, nil
}

// excluded reports whether a pattern of -exclude matches the package, and no pattern without "..."
// names it.
func (j *job) excluded(p *goPackage) bool {
	for _, pattern := range j.args.packages {
		if !strings.Contains(pattern, "...") && matcher(pattern, j.dir)(p) {
			return false
		}
	}
	return slices.ContainsFunc(j.args.exclude, func(pattern string) bool { return matcher(pattern, j.dir)(p) })
}

// setPackages replaces the patterns by packages.
func (a *args) setPackages(packages []string) {
	var rest []argument
	for _, w := range a.words(packages) {
		rest = append(rest, argument{w, slices.Contains(packages, w)})
	}
	a.rest, a.packages = rest, packages
}

// recordAlso adds packages to those that are recorded: those with these paths that the named ones
// need.
func (gr *graph) recordAlso(paths map[string]bool) {
	own := map[string]bool{}
	for _, p := range gr.own {
		own[p.ImportPath] = true
	}
	var all []*goPackage
	for _, p := range gr.packages { // in their order
		if own[p.ImportPath] || p.ForTest == "" && paths[p.ImportPath] {
			all = append(all, p)
			delete(own, p.ImportPath)
		}
	}
	for _, p := range gr.own { // those that are listed as variants only
		if own[p.ImportPath] {
			all = append(all, p)
		}
	}
	gr.own = all
}
