package expr

import (
	"go/ast"
	"go/types"
)

// Unchanged reports whether the value of a local variable stays the same in a loop.
func (c *Code) Unchanged(id *ast.Ident, s *ast.RangeStmt) bool {
	v, ok := c.Info.ObjectOf(id).(*types.Var)
	return ok && c.Place(id) == PlaceLocal && !c.Locals.Changeable(v) && !c.assignedIn(id, s)
}

// assignedIn reports whether the variable id is assigned anywhere in the loop.
func (c *Code) assignedIn(id *ast.Ident, s *ast.RangeStmt) bool {
	v := c.Info.ObjectOf(id)
	found := false
	is := func(e ast.Expr) bool {
		x, ok := ast.Unparen(e).(*ast.Ident)
		return ok && c.Info.ObjectOf(x) == v
	}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				found = found || is(lhs)
			}
		case *ast.RangeStmt:
			found = found || n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value)
		}
		return !found
	})
	return found
}
