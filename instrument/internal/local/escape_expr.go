package local

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/typeset"
)

// value visits an expression and returns the class of what it refers to. (instrument/L1)
// New objects have a class of their own; what is loaded from memory, received or
// returned is strange. For values that refer to nothing the class means nothing.
func (x *Escapes) value(e ast.Expr) *class {
	if tv, ok := x.info.Types[e]; ok && (tv.Value != nil || tv.IsType() || tv.IsNil()) {
		return &class{}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return x.value(e.X)
	case *ast.Ident:
		if v := x.local(e); v != nil {
			x.used(v)
			return x.pointee(v)
		}
		if _, ok := x.info.ObjectOf(e).(*types.Var); ok {
			return strange()
		}
		return &class{} // a declared function
	case *ast.FuncLit:
		c := &class{}
		x.lits[e] = c
		x.function(e, nil, e.Type, e.Body)
		return c
	case *ast.CompositeLit:
		for _, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); !ok || !isField(x.info.Uses[id]) {
					x.leak(kv.Key)
				}
				elt = kv.Value
			}
			x.leak(elt)
		}
		return &class{}
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return x.whole(e.X)
		}
		x.value(e.X)
	case *ast.BinaryExpr:
		x.value(e.X)
		x.value(e.Y)
	case *ast.StarExpr:
		x.value(e.X)
	case *ast.TypeAssertExpr:
		x.leak(e.X)
	case *ast.SelectorExpr:
		return x.selector(e)
	case *ast.IndexExpr:
		x.element(e)
	case *ast.IndexListExpr:
		return &class{} // an instantiation
	case *ast.SliceExpr:
		for _, i := range []ast.Expr{e.Low, e.High, e.Max} {
			if i != nil {
				x.value(i)
			}
		}
		if gotypes.IsArray(x.info.TypeOf(e.X)) {
			return x.whole(e.X)
		}
		return x.value(e.X) // a part of the same object
	case *ast.CallExpr:
		return x.call(e)
	case *ast.KeyValueExpr:
		x.leak(e.Key)
		x.leak(e.Value)
	}
	return strange()
}

func isField(obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && v.IsField()
}

// selector visits x.f and x.Method as values.
func (x *Escapes) selector(e *ast.SelectorExpr) *class {
	sel := x.info.Selections[e]
	switch {
	case sel == nil:
		if _, ok := x.info.Uses[e.Sel].(*types.Func); ok {
			return &class{}
		}
	case sel.Kind() == types.MethodVal: // it keeps what it is called on
		if gotypes.PointerReceiver(sel) {
			x.receiver(e, sel).leak()
		} else {
			x.leak(e.X)
		}
	case sel.Kind() == types.FieldVal:
		x.value(e.X)
	}
	return strange()
}

// element visits a[i].
func (x *Escapes) element(e *ast.IndexExpr) {
	t := x.info.TypeOf(e.X)
	x.value(e.X)
	if t != nil && gotypes.IsMap(t) && gotypes.IsInterface(typeset.Core(t).(*types.Map).Key()) {
		x.leak(e.Index)
	} else {
		x.value(e.Index)
	}
}

// whole visits an addressable expression and returns the class of the object that it belongs to.
// (instrument/L2)
func (x *Escapes) whole(e ast.Expr) *class {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return x.whole(e.X)
	case *ast.Ident:
		v := x.local(e)
		if v == nil {
			return strange()
		}
		x.used(v)
		// Anything can be stored in v through its address.
		c := x.pointee(v).find()
		c.foreign = true
		c.leak()
		return x.address(v)
	case *ast.CompositeLit:
		return x.value(e)
	case *ast.StarExpr:
		return x.value(e.X)
	case *ast.SelectorExpr:
		sel := x.info.Selections[e]
		if sel == nil || sel.Kind() != types.FieldVal {
			return strange()
		}
		return x.path(e.X, sel)
	case *ast.IndexExpr:
		x.value(e.Index)
		if gotypes.MayBeArray(x.info.TypeOf(e.X)) {
			return x.whole(e.X)
		}
		return x.value(e.X)
	}
	x.value(e)
	return strange()
}

// path returns the class of the object that x.a.b.f lies in, where a and b are embedded.
func (x *Escapes) path(e ast.Expr, sel *types.Selection) *class {
	for _, f := range gotypes.Embedded(sel) {
		if gotypes.IsPointer(f.Type()) { // loaded on the way
			x.value(e)
			return strange()
		}
	}
	if gotypes.IsPointer(x.info.TypeOf(e)) {
		return x.value(e)
	}
	return x.whole(e)
}

// receiver returns the class of what a method with a pointer receiver is called on.
func (x *Escapes) receiver(e *ast.SelectorExpr, sel *types.Selection) *class {
	return x.path(e.X, sel)
}
