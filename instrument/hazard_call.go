package instrument

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/typeset"
)

func (h *hazards) conversion(x *ast.CallExpr, c *atCall) {
	to, from := h.w.Info.TypeOf(x), h.w.Info.TypeOf(x.Args[0])
	array := gotypes.IsArray(to) || gotypes.ArrayPointer(to) != nil
	switch {
	case gotypes.IsSlice(from) && array:
		h.at(gotypes.IsArray(to) && c == nil, x, func() { h.asCall(gotypes.IsArray(to), c, func(c *atCall) { h.value(x.Args[0], c) }) })
		h.add(x, false, c)
	case gotypes.IsInterface(to) && !gotypes.IsInterface(from) && !gotypes.PointerShaped(from), gotypes.IsString(to) != gotypes.IsString(from), typeset.IsParam(to), typeset.IsParam(from):
		h.rare(func() { h.value(x.Args[0], c) })
	default:
		h.value(x.Args[0], c)
	}
}

// receiver collects the hazards of x in x.Method.
func (h *hazards) receiver(x *ast.SelectorExpr, sel *types.Selection, c *atCall) {
	t := h.w.Info.TypeOf(x.X)
	outer := h.phase
	defer func() { h.phase = outer }()
	if c == nil && !h.fixed {
		h.phase = h.w.phaseOf(x)
	}
	byValue := !gotypes.PointerReceiver(sel) && !gotypes.IsInterface(t) && !typeset.IsParam(t)
	switch {
	case gotypes.IsInterface(t):
		h.value(x.X, c)
		h.add(nil, true, c)
	case gotypes.IsPointer(t) || h.w.Place(x.X) == expr.PlaceValue:
		h.asCall(gotypes.IsPointer(t) && byValue || gotypes.HasPointer(gotypes.Embedded(sel)), c, func(own *atCall) {
			if h.value(x.X, own); own != c {
				h.add(nil, true, own)
			}
		})
	case byValue:
		h.asCall(h.w.Place(x.X) == expr.PlaceShared, c, func(c *atCall) { h.address(x.X, nil, c) })
	default:
		h.address(x.X, nil, c)
	}
}

// operandsOf collects the hazards of a call. The receiver of a method is its first argument, and what is called is
// found out after the arguments.
func (h *hazards) operandsOf(e *ast.CallExpr) {
	if h.w.Static(e) == nil && !h.spawned {
		h.rank = 1
	}
	h.callee(e)
	h.rank = 0
	h.arguments(e)
}

func (h *hazards) callee(e *ast.CallExpr) {
	w := h.w
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && w.Info.Selections[sel] != nil && w.Info.Selections[sel].Kind() == types.MethodVal {
		h.receiver(sel, w.Info.Selections[sel], nil)
	} else if !w.StaticFunc(e.Fun) {
		h.value(e.Fun, nil)
	}
}

func (h *hazards) arguments(e *ast.CallExpr) {
	params, _ := typeset.Core(h.w.Info.TypeOf(e.Fun)).(*types.Signature)
	for i, arg := range e.Args {
		if params != nil && h.w.boxed(params, i, arg, e.Ellipsis.IsValid()) {
			h.rare(func() { h.value(arg, nil) })
		} else {
			h.value(arg, nil)
		}
	}
}

// boxed says whether the i-th argument becomes an interface that holds a pointer to a copy of it, or an element of a slice.
func (w *walker) boxed(sig *types.Signature, i int, arg ast.Expr, spread bool) bool {
	last := sig.Params().Len() - 1
	if sig.Variadic() && i >= last {
		return !spread
	}
	if i > last {
		return false
	}
	return gotypes.IsInterface(sig.Params().At(i).Type()) && !gotypes.IsInterface(w.Info.TypeOf(arg)) && !gotypes.PointerShaped(w.Info.TypeOf(arg))
}
