package instrument

import (
	"go/ast"
	"go/types"
)

func (h *hazards) conversion(x *ast.CallExpr, c *atCall) {
	to, from := h.w.Info.TypeOf(x), h.w.Info.TypeOf(x.Args[0])
	array := isArray(to) || arrayPointer(to) != nil
	switch {
	case isSlice(from) && array:
		h.at(isArray(to) && c == nil, x, func() { h.asCall(isArray(to), c, func(c *atCall) { h.value(x.Args[0], c) }) })
		h.add(x, false, c)
	case isInterface(to) && !isInterface(from) && !pointerShaped(from), isString(to) != isString(from), isTypeParam(to), isTypeParam(from):
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
	byValue := !pointerReceiver(sel) && !isInterface(t) && !isTypeParam(t)
	switch {
	case isInterface(t):
		h.value(x.X, c)
		h.add(nil, true, c)
	case isPointer(t) || h.w.place(x.X) == placeValue:
		h.value(x.X, c)
		if isPointer(t) && byValue || hasPointer(embedded(sel)) {
			h.call(func(c *atCall) { h.add(nil, true, c) })
		}
	case byValue:
		h.asCall(h.w.place(x.X) == placeShared, c, func(c *atCall) { h.address(x.X, nil, c) })
	default:
		h.address(x.X, nil, c)
	}
}
