//go:build racepred_seam

package process

import (
	"os"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
)

// found is the engine's sink: one finding, named, printed and kept.
func (a *analysis) found(f engine.Finding) {
	out, first, ok := a.namer.Name(&f)
	if !ok {
		return
	}
	if first {
		a.races++
		if what := out.Kind.Noun(); !slices.Contains(a.detected, what) {
			a.detected = append(a.detected, what)
		}
	}
	a.give(&out, out.Verdict.Fails() || a.possible)
}

// worthARun is Config.Directed of the engine. It prints nothing.
func (a *analysis) worthARun(f engine.Finding) {
	if out, _, ok := a.namer.Name(&f); ok {
		a.give(&out, false)
	}
}

// give keeps a finding, and prints it if asked.
func (a *analysis) give(f *report.Finding, print bool) {
	a.keep(f)
	if !print || a.silent() || waive.Silent(f.Waived) {
		return
	}
	text := a.printer.Append(nil, f)
	if runtime_write(text); unprinted {
		a.untold = append(a.untold, text...)
	}
}

// silent reports whether the command prints the findings, which it can if they are in the file.
func (a *analysis) silent() bool { return a.settings.Silent && a.dir != "" && a.err == nil }

// testedPackage is the package whose test binary this is, "" for any other program.
func testedPackage(path string) string {
	p, _ := strings.CutSuffix(path, ".test")
	return p
}

// readWaived reads the rules in the file, which may be "" for none.
func readWaived(file string) (*waive.Rules, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return waive.Parse(data)
}
