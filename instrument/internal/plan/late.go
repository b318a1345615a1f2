package plan

import (
	"go/ast"
	"slices"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/hazard"
	"github.com/racepred/racepred/instrument/internal/site"
)

// loadedLate reports whether the loads of first should be recorded after last: the compiler
// evaluates first then, and a call can be put around last.
func (w *walker) loadedLate(collect func(h *hazard.Hazards), first, last ast.Expr) bool {
	if w.copies || w.trying || w.region.Last != nil || w.region.Mark != nil || !w.Typed(last) || !w.SingleValue(last) {
		return false
	}
	_, ok := w.order(collect)
	return !ok && w.Pure(first)
}

// loadable reports whether the addresses of loads can be computed elsewhere.
func (w *walker) loadable(loads []ast.Expr) bool {
	return len(loads) > 0 && !slices.ContainsFunc(loads, func(e ast.Expr) bool { return !w.Pure(e) || w.Early(e) })
}

// withLoads visits e and records loads after it.
func (w *walker) withLoads(e ast.Expr, loads []ast.Expr) {
	for range loads {
		w.Insert(RuleAfter, e.Pos(), w.Runtime+".RacepredAfter(")
	}
	w.value(e)
	for _, x := range loads {
		w.accessed(site.OpRead, x)
		w.Insert(RuleAfter, e.End(), ", "+w.pointerAt(e.End(), site.OpRead, x)+")")
	}
}

// appendsLate reports whether the load of append's slice is to be recorded after the elements.
func (w *walker) appendsLate(e *ast.CallExpr, collect func(h *hazard.Hazards)) bool {
	if w.CallKind(e) != gotypes.CallBuiltin || w.Builtin(e) != "append" || len(e.Args) < 2 || w.Place(e.Args[0]) != expr.PlaceShared {
		return false
	}
	s, last := e.Args[0], e.Args[len(e.Args)-1]
	if !gotypes.IsSlice(w.Info.TypeOf(s)) || w.Fresh(s) || !w.loadedLate(collect, s, last) || !w.loadable([]ast.Expr{s}) {
		return false
	}
	now, ok := w.order(func(h *hazard.Hazards) {
		h.AppendedElements(e.Args[1:])
		h.Rank, h.Before, h.Target = 2, -1, true
		h.After(func() { h.Value(s, nil) })
	})
	w.region.now, w.region.sliceLate = now, ok
	return ok
}
