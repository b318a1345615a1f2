package gotypes

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/internal/typeset"
)

// CallKind tells apart what has the syntax of a call: calls of functions, of built-in functions,
// and conversions.
type CallKind uint8

const (
	CallFunction CallKind = iota
	CallConversion
	CallBuiltin
)

// KindOf is the kind of a call expression.
func KindOf(info *types.Info, e *ast.CallExpr) CallKind {
	switch tv := info.Types[e.Fun]; {
	case tv.IsType():
		return CallConversion
	case tv.IsBuiltin():
		return CallBuiltin
	default:
		return CallFunction
	}
}

// BuiltinName is the name of the built-in function that e calls.
func BuiltinName(e *ast.CallExpr) string {
	switch fun := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr: // unsafe.Sizeof and its like
		return fun.Sel.Name
	}
	return ""
}

// CalleeName is the name of what is called, nil if it has none.
func CalleeName(e *ast.CallExpr) *ast.Ident {
	fun := ast.Unparen(e.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = ast.Unparen(f.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(f.X)
	}
	switch f := fun.(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	}
	return nil
}

// StaticCallee returns the function that a call is certain to run, or nil.
func StaticCallee(info *types.Info, e *ast.CallExpr) *types.Func {
	id := CalleeName(e)
	if id == nil {
		return nil
	}
	fn, ok := info.Uses[id].(*types.Func)
	if !ok {
		return nil
	}
	if recv := fn.Signature().Recv(); recv != nil && (types.IsInterface(recv.Type()) || typeset.IsParam(recv.Type())) {
		return nil
	}
	return fn.Origin()
}

func IdentOf(e ast.Expr) *ast.Ident {
	id, _ := ast.Unparen(e).(*ast.Ident)
	return id
}

// Generic reports whether a function's body is compiled where it is used.
func Generic(fn *types.Func) bool {
	sig := fn.Signature()
	return sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0
}
