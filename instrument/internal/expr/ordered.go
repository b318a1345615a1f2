package expr

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/typeset"
)

// Ordered lists the parts that the compiler evaluates into variables of its own before all other
// parts of the statement, in that order: calls, receives, && and ||, operands that are evaluated at
// once, and keys of maps whose address it needs.
func (c *Code) Ordered(e ast.Expr, assigned bool) (parts []ast.Expr) {
	if c.IsConstant(e) {
		return nil
	}
	if c.AtOnce(e) {
		return []ast.Expr{e}
	}
	switch x := e.(type) {
	case *ast.FuncLit:
		return nil
	case *ast.CallExpr:
		if c.CallKind(x) != gotypes.CallConversion {
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
		if c.IsFunc(x.X) {
			return nil
		}
		if c.KeyCopied(x) {
			return append(c.Ordered(x.X, false), x.Index)
		}
	}
	for _, x := range gotypes.Operands(e) {
		parts = append(parts, c.Ordered(x, assigned && gotypes.IsAddressOf(e, x))...)
	}
	return parts
}

// KeyCopied reports whether the compiler copies the key of m[k] to have an address of it.
func (c *Code) KeyCopied(x *ast.IndexExpr) bool {
	m, ok := typeset.Core(c.Info.TypeOf(x.X)).(*types.Map)
	if !ok || c.IsConstant(x.Index) || !slowKey(m) {
		return false
	}
	if !types.Identical(m.Key(), c.Info.TypeOf(x.Index)) {
		return true // a conversion
	}
	switch e := ast.Unparen(x.Index).(type) {
	case *ast.SelectorExpr, *ast.StarExpr:
		return c.Place(e) == PlaceValue
	case *ast.IndexExpr:
		return c.Place(e) == PlaceValue
	}
	return true
}

// slowKey reports whether the compiler hands the address of a key to the runtime (mapfast of
// cmd/compile/internal/walk).
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
