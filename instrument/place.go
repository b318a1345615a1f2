package instrument

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// place says where an expression's value lies.
type place uint8

const (
	placeValue  place = iota // nowhere: a temporary
	placeLocal               // in a variable only this goroutine can reach
	placeShared              // in a variable or memory that others could reach
)

// place finds out where e lies. Map elements are temporaries: they cannot be
// addressed, and the runtime records them.
func (w *walker) place(e ast.Expr) place {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.place(e.X)
	case *ast.Ident:
		v, ok := w.Info.ObjectOf(e).(*types.Var)
		switch {
		case !ok:
			return placeValue
		case w.isShared(v):
			return placeShared
		default:
			return placeLocal
		}
	case *ast.StarExpr:
		if tv := w.Info.Types[e]; tv.IsType() {
			return placeValue
		}
		return w.behind(e.X)
	case *ast.SelectorExpr:
		sel := w.Info.Selections[e]
		switch {
		case sel == nil:
			if _, ok := w.Info.Uses[e.Sel].(*types.Var); ok {
				return placeShared
			}
			return placeValue
		case sel.Kind() != types.FieldVal:
			return placeValue
		case gotypes.IsPointer(w.Info.TypeOf(e.X)) && !gotypes.HasPointer(gotypes.Embedded(sel)):
			return w.behind(e.X)
		case sel.Indirect():
			return placeShared
		default:
			return w.place(e.X)
		}
	case *ast.IndexExpr:
		t := w.Info.TypeOf(e.X)
		if t == nil {
			return placeValue
		}
		switch {
		case gotypes.IsSlice(t) || gotypes.ArrayPointer(t) != nil:
			return w.behind(e.X)
		case gotypes.IsArray(t):
			return w.place(e.X)
		}
	}
	return placeValue
}

// behind says where lies what x, a pointer or a slice, refers to. (L1)
func (w *walker) behind(x ast.Expr) place {
	if w.owned(x) || w.literal(x) {
		return placeLocal
	}
	return placeShared
}

// literal says whether x is a slice or the address of what is made where it stands.
func (w *walker) literal(x ast.Expr) bool {
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		x = ast.Unparen(u.X)
	}
	_, ok := x.(*ast.CompositeLit)
	return ok
}

// owned says whether x is a local variable, and all that it refers to is new and
// stays with this goroutine.
func (w *walker) owned(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := w.Info.ObjectOf(id).(*types.Var)
	return ok && !w.isShared(v) && w.locals != nil && w.locals.Escapes.Object(v)
}
