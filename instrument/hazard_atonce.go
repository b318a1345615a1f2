package instrument

import (
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// values collects the hazards of operands that are evaluated one after the other.
func (h *hazards) values(es ...ast.Expr) {
	for _, e := range es {
		if e != nil {
			h.value(e, nil)
		}
	}
}

// operandsAtOnce collects the hazards of the operands of e, which is evaluated at once.
func (h *hazards) operandsAtOnce(e ast.Expr) {
	w := h.w
	switch x := e.(type) {
	case *ast.SliceExpr: // its indexes are copied first
		rank := h.rank
		h.rank++
		if gotypes.IsArray(w.Info.TypeOf(x.X)) {
			h.address(x.X, nil, nil)
		} else {
			h.value(x.X, nil)
		}
		h.rank = rank
		for _, i := range []ast.Expr{x.Low, x.High, x.Max} {
			if i != nil {
				h.value(i, nil)
			}
		}
	case *ast.CompositeLit: // a map: see mapLiteral
		if h.deep {
			for _, elt := range x.Elts {
				h.values(gotypes.Operands(elt)...)
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
		h.values(x.Args...)
	default:
		h.values(gotypes.Operands(e)...)
	}
}

// appended collects the hazards of append's operands: what is no variable, field, element or indirection in them is evaluated
// first, and the slice last, if single elements are added (walkAppend and walkAppendArgs of package walk).
func (h *hazards) appended(args []ast.Expr, spread bool) {
	rank := h.rank
	if h.rank = rank + 2; spread {
		h.rank = rank + 1
	}
	before := h.before
	h.before, h.target = rank, true
	h.value(args[0], nil)
	h.rank, h.before, h.target = rank, before, false
	h.appendedElements(args[1:])
}

func (h *hazards) appendedElements(args []ast.Expr) {
	rank, before := h.rank, h.before
	h.rank, h.before, h.target = rank+1, rank, true
	for _, arg := range args {
		h.value(arg, nil)
	}
	h.rank, h.before, h.target = rank, before, false
}
