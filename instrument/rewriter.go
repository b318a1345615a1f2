package instrument

import (
	"context"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/racepred/racepred/instrument/counters"
	"github.com/racepred/racepred/instrument/internal/calls"
	"github.com/racepred/racepred/instrument/internal/load"
	"github.com/racepred/racepred/instrument/internal/plan"
)

// Rewrite plans and applies the recording of all packages that cfg names.
// A package that cannot be rewritten is left alone, with a reason.
func Rewrite(cfg Config) (*Result, error) {
	hits := cfg.Cache.get(cfg.Options)
	r := &rewriter{cfg: cfg, rewritten: map[string]bool{}, unrecorded: map[string][]string{}, units: map[string]Unit{}, made: map[string]*entry{}}
	r.runtime = sync.OnceValues(func() (*types.Package, error) { return load.Runtime(r.loading(nil)) })
	for _, e := range hits {
		for _, p := range e.Packages {
			r.know(p.Path, p.Rewritten, p.Unrecorded)
		}
	}
	patterns := cfg.Patterns
	if cfg.Cache.usable() {
		patterns = r.missing(hits)
	}
	if err := r.rewrite(patterns); err != nil {
		return nil, err
	}
	r.isLoaded() // also if there was nothing to load
	var stale []string
	for path, e := range hits {
		if !e.holds(r.recordersOf) {
			delete(hits, path)
			stale = append(stale, path)
		}
	}
	slices.Sort(stale)
	if err := r.rewrite(stale); err != nil {
		return nil, err
	}
	return r.result(hits), nil
}

func (r *rewriter) isLoaded() {
	if r.cfg.Loaded != nil {
		r.cfg.Loaded()
	}
}

// rewriter is one call of Rewrite.
type rewriter struct {
	cfg        Config
	rewritten  map[string]bool
	unrecorded map[string][]string // as type recorders has it
	units      map[string]Unit
	made       map[string]*entry // by unit; of packages without a unit, by package
	runtime    func() (*types.Package, error)
}

// know notes the answers about a package that the plans of others depend on.
func (r *rewriter) know(path string, rewritten bool, unrecorded []string) {
	r.rewritten[path] = rewritten
	r.unrecorded[path] = unrecorded
}

// recordersOf says how a package is recorded.
func (r *rewriter) recordersOf(path string) recorders {
	return recorders{r.rewritten[path], r.cfg.Recorded != nil && r.cfg.Recorded(path), r.unrecorded[path]}
}

// missing lists the packages that have to be loaded because the cache does not have them.
func (r *rewriter) missing(hits map[string]*entry) (patterns []string) {
	for _, u := range r.cfg.Cache.Units {
		r.units[u.Path] = u
	}
	if len(hits) == 0 {
		return r.cfg.Patterns
	}
	for _, path := range r.cfg.Paths {
		if hits[path] == nil {
			patterns = append(patterns, path)
		}
	}
	return patterns
}

// loading says how to load what the patterns name.
func (r *rewriter) loading(patterns []string) load.Config {
	cfg := r.cfg
	return load.Config{
		Context: cfg.Context, Dir: cfg.Dir, Patterns: patterns, BuildFlags: cfg.BuildFlags, Env: cfg.Env, Overlay: cfg.Overlay, Tests: cfg.Tests, Tested: cfg.Tested,
	}
}

// rewrite loads and rewrites the packages that the patterns name.
func (r *rewriter) rewrite(patterns []string) error {
	if len(patterns) == 0 {
		return nil
	}
	cfg := r.cfg
	loaded, err := load.Load(r.loading(patterns))
	if err != nil {
		return err
	}
	r.isLoaded()
	for _, p := range loaded {
		if p.Refused == "" {
			p.Unrecorded = calls.UnrecordedFuncs(p.Types, p.Info, p.Syntax()...)
		}
		r.know(p.Path, p.Refused == "", calls.UnrecordedNames(p.Unrecorded))
	}
	if cfg.Context != nil && cfg.Context.Err() != nil {
		return context.Cause(cfg.Context)
	}
	prefixes := load.DirPrefixes(loaded)
	of := map[string]*asked{}
	for _, p := range loaded {
		id := p.Path
		if u, ok := unitOf(r.units, p.Path); ok {
			id = u.Path
		}
		if r.made[id] == nil {
			r.made[id] = &entry{Files: map[string][]byte{}}
			of[id] = nil
		}
		p.Unit = id
	}
	outs := make([]outcome, len(loaded))
	for again := true; again; {
		for id := range of {
			of[id] = &asked{answers: map[string]recorders{}, recordersOf: r.recordersOf}
		}
		each(len(loaded), func(i int) {
			p := loaded[i]
			outs[i] = rewritePackage(p, cfg.Options, prefixes[p.Dir], of[p.Unit])
			r.check(p, &outs[i])
		})
		again = false
		for i, p := range loaded { // what others do depends on whether it is rewritten
			if outs[i].broken != "" {
				p.Refused, again = outs[i].broken, true
				r.know(p.Path, false, nil)
			}
		}
	}
	for i, p := range loaded {
		e := r.made[p.Unit]
		e.Packages = append(e.Packages, outs[i].pkg)
		maps.Copy(e.Files, outs[i].files)
		e.Asked = of[p.Unit].answers
	}
	r.keep(of)
	return nil
}

// check type-checks the new form of a package. One that does not compile is left alone.
func (r *rewriter) check(p *load.Package, out *outcome) {
	if !r.cfg.Check || out.broken != "" || len(out.files) == 0 {
		return
	}
	of, err := r.runtime()
	if err != nil {
		return
	}
	texts := map[string][]byte{}
	for name, template := range out.files {
		texts[name] = counters.Strip(template)
	}
	if err := p.Compiles(texts, of); err != nil {
		out.broken = fmt.Sprintf("rewritten it would not compile: %v (a defect of racepred: please report it)", err)
	}
}

// keep puts the units that were made into the cache.
func (r *rewriter) keep(of map[string]*asked) {
	if !r.cfg.Cache.usable() {
		return
	}
	for id := range of {
		u, ok := r.units[id]
		e := r.made[id]
		if ok && !slices.ContainsFunc(e.Packages, func(p Package) bool { return !p.Rewritten }) {
			r.cfg.Cache.put(u, r.cfg.Options, e)
		}
	}
}

// result joins the new entries and those from the cache.
func (r *rewriter) result(hits map[string]*entry) *Result {
	res := &Result{Files: map[string][]byte{}, Templates: map[string][]byte{}}
	for _, entries := range []map[string]*entry{hits, r.made} {
		for _, e := range entries {
			res.Packages = append(res.Packages, e.Packages...)
			maps.Copy(res.Templates, e.Files)
		}
	}
	for name, template := range res.Templates {
		res.Files[name] = counters.Strip(template)
	}
	slices.SortFunc(res.Packages, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	res.Notes = notes(res.Packages)
	res.Made = slices.Sorted(maps.Keys(r.made))
	return res
}

// outcome is the outcome of one package.
type outcome struct {
	pkg    Package
	files  map[string][]byte // templates
	broken string            // why the package cannot be rewritten, if that turned out here
}

// decide is Decide, but for tests.
var decide = Decide

func rewritePackage(p *load.Package, opts Options, prefix string, asked *asked) (out outcome) {
	defer func() { // a defect that some rare statement shows must not keep the tests from running
		if r := recover(); r != nil {
			out.broken = fmt.Sprintf("%v (a defect of racepred: please report it)", r)
		}
	}()
	out = outcome{files: map[string][]byte{}}
	out.pkg = Package{Path: p.Path, Dir: p.Dir, Files: p.FileNames(), Reason: p.Refused, Rewritten: p.Refused == ""}
	if !out.pkg.Rewritten {
		return out
	}
	out.pkg.Unrecorded = calls.UnrecordedNames(p.Unrecorded)
	whole := Look(p.Types, p.Info, p.Syntax()...)
	told := false // package runtime learns that the package is rewritten, wherever it is linked
	for i, f := range p.Files {
		slots := counters.Slots(p.Fset.File(f.Syntax.FileStart), f.Syntax, f.Bytes)
		src := &Source{
			Fset: p.Fset, File: f.Syntax, Bytes: f.Bytes, Pkg: p.Types, Info: p.Info,
			Rewritten: func(path string) bool { return asked.ask(path).Rewritten },
			Recorded:  func(path string) bool { return asked.ask(path).Compiled },
			Options:   opts, Whole: whole,
			Foreign: func(path, name string) bool { return asked.ask(path).leavesOut(name) },
			Prefix:  prefix, SitesVar: sitesVar(p.Path, f.Name), Slots: slots,
		}
		decided := decide(src)
		test := strings.HasSuffix(f.Name, "_test.go")
		if !decided.Empty() || !told && p.LastPart(i) && p.DeclaresTypes() {
			told = told || !test
			template := plan.Finish(src, decided, p.Path, f.Name, load.Raise(f, p.Info.FileVersions[f.Syntax]))
			out.files[f.Name] = template
			if !test && !counters.Complete(template, slots) {
				out.pkg.Slotless = f.Name
			}
		}
		out.pkg.Sites += len(decided.Sites)
		for _, s := range decided.Sites {
			if s.Once {
				out.pkg.Once++
			}
		}
		out.pkg.Opaque += len(decided.Opaque)
		for _, c := range decided.Covered {
			out.pkg.Covered = append(out.pkg.Covered, FileCovered{f.Name, c})
		}
		for _, m := range decided.Misses {
			out.pkg.Misses = append(out.pkg.Misses, FileMiss{f.Name, m})
		}
	}
	return out
}
