// Package golangci is racepred's checks as a plugin of golangci-lint. Who imports it, as a golangci-lint that `golangci-lint custom` builds does, can enable a linter racepred.
// docs/usage.md has the two files that this takes.
package golangci

import (
	"fmt"
	"slices"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/analyzer"
)

// Settings are those of the linter in .golangci.yml.
type Settings struct {
	Checks []string `json:"checks"` // the checks that run; if there are none, those of `racepred vet`
}

func init() { register.Plugin("racepred", open) }

type plugin struct{ checks []*analysis.Analyzer }

func open(conf any) (register.LinterPlugin, error) {
	settings, err := register.DecodeSettings[Settings](conf)
	if err != nil {
		return nil, err
	}
	if len(settings.Checks) == 0 {
		return plugin{analyzer.All()}, nil
	}
	var p plugin
	for _, name := range settings.Checks {
		i := slices.IndexFunc(analyzer.Table, func(r analyzer.Row) bool { return r.Analyzer.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("racepred has no check %q", name)
		}
		p.checks = append(p.checks, analyzer.Table[i].Analyzer)
	}
	return p, nil
}

// BuildAnalyzers gives golangci-lint the checks.
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) { return p.checks, nil }

// GetLoadMode says that they need types.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
