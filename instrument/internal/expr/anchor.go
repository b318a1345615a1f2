package expr

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// Anchor finds a local variable among operands that a call can be put around. It does not look into
// callee, the operand that is called, if the function is known only when it runs: with a call in
// it, the callee would be loaded first.
func (c *Code) Anchor(es []ast.Expr, callee ast.Expr) ast.Expr {
	for _, e := range es {
		if e == callee && e != nil {
			continue
		}
		if found := c.anchorIn(e, callee); found != nil {
			return found
		}
	}
	return nil
}

// isVariable reports whether e is a variable, which may have to be addressable.
func isVariable(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.Ident)
	return ok
}

func (c *Code) anchorIn(e, callee ast.Expr) ast.Expr {
	if e == nil || c.Hoisted[e] != "" || c.IsConstant(e) || c.Info.Types[e].IsBuiltin() {
		return nil
	}
	switch x := e.(type) {
	case *ast.Ident:
		v, ok := c.Info.Uses[x].(*types.Var)
		if !ok || !c.Quiet(x) || v.IsField() {
			return nil
		}
		return x
	case *ast.ParenExpr:
		return c.anchorIn(x.X, callee)
	case *ast.StarExpr:
		return c.anchorIn(x.X, callee)
	case *ast.SelectorExpr:
		if sel := c.Info.Selections[x]; sel != nil && (gotypes.IsPointer(c.Info.TypeOf(x.X)) || !isVariable(x.X)) {
			return c.anchorIn(x.X, callee)
		}
	case *ast.IndexExpr:
		if c.IsFunc(x.X) {
			return nil
		}
		if !gotypes.IsArray(c.Info.TypeOf(x.X)) || !isVariable(x.X) {
			if found := c.anchorIn(x.X, callee); found != nil {
				return found
			}
		}
		return c.anchorIn(x.Index, callee)
	case *ast.SliceExpr:
		if gotypes.IsSlice(c.Info.TypeOf(x.X)) {
			if found := c.anchorIn(x.X, callee); found != nil {
				return found
			}
		}
		return c.Anchor([]ast.Expr{x.Low, x.High, x.Max}, callee)
	case *ast.UnaryExpr:
		if x.Op != token.AND && x.Op != token.ARROW {
			return c.anchorIn(x.X, callee)
		}
	case *ast.BinaryExpr:
		if x.Op != token.LAND && x.Op != token.LOR {
			return c.Anchor([]ast.Expr{x.X, x.Y}, callee)
		}
	case *ast.TypeAssertExpr:
		return c.anchorIn(x.X, callee)
	case *ast.CompositeLit:
		for _, elt := range x.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			if found := c.anchorIn(elt, callee); found != nil {
				return found
			}
		}
	case *ast.CallExpr:
		if c.CallKind(x) == gotypes.CallConversion {
			return c.anchorIn(x.Args[0], callee)
		}
	}
	return nil
}
