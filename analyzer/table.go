// Package analyzer lists racepred's static checks: what the source alone shows, without a run.
//
// Each check is a go/analysis analyzer in a package of its own beneath this one. They run by
// `racepred vet`, by `go vet -vettool=$(which racepred)`, and in any driver that takes analyzers: a
// plugin of golangci-lint returns All() from its BuildAnalyzers, a multichecker is given All()...
package analyzer

import (
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/analyzer/gocapture"
	"github.com/racepred/racepred/analyzer/guardedby"
	"github.com/racepred/racepred/analyzer/lockorder"
	"github.com/racepred/racepred/analyzer/opaqueunderlock"
	"github.com/racepred/racepred/analyzer/syncmisuse"
	"github.com/racepred/racepred/internal/report"
)

// Row is one check.
type Row struct {
	Analyzer *analysis.Analyzer
	OptIn    bool // it runs only when it is named
	Finds    report.Kind
}

// Table has a row for each check, in the order in which help lists them.
var Table = []Row{
	{Analyzer: gocapture.Analyzer, Finds: report.Race},
	{Analyzer: guardedby.Analyzer, Finds: report.Race},
	{Analyzer: lockorder.Analyzer, Finds: report.Deadlock},
	{Analyzer: syncmisuse.Analyzer, Finds: report.Misuse},
	{Analyzer: opaqueunderlock.Analyzer, OptIn: true, Finds: report.Misuse},
}

// All are the checks that run when none is named.
func All() []*analysis.Analyzer {
	var all []*analysis.Analyzer
	for _, r := range Table {
		if !r.OptIn {
			all = append(all, r.Analyzer)
		}
	}
	return all
}

// Find is the row of the check with that name; false if there is none.
func Find(name string) (Row, bool) {
	i := slices.IndexFunc(Table, func(r Row) bool { return r.Analyzer.Name == name })
	if i < 0 {
		return Row{}, false
	}
	return Table[i], true
}
