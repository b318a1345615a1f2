package expr

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/library"
)

// FillsOwn reports whether e calls a function that is harmless except for the memory that it is
// given, and all of that memory stays with this goroutine. (instrument/O9)
func (c *Code) FillsOwn(e *ast.CallExpr) bool {
	if fn := gotypes.StaticCallee(c.Info, e); fn == nil || !gotypes.FactsOf(fn).Is(library.Fills) {
		return false
	}
	for _, arg := range e.Args {
		switch c.Info.TypeOf(arg).Underlying().(type) {
		case *types.Slice, *types.Pointer:
			if !c.ownMemory(arg) {
				return false
			}
		case *types.Basic:
		default:
			return false
		}
	}
	return true
}

// ownMemory reports whether an argument is a slice, a part of a slice or an array, or the address
// of a variable, and no other goroutine knows that memory.
func (c *Code) ownMemory(arg ast.Expr) bool {
	switch x := ast.Unparen(arg).(type) {
	case *ast.Ident:
		return c.Owned(x)
	case *ast.SliceExpr:
		return c.Owned(x.X) || c.ownVariable(x.X)
	case *ast.UnaryExpr:
		return x.Op == token.AND && c.ownVariable(x.X)
	}
	return false
}

// ownVariable reports whether x is a local variable, of an array or a struct, that no other
// goroutine knows.
func (c *Code) ownVariable(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := c.Info.ObjectOf(id).(*types.Var)
	if !ok || c.Locals == nil || v.Parent() == c.Pkg.Scope() || c.IsShared(v) {
		return false
	}
	switch v.Type().Underlying().(type) {
	case *types.Array, *types.Struct:
		return true
	}
	return false
}
