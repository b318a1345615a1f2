package expr

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// place says where an expression's value lies.
type place uint8

const (
	PlaceValue  place = iota // nowhere: a temporary
	PlaceLocal               // in a variable only this goroutine can reach
	PlaceShared              // in a variable or memory that others could reach
)

// Place finds out where e lies. Map elements are temporaries: they cannot be
// addressed, and the runtime records them.
func (c *Code) Place(e ast.Expr) place {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.Place(e.X)
	case *ast.Ident:
		v, ok := c.Info.ObjectOf(e).(*types.Var)
		switch {
		case !ok:
			return PlaceValue
		case c.IsShared(v):
			return PlaceShared
		default:
			return PlaceLocal
		}
	case *ast.StarExpr:
		if tv := c.Info.Types[e]; tv.IsType() {
			return PlaceValue
		}
		return c.Behind(e.X)
	case *ast.SelectorExpr:
		sel := c.Info.Selections[e]
		switch {
		case sel == nil:
			if _, ok := c.Info.Uses[e.Sel].(*types.Var); ok {
				return PlaceShared
			}
			return PlaceValue
		case sel.Kind() != types.FieldVal:
			return PlaceValue
		case gotypes.IsPointer(c.Info.TypeOf(e.X)) && !gotypes.HasPointer(gotypes.Embedded(sel)):
			return c.Behind(e.X)
		case sel.Indirect():
			return PlaceShared
		default:
			return c.Place(e.X)
		}
	case *ast.IndexExpr:
		t := c.Info.TypeOf(e.X)
		if t == nil {
			return PlaceValue
		}
		switch {
		case gotypes.IsSlice(t) || gotypes.ArrayPointer(t) != nil:
			return c.Behind(e.X)
		case gotypes.IsArray(t):
			return c.Place(e.X)
		}
	}
	return PlaceValue
}

// Behind finds out where the memory lies that x, a pointer or a slice, refers to. (instrument/L1)
func (c *Code) Behind(x ast.Expr) place {
	if c.Owned(x) || c.literal(x) {
		return PlaceLocal
	}
	return PlaceShared
}

// literal reports whether x is a slice, or the address of an object, that is made where it stands.
func (c *Code) literal(x ast.Expr) bool {
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		x = ast.Unparen(u.X)
	}
	_, ok := x.(*ast.CompositeLit)
	return ok
}

// Owned reports whether x is a local variable, and everything that it refers to is new and
// stays with this goroutine.
func (c *Code) Owned(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := c.Info.ObjectOf(id).(*types.Var)
	return ok && !c.IsShared(v) && c.Locals != nil && c.Locals.Escapes.Object(v)
}
