package expr

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// LoadsIn lists the outermost loads of shared memory in a target.
func (c *Code) LoadsIn(e ast.Expr) (loads []ast.Expr) {
	var value func(e ast.Expr)
	value = func(e ast.Expr) {
		e = ast.Unparen(e)
		if c.Hoisted[e] != "" || c.IsConstant(e) {
			return
		}
		switch e.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr:
			if c.Place(e) == PlaceShared {
				loads = append(loads, e)
				return
			}
		}
		for _, x := range gotypes.Operands(e) {
			value(x)
		}
	}
	for _, x := range gotypes.Operands(ast.Unparen(e)) {
		value(x)
	}
	return loads
}

// MapElement reports whether e is an element of a map.
func (c *Code) MapElement(e ast.Expr) bool {
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	return ok && gotypes.IsMap(c.Info.TypeOf(x.X))
}

// AddressPanics reports whether computing the address of e may panic.
func (c *Code) AddressPanics(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		sel := c.Info.Selections[e]
		return sel != nil && (sel.Indirect() || gotypes.IsPointer(c.Info.TypeOf(e.X)) || c.AddressPanics(e.X))
	case *ast.IndexExpr:
		return !gotypes.IsArray(c.Info.TypeOf(e.X)) || !c.IsConstant(e.Index) || c.AddressPanics(e.X)
	}
	return false
}

// SameAddress reports whether the address of e is the same after an assignment to all of lhs.
func (c *Code) SameAddress(e ast.Expr, lhs []ast.Expr) bool {
	loads := c.AddressLoads(e)
	uses := map[types.Object]bool{}
	if _, ok := e.(*ast.Ident); !ok {
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				uses[c.Info.ObjectOf(id)] = true
			}
			return true
		})
	}
	for _, other := range lhs {
		if other = ast.Unparen(other); other == e || gotypes.IsBlank(other) {
			continue
		}
		if id, ok := other.(*ast.Ident); ok && uses[c.Info.ObjectOf(id)] || !ok && loads {
			return false
		}
	}
	return true
}

// SameAfterCall reports whether x, which no other goroutine reaches, has the same value, or the
// same panic, before and after a call that follows it.
func (c *Code) SameAfterCall(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.CallExpr:
		return c.CallKind(x) == gotypes.CallFunction || c.CallKind(x) == gotypes.CallConversion && c.SameAfterCall(x.Args[0])
	case *ast.TypeAssertExpr:
		return true
	case *ast.UnaryExpr:
		return x.Op == token.ARROW
	case *ast.Ident:
		v, ok := c.Info.Uses[x].(*types.Var)
		return !ok || !c.InMemory(v)
	case *ast.SelectorExpr:
		sel := c.Info.Selections[x]
		return sel != nil && !sel.Indirect() && !gotypes.IsPointer(c.Info.TypeOf(x.X)) && c.SameAfterCall(x.X)
	case *ast.IndexExpr:
		return gotypes.IsArray(c.Info.TypeOf(x.X)) && c.Info.Types[x.Index].Value != nil && c.SameAfterCall(x.X)
	}
	return false
}
