package gotypes

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/internal/funcname"
	"github.com/racepred/racepred/internal/library"
)

// FactsOf are the facts that package library has of a function.
func FactsOf(fn *types.Func) library.Facts {
	if fn.Pkg() == nil {
		return 0
	}
	return library.Of(fn.Pkg().Path(), funcname.Of(fn))
}

// LockCall is the lock whose method a call is, as it is written, and what the method does with it;
// nil if package library knows of none.
func LockCall(info *types.Info, e *ast.CallExpr) (lock ast.Expr, facts library.Facts) {
	sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil, 0
	}
	fn, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok {
		return nil, 0
	}
	if facts = FactsOf(fn) & (library.Locks | library.RLocks | library.Unlocks); facts == 0 {
		return nil, 0
	}
	return sel.X, facts
}

// FactsOfType are the facts that package library has of a type.
func FactsOfType(t types.Type) library.TypeFacts {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return 0
	}
	return library.OfType(named.Obj().Pkg().Path(), named.Obj().Name())
}
