package hazard

import (
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// Address collects the hazards of computing the address of e. outer is the value that needs the
// address, if any.
func (h *Hazards) Address(e, outer ast.Expr, c *AtCall) {
	w := h.code
	if w.Hoisted[e] != "" {
		return
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		h.Address(x.X, outer, c)
	case *ast.Ident:
	case *ast.StarExpr:
		h.Value(x.X, c)
		h.Add(outer, true, c)
	case *ast.SelectorExpr:
		sel := w.Info.Selections[x]
		switch {
		case sel == nil || w.Reached[x] != "":
		case gotypes.IsPointer(w.Info.TypeOf(x.X)):
			h.Value(x.X, c)
			h.Add(outer, true, c)
		case w.Place(x.X) == expr.PlaceValue:
			h.Value(x.X, c)
			if sel.Indirect() {
				h.Add(outer, true, c)
			}
		default:
			h.Address(x.X, outer, c)
			if sel.Indirect() {
				h.Add(outer, true, c)
			}
		}
	case *ast.IndexExpr:
		t := w.Info.TypeOf(x.X)
		switch {
		case gotypes.IsMap(t):
			h.Value(x.X, c)
			h.Value(x.Index, c)
			return
		case gotypes.IsArray(t):
			h.Address(x.X, outer, c)
			h.Value(x.Index, c)
		case gotypes.ArrayPointer(t) != nil:
			h.Value(x.X, c)
			h.Add(outer, true, c)
			h.Value(x.Index, c)
		default:
			if gotypes.MayBeArray(t) {
				h.Address(x.X, outer, c)
			} else {
				h.Value(x.X, c)
			}
			h.Value(x.Index, c)
			h.Add(outer, false, c)
			return
		}
		if !w.IsConstant(x.Index) {
			h.Add(outer, false, c)
		}
	default:
		h.Value(e, c)
	}
}

// itself adds the hazards of e, which is evaluated at once, that are not hazards of its operands.
func (h *Hazards) itself(e ast.Expr) {
	switch x := e.(type) {
	case *ast.SliceExpr:
		if x.Low != nil || x.High != nil || gotypes.ArrayPointer(h.code.Info.TypeOf(x.X)) != nil {
			h.Add(nil, false, nil)
		}
	case *ast.TypeAssertExpr:
		h.Add(nil, false, nil)
	case *ast.CallExpr:
		if h.code.CallKind(x) == gotypes.CallBuiltin && h.code.Builtin(x) == "make" {
			for _, arg := range x.Args[1:] {
				if !h.code.IsConstant(arg) {
					h.Add(nil, false, nil)
				}
			}
		}
	}
}

// Assigned collects the hazards of the target of a single assignment, whose value has the rank 1.
// stored says whether the write is recorded.
func (h *Hazards) Assigned(e ast.Expr, stored bool) {
	e = ast.Unparen(e)
	if x, ok := e.(*ast.IndexExpr); ok && gotypes.IsMap(h.code.Info.TypeOf(x.X)) {
		h.Rank = 2
		h.Value(x.X, nil)
		if h.code.KeyCopied(x) {
			h.Rank = 0
		}
		h.Value(x.Index, nil)
		h.Rank = 2
		h.Add(nil, false, nil) // there may be no map
		return
	}
	h.Rank, h.Before, h.Target = 2, 0, true
	h.AsCall(stored, nil, func(c *AtCall) {
		h.Address(e, nil, c)
		if stored {
			h.Add(nil, false, c)
		}
	})
	h.Target = false
}

// Updated is the same for x op= y.
func (h *Hazards) Updated(e ast.Expr, stored bool) {
	e = ast.Unparen(e)
	h.Rank, h.Before, h.Target = 1, 0, true
	outer, r := h.phase, h.run
	switch h.phase = PhaseAfter; {
	case r.Mark != nil && r.Mark.Pos() >= e.End():
		h.phase = PhaseMark
	case h.run.Later(e) && r.Attach:
		h.phase = PhaseLast
	case h.run.Later(e):
		h.phase = PhaseNow
	}
	h.AsCall(stored, nil, func(c *AtCall) { h.Address(e, nil, c) })
	h.phase, h.Target = outer, false
}

// Write adds the recording of a write that is done when nothing collected before has panicked.
func (h *Hazards) Write() {
	h.After(func() { h.call(func(c *AtCall) { h.Add(nil, false, c) }) })
}
