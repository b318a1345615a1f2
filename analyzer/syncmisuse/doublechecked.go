package syncmisuse

import (
	"go/ast"
	"regexp"

	"github.com/racepred/racepred/analyzer/internal/flow"
)

// lockedName are the names of functions whose callers hold the lock.
var lockedName = regexp.MustCompile(`Locked$|(?i)^withlock`)

// doubleChecked finds a variable that an if looks at without a lock, and once more under the lock
// under which it is set then.
func doubleChecked(c *checker) {
	for f := range c.p.Funcs {
		if d, ok := f.Node.(*ast.FuncDecl); ok && lockedName.MatchString(d.Name.Name) {
			continue
		}
		if c.callerLocks(f) {
			continue
		}
		conds := conditions(f.Body)
		fresh := freshIn(c.pass.TypesInfo, f)
		for e := range f.Events {
			if e.Kind != flow.Read || e.InPlace || !inside(conds, e.Node) || !c.visible(e.Path) || fresh[e.Path.Root] || len(c.p.HeldAt(f, e)) > 0 {
				continue
			}
			if again := c.setUnderLock(f, e, conds); again != nil {
				c.report(e.Node, nil, relate(again.Node, "and here once more under the lock, under which it is set"),
					"%s is looked at here without the lock that it is set under", e.Path)
				break
			}
		}
	}
}

// callerLocks reports whether a function gives back a lock that it has not taken: its caller holds
// it.
func (c *checker) callerLocks(f *flow.Func) (found bool) {
	c.p.Before(f, func(e *flow.Event, s flow.State) {
		if e.Kind == flow.Unlock || e.Kind == flow.RUnlock {
			certain, _ := s.Pending(e.Path)
			found = found || s.Of(e.Path)&flow.AsFound != 0 && !certain && !e.Deferred
		}
	})
	return found
}

// visible reports whether other goroutines can get to a location: by a package variable or a
// pointer.
func (c *checker) visible(p flow.Path) bool {
	if p.Root.Parent() == c.pass.Pkg.Scope() {
		return p.Known()
	}
	return p.Known() && len(p.Sel) > 1 && p.Sel[0] == '*'
}

// setUnderLock is the second look at the location of e, if there is one.
func (c *checker) setUnderLock(f *flow.Func, e *flow.Event, conds []ast.Expr) (again *flow.Event) {
	f.After(e, func(l *flow.Event) bool {
		if again != nil || l.Kind == flow.Write && l.Path == e.Path {
			return false
		}
		if l.Kind != flow.Lock || !c.p.OfSync(l.Call) {
			return true
		}
		f.After(l, func(r *flow.Event) bool {
			if again != nil || r.Kind == flow.Unlock && r.Path == l.Path {
				return false
			}
			if r.Kind != flow.Read || r.Path != e.Path || !inside(conds, r.Node) || r == e {
				return true
			}
			f.After(r, func(w *flow.Event) bool {
				if w.Kind == flow.Unlock && w.Path == l.Path {
					return false
				}
				if w.Kind == flow.Write && w.Path == e.Path {
					again = r
				}
				return again == nil
			})
			return again == nil
		})
		return again == nil
	})
	return again
}

// conditions are those of the if statements of a function.
func conditions(body ast.Node) (all []ast.Expr) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IfStmt:
			all = append(all, n.Cond)
		}
		return true
	})
	return all
}

func inside(conds []ast.Expr, n ast.Node) bool {
	for _, e := range conds {
		if e.Pos() <= n.Pos() && n.End() <= e.End() {
			return true
		}
	}
	return false
}
