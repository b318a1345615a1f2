package instrument

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/typeset"
)

// ordered lists what the compiler evaluates into variables of its own before anything else of the statement, in that
// order: calls, receives, && and ||, what is evaluated at once, and keys of maps of which it needs the address.
func (w *walker) ordered(e ast.Expr, assigned bool) (parts []ast.Expr) {
	if w.isConstant(e) {
		return nil
	}
	if w.atOnce(e) {
		return []ast.Expr{e}
	}
	switch x := e.(type) {
	case *ast.FuncLit:
		return nil
	case *ast.CallExpr:
		if w.callKind(x) != gotypes.CallConversion {
			return []ast.Expr{e}
		}
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			return []ast.Expr{e}
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return []ast.Expr{e}
		}
	case *ast.IndexExpr:
		if w.isFunc(x.X) {
			return nil
		}
		if w.keyCopied(x) {
			return append(w.ordered(x.X, false), x.Index)
		}
	}
	for _, x := range gotypes.Operands(e) {
		parts = append(parts, w.ordered(x, assigned && gotypes.IsAddressOf(e, x))...)
	}
	return parts
}

// keyCopied says whether the compiler copies the key of m[k] to have an address of it.
func (w *walker) keyCopied(x *ast.IndexExpr) bool {
	m, ok := typeset.Core(w.Info.TypeOf(x.X)).(*types.Map)
	if !ok || w.isConstant(x.Index) || !slowKey(m) {
		return false
	}
	if !types.Identical(m.Key(), w.Info.TypeOf(x.Index)) {
		return true // a conversion
	}
	switch e := ast.Unparen(x.Index).(type) {
	case *ast.SelectorExpr, *ast.StarExpr:
		return w.place(e) == placeValue
	case *ast.IndexExpr:
		return w.place(e) == placeValue
	}
	return true
}

// slowKey says whether the compiler hands the address of a key to the runtime (mapfast of cmd/compile/internal/walk).
func slowKey(m *types.Map) bool {
	if gotypes.DependsOnTypeParam(m.Elem()) || gotypes.Sizes.Sizeof(m.Elem()) > 128 {
		return true
	}
	switch k := m.Key().Underlying().(type) {
	case *types.Basic:
		if k.Info()&types.IsString != 0 {
			return false
		}
		return k.Info()&types.IsInteger == 0 || gotypes.Sizes.Sizeof(k) < 4
	case *types.Pointer, *types.Chan:
		return false
	}
	return true
}
