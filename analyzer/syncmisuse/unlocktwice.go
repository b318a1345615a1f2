package syncmisuse

import (
	"go/ast"

	"github.com/racepred/racepred/analyzer/internal/flow"
)

// unlockTwice finds an Unlock after the function has given the lock back: on every way, or on one
// way if no if, switch or select around it may tell the ways apart.
func unlockTwice(c *checker) {
	for f := range c.p.Funcs {
		conditional := branches(f.Body)
		c.p.Before(f, func(e *flow.Event, s flow.State) {
			switch e.Kind {
			case flow.Unlock, flow.RUnlock:
				if e.Deferred || !e.Path.Known() || !c.p.OfSync(e.Call) {
					return
				}
				switch was := s.Of(e.Path); {
				case was == flow.Free:
					c.report(e.Node, nil, nil, "%s is unlocked here, and has been unlocked already", e.Path)
				case was&flow.Free != 0 && was&(flow.Exclusive|flow.Shared) != 0 && was&flow.AsFound == 0 && !conditional[e.Node]:
					c.report(e.Node, nil, nil, "%s is unlocked here, and has been unlocked already on one of the ways that lead here", e.Path)
				}
			case flow.Returns:
				for l, m := range s {
					if certain, _ := s.Pending(l); certain && m == flow.Free && l.Known() && lockedHere(f, l) {
						c.report(e.Node, nil, nil, "%s has been unlocked when the function returns here, and is unlocked again by a deferred call", l)
					}
				}
			}
		})
	}
}

// branches are the nodes that an if, a switch or a select decides about.
func branches(body ast.Node) map[ast.Node]bool {
	found := map[ast.Node]bool{}
	var mark func(n ast.Node, in bool)
	mark = func(n ast.Node, in bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if m != n && !in {
					mark(m, true)
					return false
				}
			case *ast.CallExpr:
				found[m] = in
			}
			return true
		})
	}
	mark(body, false)
	return found
}

// lockedHere reports whether a function locks a lock of package sync itself.
func lockedHere(f *flow.Func, l flow.Path) bool {
	for e := range f.Events {
		if (e.Kind == flow.Lock || e.Kind == flow.RLock) && e.Path == l {
			return true
		}
	}
	return false
}
