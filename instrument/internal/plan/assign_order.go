package plan

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/racepred/racepred/instrument/internal/hazard"
)

// togetherInOrder reports whether the targets of a parallel assignment of quiet values panic in the
// compiler's order if they are all recorded before it, except for those in alone: their loads come
// first, then each assignment.
func (w *walker) togetherInOrder(s *ast.AssignStmt, alone map[ast.Expr]bool) bool {
	if slices.ContainsFunc(s.Rhs, func(e ast.Expr) bool { return !w.Quiet(e) || !w.safe(e) }) {
		return false
	}
	_, ok := w.order(func(h *hazard.Hazards) {
		for i, lhs := range s.Lhs {
			e := ast.Unparen(lhs)
			h.AsCall(w.stored(e, s.Tok) && !alone[lhs], nil, func(c *hazard.AtCall) {
				before := h.Count()
				if h.Address(e, nil, c); h.Count() > before {
					h.Postpone(i + 1)
				}
			})
		}
	})
	return ok
}

// disordered reports whether the targets and values of a parallel assignment could panic in
// different ways.
func (w *walker) disordered(lhs, rhs []ast.Expr) bool {
	h := w.hazards()
	h.Merged = true
	h.Values(rhs...)
	for _, e := range lhs {
		h.Assigned(e, false)
	}
	return h.Mixed()
}

// inMemoryFirst collects the hazards of the values of a short variable declaration. If the compiler
// assigns to memory, it first evaluates the values after it that read memory.
func (w *walker) inMemoryFirst(h *hazard.Hazards, s *ast.AssignStmt) {
	memory := false
	for i, e := range s.Rhs {
		if h.Rank = 100 + i; memory {
			h.Rank = i
		}
		h.Value(e, nil)
		if id, ok := s.Lhs[i].(*ast.Ident); ok {
			v, _ := w.Info.ObjectOf(id).(*types.Var)
			memory = memory || v != nil && w.InMemory(v)
		}
	}
}
