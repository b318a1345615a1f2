package syncmisuse

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/analyzer/internal/flow"
)

// wgAdd finds Add in the goroutine that it counts: the goroutine calls Done itself, and was not
// counted before its start.
func wgAdd(c *checker) {
	seen := map[ast.Node]bool{}
	for f := range c.p.Funcs {
		for s := range f.Events {
			if s.Kind != flow.Spawns || s.Spawn.Start != flow.Go || s.Spawn.Body == nil {
				continue
			}
			body := c.p.Func(s.Spawn.Body)
			for e := range body.Events {
				group := s.Spawn.Outside(e.Path)
				if !c.isAdd(e) || !group.Known() || seen[e.Node] || c.counted(f, s, group) || !calls(body, e.Path) || startsMore(body, e) || c.heard(f, s, body, e, group) {
					continue
				}
				seen[e.Node] = true
				c.report(e.Node, c.moveAdd(s.Spawn, e), relate(head(s.Spawn.Stmt), "the goroutine is started here"),
					"%s.Add is called by the goroutine that it counts: Wait may return before; call it before the go statement", e.Path)
			}
		}
	}
}

// isAdd reports whether an event is a call of Add that counts upwards.
func (c *checker) isAdd(e *flow.Event) bool {
	if e.Kind != flow.Calls || e.Callee == nil || e.Callee.FullName() != "(*sync.WaitGroup).Add" {
		return false
	}
	v := c.pass.TypesInfo.Types[e.Call.Args[0]].Value
	return v == nil || v.Kind() == constant.Int && constant.Sign(v) > 0
}

// counted reports whether the function that starts the goroutine calls Add before.
func (c *checker) counted(f *flow.Func, s *flow.Event, group flow.Path) bool {
	for e := range f.Events {
		if c.isAdd(e) && e.Path == group && f.Reaches(e, s, func(*flow.Event) bool { return false }) {
			return true
		}
	}
	return false
}

// calls reports whether a goroutine calls Done of a group.
func calls(body *flow.Func, group flow.Path) bool {
	for e := range body.Events {
		if e.Kind == flow.Release && e.Op == flow.OpGroup && e.Path == group {
			return true
		}
	}
	return false
}

// startsMore reports whether a goroutine is started after the Add, which may be the one it counts.
func startsMore(body *flow.Func, add *flow.Event) (found bool) {
	body.After(add, func(e *flow.Event) bool {
		found = found || e.Kind == flow.Spawns
		return !found
	})
	return found
}

// heard reports whether the function can get to Wait only after the goroutine has called Add and
// synchronized with it.
func (c *checker) heard(f *flow.Func, s *flow.Event, body *flow.Func, add *flow.Event, group flow.Path) bool {
	var said []*flow.Event
	body.After(add, func(e *flow.Event) bool {
		if e.Kind == flow.Release && (e.Op == flow.OpChan || e.Op == flow.OpGroup && e.Path != add.Path) {
			said = append(said, e)
		}
		return true
	})
	waits, reached := false, false
	for w := range f.Events {
		if w.Kind == flow.Acquire && w.Op == flow.OpGroup && w.Path == group {
			waits = true
			reached = reached || f.Reaches(s, w, func(e *flow.Event) bool {
				return e.Kind == flow.Acquire && slices.ContainsFunc(said, func(r *flow.Event) bool { return r.Op == e.Op && s.Spawn.Outside(r.Path) == e.Path })
			})
		}
	}
	return waits && !reached
}

// head is the go of a go statement.
func head(n ast.Node) ast.Node {
	if g, ok := n.(*ast.GoStmt); ok {
		return &ast.Ident{NamePos: g.Go, Name: "go"}
	}
	return n
}

// moveAdd puts the call in front of the go statement, if it is the first statement of a literal and
// counts a constant.
func (c *checker) moveAdd(s *flow.Spawn, e *flow.Event) []analysis.SuggestedFix {
	lit, ok := s.Body.(*ast.FuncLit)
	if !ok || len(lit.Body.List) < 2 || c.pass.TypesInfo.Types[e.Call.Args[0]].Value == nil || len(s.Bound) > 0 {
		return nil
	}
	first, ok := lit.Body.List[0].(*ast.ExprStmt)
	if !ok || first.X != e.Node {
		return nil
	}
	pos := s.Stmt.Pos()
	indent := strings.Repeat("\t", c.pass.Fset.Position(pos).Column-1)
	return []analysis.SuggestedFix{{
		Message: "Call " + types.ExprString(e.Call) + " before the goroutine is started",
		TextEdits: []analysis.TextEdit{
			{Pos: pos, End: token.NoPos, NewText: []byte(types.ExprString(e.Call) + "\n" + indent)},
			{Pos: first.Pos(), End: lit.Body.List[1].Pos()},
		},
	}}
}
