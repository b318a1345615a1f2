package instrument

import (
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// address collects the hazards of computing the address of e; outer is the value that is wanted with it, if any.
func (h *hazards) address(e, outer ast.Expr, c *atCall) {
	w := h.w
	if w.Hoisted[e] != "" {
		return
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		h.address(x.X, outer, c)
	case *ast.Ident:
	case *ast.StarExpr:
		h.value(x.X, c)
		h.add(outer, true, c)
	case *ast.SelectorExpr:
		sel := w.Info.Selections[x]
		switch {
		case sel == nil || w.reached[x] != "":
		case gotypes.IsPointer(w.Info.TypeOf(x.X)):
			h.value(x.X, c)
			h.add(outer, true, c)
		case w.Place(x.X) == expr.PlaceValue:
			h.value(x.X, c)
			if sel.Indirect() {
				h.add(outer, true, c)
			}
		default:
			h.address(x.X, outer, c)
			if sel.Indirect() {
				h.add(outer, true, c)
			}
		}
	case *ast.IndexExpr:
		t := w.Info.TypeOf(x.X)
		switch {
		case gotypes.IsMap(t):
			h.value(x.X, c)
			h.value(x.Index, c)
			return
		case gotypes.IsArray(t):
			h.address(x.X, outer, c)
			h.value(x.Index, c)
		case gotypes.ArrayPointer(t) != nil:
			h.value(x.X, c)
			h.add(outer, true, c)
			h.value(x.Index, c)
		default:
			h.value(x.X, c)
			h.value(x.Index, c)
			h.add(outer, false, c)
			return
		}
		if !w.IsConstant(x.Index) {
			h.add(outer, false, c)
		}
	default:
		h.value(e, c)
	}
}

// itself adds what e, which is evaluated at once, could panic with when its operands did not.
func (h *hazards) itself(e ast.Expr) {
	switch x := e.(type) {
	case *ast.SliceExpr:
		if x.Low != nil || x.High != nil || gotypes.ArrayPointer(h.w.Info.TypeOf(x.X)) != nil {
			h.add(nil, false, nil)
		}
	case *ast.TypeAssertExpr:
		h.add(nil, false, nil)
	case *ast.CallExpr:
		if h.w.CallKind(x) == gotypes.CallBuiltin && h.w.Builtin(x) == "make" {
			for _, arg := range x.Args[1:] {
				if !h.w.IsConstant(arg) {
					h.add(nil, false, nil)
				}
			}
		}
	}
}

// assigned collects the hazards of the target of a single assignment, whose value has the rank 1. Others could see whether it
// was recorded as written.
func (h *hazards) assigned(e ast.Expr, stored bool) {
	e = ast.Unparen(e)
	if x, ok := e.(*ast.IndexExpr); ok && gotypes.IsMap(h.w.Info.TypeOf(x.X)) {
		h.rank = 2
		h.value(x.X, nil)
		if h.w.KeyCopied(x) {
			h.rank = 0
		}
		h.value(x.Index, nil)
		h.rank = 2
		h.add(nil, false, nil) // there may be no map
		return
	}
	h.rank, h.before, h.target = 2, 0, true
	h.asCall(stored, nil, func(c *atCall) {
		h.address(e, nil, c)
		if stored {
			h.add(nil, false, c)
		}
	})
	h.target = false
}

// updated is the same for x op= y.
func (h *hazards) updated(e ast.Expr, stored bool) {
	e = ast.Unparen(e)
	h.rank, h.before, h.target = 1, 0, true
	outer, r := h.phase, h.w.region
	switch h.phase = phaseAfter; {
	case r.mark != nil && r.mark.Pos() >= e.End():
		h.phase = phaseMark
	case h.w.later(e) && r.attach:
		h.phase = phaseLast
	case h.w.later(e):
		h.phase = phaseNow
	}
	h.asCall(stored, nil, func(c *atCall) { h.address(e, nil, c) })
	h.phase, h.target = outer, false
}

// write notes that a write is recorded when all that was collected before has not panicked.
func (h *hazards) write() {
	h.after(func() { h.call(func(c *atCall) { h.add(nil, false, c) }) })
}
