package hazard

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/typeset"
)

func (h *Hazards) conversion(x *ast.CallExpr, c *AtCall) {
	to, from := h.code.Info.TypeOf(x), h.code.Info.TypeOf(x.Args[0])
	array := gotypes.IsArray(to) || gotypes.ArrayPointer(to) != nil
	switch {
	case gotypes.IsSlice(from) && array:
		h.at(gotypes.IsArray(to) && c == nil, x, func() { h.AsCall(gotypes.IsArray(to), c, func(c *AtCall) { h.Value(x.Args[0], c) }) })
		h.Add(x, false, c)
	case gotypes.IsInterface(to) && !gotypes.IsInterface(from) && !gotypes.PointerShaped(from), gotypes.IsString(to) != gotypes.IsString(from), typeset.IsParam(to), typeset.IsParam(from):
		h.rare(func() { h.Value(x.Args[0], c) })
	default:
		h.Value(x.Args[0], c)
	}
}

// receiver collects the hazards of x in x.Method.
func (h *Hazards) receiver(x *ast.SelectorExpr, sel *types.Selection, c *AtCall) {
	t := h.code.Info.TypeOf(x.X)
	outer := h.phase
	defer func() { h.phase = outer }()
	if c == nil && !h.fixed {
		h.phase = h.rewrite.PhaseOf(x)
	}
	byValue := !gotypes.PointerReceiver(sel) && !gotypes.IsInterface(t) && !typeset.IsParam(t)
	switch {
	case gotypes.IsInterface(t):
		h.Value(x.X, c)
		h.Add(nil, true, c)
	case gotypes.IsPointer(t) || h.code.Place(x.X) == expr.PlaceValue:
		h.AsCall(gotypes.IsPointer(t) && byValue || gotypes.HasPointer(gotypes.Embedded(sel)), c, func(own *AtCall) {
			if h.Value(x.X, own); own != c {
				h.Add(nil, true, own)
			}
		})
	case byValue:
		h.AsCall(h.code.Place(x.X) == expr.PlaceShared, c, func(c *AtCall) { h.Address(x.X, nil, c) })
	default:
		h.Address(x.X, nil, c)
	}
}

// OperandsOf collects the hazards of the operands of a call. The receiver of a method is its first
// argument. A function that is known only when it runs is loaded after the arguments.
func (h *Hazards) OperandsOf(e *ast.CallExpr) {
	if h.code.Static(e) == nil && !h.Spawned {
		h.Rank = 1
	}
	h.Callee(e)
	h.Rank = 0
	h.Arguments(e)
}

// Callee collects the hazards of the function of a call.
func (h *Hazards) Callee(e *ast.CallExpr) {
	w := h.code
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && w.Info.Selections[sel] != nil && w.Info.Selections[sel].Kind() == types.MethodVal {
		h.receiver(sel, w.Info.Selections[sel], nil)
	} else if !w.StaticFunc(e.Fun) {
		h.Value(e.Fun, nil)
	}
}

// Arguments collects the hazards of the arguments of a call.
func (h *Hazards) Arguments(e *ast.CallExpr) {
	params, _ := typeset.Core(h.code.Info.TypeOf(e.Fun)).(*types.Signature)
	for i, arg := range e.Args {
		if params != nil && h.boxed(params, i, arg, e.Ellipsis.IsValid()) {
			h.rare(func() { h.Value(arg, nil) })
		} else {
			h.Value(arg, nil)
		}
	}
}

// boxed reports whether the i-th argument becomes an interface that holds a pointer to a copy of
// it, or an element of a variadic slice.
func (h *Hazards) boxed(sig *types.Signature, i int, arg ast.Expr, spread bool) bool {
	last := sig.Params().Len() - 1
	if sig.Variadic() && i >= last {
		return !spread
	}
	if i > last {
		return false
	}
	return gotypes.IsInterface(sig.Params().At(i).Type()) && !gotypes.IsInterface(h.code.Info.TypeOf(arg)) && !gotypes.PointerShaped(h.code.Info.TypeOf(arg))
}
