// Package golangci is racepred's checks as a plugin of golangci-lint. A golangci-lint that imports
// it, as one that `golangci-lint custom` builds does, has a linter racepred. docs/usage.md has the
// two files that this takes.
package golangci

import (
	"fmt"

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
		r, ok := analyzer.Find(name)
		if !ok {
			return nil, fmt.Errorf("racepred has no check %q", name)
		}
		p.checks = append(p.checks, r.Analyzer)
	}
	return p, nil
}

// BuildAnalyzers gives golangci-lint the checks.
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) { return p.checks, nil }

// GetLoadMode says that they need types.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
