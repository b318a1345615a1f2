package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// anchor finds a local variable among the operands that a call can be put around.
func (w *walker) anchor(es []ast.Expr) ast.Expr {
	for _, e := range es {
		if e == w.region.callee && e != nil {
			continue // with a call in it, it would be loaded first
		}
		if found := w.anchorIn(e); found != nil {
			return found
		}
	}
	return nil
}

// variable says whether e is a variable, which may have to be addressable.
func (w *walker) variable(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.Ident)
	return ok
}

func (w *walker) anchorIn(e ast.Expr) ast.Expr {
	if e == nil || w.Hoisted[e] != "" || w.IsConstant(e) || w.Info.Types[e].IsBuiltin() {
		return nil
	}
	switch x := e.(type) {
	case *ast.Ident:
		v, ok := w.Info.Uses[x].(*types.Var)
		if !ok || !w.Quiet(x) || v.IsField() {
			return nil
		}
		return x
	case *ast.ParenExpr:
		return w.anchorIn(x.X)
	case *ast.StarExpr:
		return w.anchorIn(x.X)
	case *ast.SelectorExpr:
		if sel := w.Info.Selections[x]; sel != nil && (gotypes.IsPointer(w.Info.TypeOf(x.X)) || !w.variable(x.X)) {
			return w.anchorIn(x.X)
		}
	case *ast.IndexExpr:
		if w.IsFunc(x.X) {
			return nil
		}
		if !gotypes.IsArray(w.Info.TypeOf(x.X)) || !w.variable(x.X) {
			if found := w.anchorIn(x.X); found != nil {
				return found
			}
		}
		return w.anchorIn(x.Index)
	case *ast.SliceExpr:
		if gotypes.IsSlice(w.Info.TypeOf(x.X)) {
			if found := w.anchorIn(x.X); found != nil {
				return found
			}
		}
		return w.anchor([]ast.Expr{x.Low, x.High, x.Max})
	case *ast.UnaryExpr:
		if x.Op != token.AND && x.Op != token.ARROW {
			return w.anchorIn(x.X)
		}
	case *ast.BinaryExpr:
		if x.Op != token.LAND && x.Op != token.LOR {
			return w.anchor([]ast.Expr{x.X, x.Y})
		}
	case *ast.TypeAssertExpr:
		return w.anchorIn(x.X)
	case *ast.CompositeLit:
		for _, elt := range x.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			if found := w.anchorIn(elt); found != nil {
				return found
			}
		}
	case *ast.CallExpr:
		if w.CallKind(x) == gotypes.CallConversion {
			return w.anchorIn(x.Args[0])
		}
	}
	return nil
}
