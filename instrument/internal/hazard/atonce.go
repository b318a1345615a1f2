package hazard

import (
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// Values collects the hazards of operands that are evaluated one after the other.
func (h *Hazards) Values(es ...ast.Expr) {
	for _, e := range es {
		if e != nil {
			h.Value(e, nil)
		}
	}
}

// OperandsAtOnce collects the hazards of the operands of e, which is evaluated at once.
func (h *Hazards) OperandsAtOnce(e ast.Expr) {
	w := h.code
	switch x := e.(type) {
	case *ast.SliceExpr: // its indexes are copied first
		rank := h.Rank
		h.Rank++
		if gotypes.IsArray(w.Info.TypeOf(x.X)) {
			h.Address(x.X, nil, nil)
		} else {
			h.Value(x.X, nil)
		}
		h.Rank = rank
		for _, i := range []ast.Expr{x.Low, x.High, x.Max} {
			if i != nil {
				h.Value(i, nil)
			}
		}
	case *ast.CompositeLit: // a map: see mapLiteral
		if h.Deep {
			for _, elt := range x.Elts {
				h.Values(gotypes.Operands(elt)...)
			}
		}
	case *ast.CallExpr:
		if w.CallKind(x) == gotypes.CallBuiltin && w.Builtin(x) == "len" && gotypes.IsArray(w.Info.TypeOf(x.Args[0])) {
			return
		}
		if w.CallKind(x) == gotypes.CallBuiltin && w.Builtin(x) == "append" {
			h.appended(x.Args, x.Ellipsis.IsValid())
			return
		}
		h.Values(x.Args...)
	default:
		h.Values(gotypes.Operands(e)...)
	}
}

// appended collects the hazards of append's operands. If single elements are added, the slice is
// evaluated last, and parts of the operands that are no variable, field, element or indirection
// first (walkAppend and walkAppendArgs of package walk).
func (h *Hazards) appended(args []ast.Expr, spread bool) {
	rank := h.Rank
	if h.Rank = rank + 2; spread {
		h.Rank = rank + 1
	}
	before := h.Before
	h.Before, h.Target = rank, true
	h.Value(args[0], nil)
	h.Rank, h.Before, h.Target = rank, before, false
	h.AppendedElements(args[1:])
}

// AppendedElements collects the hazards of append's operands without the slice.
func (h *Hazards) AppendedElements(args []ast.Expr) {
	rank, before := h.Rank, h.Before
	h.Rank, h.Before, h.Target = rank+1, rank, true
	for _, arg := range args {
		h.Value(arg, nil)
	}
	h.Rank, h.Before, h.Target = rank, before, false
}
