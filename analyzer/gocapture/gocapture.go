package gocapture

import (
	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/analyzer/internal/flow"
	"github.com/racepred/racepred/analyzer/internal/honour"
)

// Analyzer reports what goroutines share without synchronization.
var Analyzer = &analysis.Analyzer{
	Name: "gocapture",
	Doc: "report variables, maps and slices shared with a goroutine without synchronization\n\n" +
		"What a goroutine's function literal captures, or is given, is also accessed by the function that starts it, or by another such goroutine, with nothing in between that orders the two.",
	URL:      "https://pkg.go.dev/github.com/racepred/racepred/analyzer/gocapture",
	Run:      honour.Ignores(run),
	Requires: []*analysis.Analyzer{flow.Analyzer},
}

func run(pass *analysis.Pass) (any, error) {
	p := pass.ResultOf[flow.Analyzer].(*flow.Package)
	c := &checker{pass: pass, p: p, bodies: map[*flow.Spawn][]*access{}, reported: map[reportKey]bool{}}
	for f := range p.Funcs {
		c.function(f)
	}
	return nil, nil
}
