package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/internal/dev/fake"
	"github.com/racepred/racepred/internal/dev/fetch"
)

// prepared is a target that is ready to be tested.
type prepared struct {
	dir     string // where go commands run
	overlay string // of the rewritten files and the runtime that does nothing
	names   map[string]string
	res     *instrument.Result
}

// fetched downloads a module into the module cache and copies it beneath work,
// since files of the module cache cannot be overlaid.
func fetched(ctx context.Context, work, module string) (dir string, err error) {
	dir = filepath.Join(work, "modules", strings.ReplaceAll(module, "/", "+"))
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return dir, nil
	}
	return dir, fetch.Module(ctx, module, dir)
}

// prepare rewrites a target.
func prepare(ctx context.Context, work string, t target, all bool) (*prepared, error) {
	p := &prepared{dir: os.TempDir(), names: map[string]string{}}
	if t.module != "" {
		dir, err := fetched(ctx, work, t.module)
		if err != nil {
			return nil, err
		}
		p.dir = dir
	}
	var err error
	p.res, err = instrument.Rewrite(instrument.Config{Dir: p.dir, Patterns: t.patterns, Tests: true, Options: instrument.Options{All: all}})
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(work, "overlay-")
	if err != nil {
		return nil, err
	}
	p.overlay, err = fake.Overlay(tmp, p.res.Files, fake.Quiet)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(p.overlay)
	if err != nil {
		return nil, err
	}
	var o struct{ Replace map[string]string }
	if err := json.Unmarshal(b, &o); err != nil {
		return nil, err
	}
	for from, to := range o.Replace {
		p.names[to] = from
	}
	return p, nil
}

// packages are those of the target that belong to a unit.
func (p *prepared) packages(u unit, module string) []instrument.Package {
	var ps []instrument.Package
	for _, pkg := range p.res.Packages {
		if module != "" || strings.TrimSuffix(pkg.Path, "_test") == u.name {
			ps = append(ps, pkg)
		}
	}
	return ps
}
