package plan

import (
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/hazard"
)

// PhaseOf says when a load is recorded (see walker.read).
func (w *walker) PhaseOf(e ast.Expr) hazard.Phase {
	switch {
	case w.copies || w.trying:
		return hazard.PhaseNow
	case w.marked(e):
		return hazard.PhaseMark
	case w.later(e) && w.region.Attach && w.Pure(e) && !w.Early(e):
		return hazard.PhaseLast
	case w.later(e):
		if _, _, _, ok := w.keepable(e); ok {
			return hazard.PhaseLast
		} else if w.AddressLoads(e) {
			return hazard.PhaseNever
		}
		return hazard.PhaseNow
	case w.region.Mark != nil && w.region.Mark.Pos() >= e.End():
		if w.region.Last != nil {
			return hazard.PhaseLast
		}
		return hazard.PhaseNow
	}
	return hazard.PhaseAfter
}

// hazards begins to collect hazards of the operands at hand.
func (w *walker) hazards() *hazard.Hazards { return hazard.Begin(&w.Code, &w.region.Run, w) }

// order reports whether rewritten code comes to all hazards in the compiler's order, or would if
// the operands now were evaluated at once.
func (w *walker) order(collect func(h *hazard.Hazards)) (now map[ast.Expr]bool, ok bool) {
	return w.hazards().Order(collect)
}

// safe reports whether evaluating e cannot panic, except in a call.
func (w *walker) safe(e ast.Expr) bool {
	h := w.hazards()
	h.Deep = true
	h.Value(e, nil)
	return h.Count() == 0
}

// marked reports whether the recording of e has to wait for the mark of e's region, and can wait.
func (w *walker) marked(e ast.Expr) bool {
	return w.region.Mark != nil && !w.copies && w.region.Mark.Pos() >= e.End() && w.Pure(e) && !w.Early(e)
}
