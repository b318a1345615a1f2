package gotestplugin

import (
	"path/filepath"
	"strings"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/seam"
)

// real are the parts a recording build is made with.
var real = parts{prepare: seam.Prepare, rewrite: rewriteSources, needs: needs}

// doesNotCompile begins the reason of a package that is left as it is because of an error that go
// test prints.
const doesNotCompile = instrument.DoesNotCompile

// rewriteSources runs the rewriter.
func rewriteSources(c rewriteConfig) (*rewritten, error) {
	res, err := instrument.Rewrite(instrument.Config{
		Context: c.Context, Dir: c.Dir, Env: c.Env, Patterns: c.Patterns, BuildFlags: c.BuildFlags, Overlay: c.Overlay,
		Tests: true, Tested: c.Tested, Options: instrument.Options{All: c.All, Sections: c.Sections}, Cache: c.Cache, Paths: c.Patterns, Recorded: c.Recorded, Check: c.Check, Loaded: c.Loaded,
	})
	if err != nil {
		return nil, err
	}
	r := &rewritten{Files: res.Files, Templates: res.Templates}
	for _, p := range res.Packages {
		left := p.Reason
		if c.Covering && p.Slotless != "" {
			left = "coverage cannot be measured of its rewritten form (" + filepath.Base(p.Slotless) + ")"
		}
		r.Packages = append(r.Packages, rewrittenPackage{Path: p.Path, Files: p.Files, Left: left})
	}
	for _, n := range res.Notes {
		pkg, reason, _ := strings.Cut(n, ": ")
		r.Notes = append(r.Notes, report.Uncovered{Package: pkg, Reason: reason})
	}
	return r, nil
}
