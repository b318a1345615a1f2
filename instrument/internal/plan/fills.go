package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/library"
)

// fillsOwn says whether what e calls is harmless but for memory that it is given, and all of that stays with this goroutine. (instrument/O9)
func (w *walker) fillsOwn(e *ast.CallExpr) bool {
	if fn := gotypes.StaticCallee(w.Info, e); fn == nil || !gotypes.FactsOf(fn).Is(library.Fills) {
		return false
	}
	for _, arg := range e.Args {
		switch w.Info.TypeOf(arg).Underlying().(type) {
		case *types.Slice, *types.Pointer:
			if !w.ownMemory(arg) {
				return false
			}
		case *types.Basic:
		default:
			return false
		}
	}
	return true
}

// ownMemory says whether an argument is a slice or its part, a part of an array, or the address of a variable, and nobody else knows that.
func (w *walker) ownMemory(arg ast.Expr) bool {
	switch x := ast.Unparen(arg).(type) {
	case *ast.Ident:
		return w.Owned(x)
	case *ast.SliceExpr:
		return w.Owned(x.X) || w.ownVariable(x.X)
	case *ast.UnaryExpr:
		return x.Op == token.AND && w.ownVariable(x.X)
	}
	return false
}

// ownVariable says whether x is a local variable, of an array or a struct, that nobody else knows.
func (w *walker) ownVariable(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := w.Info.ObjectOf(id).(*types.Var)
	if !ok || w.Locals == nil || v.Parent() == w.Pkg.Scope() || w.IsShared(v) {
		return false
	}
	switch v.Type().Underlying().(type) {
	case *types.Array, *types.Struct:
		return true
	}
	return false
}
