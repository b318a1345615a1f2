package syncmisuse

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/analyzer/internal/flow"
	"github.com/racepred/racepred/analyzer/internal/honour"
)

// Analyzer reports synchronization that does not do what it is there for.
var Analyzer = &analysis.Analyzer{
	Name: "syncmisuse",
	Doc: "report mutexes, groups, conditions, channels and atomics that are used wrongly\n\n" +
		"Add in the goroutine that it counts, locks taken twice, given back twice or not at all, copied, variables accessed atomically here and plainly there, and the like.",
	URL:      "https://pkg.go.dev/github.com/racepred/racepred/analyzer/syncmisuse",
	Run:      honour.Ignores(run),
	Requires: []*analysis.Analyzer{flow.Analyzer},
}

// rule is one of the rules of the package.
type rule struct {
	name  string
	optIn bool // it runs only when the flag names it
	run   func(*checker)
}

var rules = []rule{
	{name: "wgadd", run: wgAdd},
	{name: "doublelock", run: doubleLock},
	{name: "unlocktwice", run: unlockTwice},
	{name: "returnlocked", run: returnLocked},
	{name: "lockcopy", run: lockCopy},
	{name: "atomicplain", run: atomicPlain},
	{name: "atomiccopy", run: atomicCopy},
	{name: "doublechecked", run: doubleChecked},
	{name: "condwait", run: condWait},
	{name: "closedbyreceiver", optIn: true, run: closedByReceiver},
	{name: "spinplain", run: spinPlain},
}

func init() {
	var optIn []string
	for _, r := range rules {
		if r.optIn {
			optIn = append(optIn, r.name)
		}
	}
	Analyzer.Flags.String("also", "", "run these `rules`, too, separated by commas: "+strings.Join(optIn, ", "))
}

// checker is the state that rules share.
type checker struct {
	pass *analysis.Pass
	p    *flow.Package
	rule string
}

func run(pass *analysis.Pass) (any, error) {
	also := strings.Split(pass.Analyzer.Flags.Lookup("also").Value.String(), ",")
	c := &checker{pass: pass, p: pass.ResultOf[flow.Analyzer].(*flow.Package)}
	for _, r := range rules {
		if !r.optIn || slices.Contains(also, r.name) {
			c.rule = r.name
			r.run(c)
		}
	}
	return nil, nil
}

// report reports the rule at hand at a node.
func (c *checker) report(at ast.Node, fixes []analysis.SuggestedFix, related []analysis.RelatedInformation, format string, args ...any) {
	pos, end := at.Pos(), at.End()
	switch n := at.(type) {
	case *ast.BlockStmt:
		pos, end = n.Rbrace, n.End()
	case *ast.ForStmt:
		end = pos + 3
	}
	c.pass.Report(analysis.Diagnostic{Pos: pos, End: end, Category: c.rule, Message: fmt.Sprintf(format, args...), SuggestedFixes: fixes, Related: related})
}

func relate(n ast.Node, message string) []analysis.RelatedInformation {
	if n == nil {
		return nil
	}
	return []analysis.RelatedInformation{{Pos: n.Pos(), End: n.End(), Message: message}}
}
