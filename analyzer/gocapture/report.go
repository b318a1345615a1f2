package gocapture

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/analyzer/internal/flow"
)

// report reports access a of the goroutine that s starts, and the one that conflicts with it: e of
// the function, or b of the goroutine that e starts.
func (c *checker) report(s *flow.Event, a *access, e *flow.Event, b *access) {
	key, at := reportKey{root: a.path.Root, spawn: s.Spawn.Stmt}, reportKey{spawn: s.Spawn.Stmt, at: e.Node}
	if c.reported[key] || b == nil && c.reported[at] {
		return
	}
	c.reported[key], c.reported[at] = true, true
	what := c.what(a.path)
	d := analysis.Diagnostic{Related: []analysis.RelatedInformation{
		related(s.Spawn.Stmt, starts(s.Spawn)+" here"),
	}}
	line := func(n ast.Node) int { return c.pass.Fset.Position(n.Pos()).Line }
	switch {
	case b == nil:
		d.Pos, d.End = span(e.Node)
		d.Message = fmt.Sprintf("%s is %s by the %s of line %d and %s here, with nothing in between that orders the two",
			what, verb(a.event), noun(s.Spawn), line(s.Spawn.Stmt), c.verbOf(e))
		d.Related = append(d.Related, related(a.event.Node, "the "+noun(s.Spawn)+"'s access"))
	case e.Spawn == s.Spawn:
		w := a
		if !w.writes() {
			w = b
		}
		d.Pos, d.End = span(w.event.Node)
		d.Message = fmt.Sprintf("%s is %s by several %ss of line %d at a time, with nothing that orders them", what, verb(w.event), noun(s.Spawn), line(s.Spawn.Stmt))
	default:
		d.Pos, d.End = span(b.event.Node)
		d.Message = fmt.Sprintf("%s is %s by the %s of line %d and %s by that of line %d, with nothing that orders the two",
			what, verb(a.event), noun(s.Spawn), line(s.Spawn.Stmt), verb(b.event), line(e.Spawn.Stmt))
		d.Related = append(d.Related, related(a.event.Node, "the other access"))
	}
	c.pass.Report(d)
}

// what names the location.
func (c *checker) what(p flow.Path) string {
	base, elem := strings.CutSuffix(p.Sel, "[*]")
	name := flow.Path{Root: p.Root, Sel: base}.String()
	if elem {
		return "what " + name + " holds"
	}
	return name
}

func noun(s *flow.Spawn) string {
	switch s.Start {
	case flow.Timer:
		return "timer"
	case flow.Parallel:
		return "parallel subtest"
	}
	return "goroutine"
}

func starts(s *flow.Spawn) string { return "the " + noun(s) + " is started" }

func verb(e *flow.Event) string {
	if e.Kind == flow.Write {
		return "written"
	}
	return "read"
}

func (c *checker) verbOf(e *flow.Event) string {
	if _, ok := e.Node.(*ast.ReturnStmt); ok && e.Kind == flow.Write {
		return "written by return"
	}
	if _, ok := e.Node.(*ast.Field); ok {
		return "returned to the caller"
	}
	return verb(e)
}

func related(n ast.Node, message string) analysis.RelatedInformation {
	pos, end := span(n)
	return analysis.RelatedInformation{Pos: pos, End: end, Message: message}
}

// span is a node's first line at most, so that a go statement does not mark all of its literal.
func span(n ast.Node) (token.Pos, token.Pos) {
	switch n := n.(type) {
	case *ast.GoStmt:
		return n.Pos(), n.Pos() + 2
	case *ast.RangeStmt:
		return n.Pos(), n.X.End()
	case *ast.CallExpr:
		return n.Pos(), n.Lparen
	}
	return n.Pos(), n.End()
}
