package plan

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/hazard"
	"github.com/racepred/racepred/instrument/internal/site"
)

// assignOne visits x = y and x := y.
func (w *walker) assignOne(s *ast.AssignStmt) {
	lhs, rhs := s.Lhs[0], s.Rhs[0]
	if inPlace, large := w.assignsInPlace(rhs); !inPlace && !large {
		defer w.hoistCalls(s.Lhs, s)()
	}
	defer w.enter(lhs, rhs)()
	w.assignOneTo(s.Tok, lhs, rhs)
}

// assignsInPlace reports whether an assignment of rhs is recorded before rhs is evaluated: because
// rhs is quiet, or because it is large.
func (w *walker) assignsInPlace(rhs ast.Expr) (quiet, large bool) {
	if w.Quiet(rhs) && w.safe(rhs) {
		return true, false
	}
	return false, !w.HasPoint(rhs) && w.large(rhs)
}

// carried reports whether a write of lhs can be recorded after rhs.
func (w *walker) carried(lhs, rhs ast.Expr) bool {
	return w.Pure(lhs) && !(w.HasPoint(rhs) && w.Early(lhs))
}

// assignOneTo is assignOne after the calls in the target were hoisted.
func (w *walker) assignOneTo(tok token.Token, lhs, rhs ast.Expr) {
	inPlace, large := w.assignsInPlace(rhs)
	stored := w.stored(lhs, tok)
	values, targets := []ast.Expr{rhs}, []ast.Expr{lhs}
	if tok == token.DEFINE {
		targets = nil
	}
	visit := func() { w.assignValue(tok, lhs, rhs, stored, inPlace || large) }
	switch {
	case w.stmt != nil && w.stmt.piece && w.MapElement(lhs):
		w.inOrder(func(h *hazard.Hazards) { h.Assigned(lhs, false); h.Rank = 3; h.Value(rhs, nil) }, values, targets, false, visit)
	case large && stored && w.Place(rhs) == expr.PlaceShared && w.Pure(lhs) && !w.covered(site.OpRead, rhs):
		// Replace  x.f = y.g
		//
		// with x.f = *runtime.RacepredAfter(runtime.RacepredR(&y.g, site), runtime.RacepredW(&x.f,
		// site))
		w.inOrder(func(h *hazard.Hazards) { h.Rank = 1; h.Value(rhs, nil); h.After(func() { h.Assigned(lhs, true) }) }, values, targets, false, func() {
			w.hoistedOnly(lhs)
			r := w.recorder(site.OpRead, rhs)
			w.accessed(site.OpRead, rhs)
			w.Insert(RuleAfter, rhs.Pos(), "*"+w.Runtime+".RacepredAfter("+r.name+"(&")
			w.addr(rhs)
			w.Insert(RuleAfter, rhs.End(), r.rest()+", "+w.pointerAt(rhs.End(), site.OpWrite, ast.Unparen(lhs))+")")
		})
	case stored && !inPlace && !large && !w.carried(lhs, rhs):
		w.inOrder(func(h *hazard.Hazards) { h.Assigned(lhs, false); h.Rank = 1; h.Value(rhs, nil) }, values, targets, false, visit)
	case stored && !inPlace && !large:
		w.inOrder(func(h *hazard.Hazards) { h.Rank = 1; h.Value(rhs, nil); h.After(func() { h.Assigned(lhs, true) }) }, values, targets, false, visit)
	case stored || tok == token.DEFINE:
		w.inOrder(func(h *hazard.Hazards) {
			if targets != nil {
				h.Assigned(lhs, stored)
			}
			h.Rank = 1
			h.Value(rhs, nil)
		}, values, targets, false, visit)
	default:
		_, ok := w.order(func(h *hazard.Hazards) { h.Assigned(lhs, false); h.Rank = 1; h.Value(rhs, nil) })
		loads := w.LoadsIn(lhs)
		if ok || len(loads) == 0 || w.copies || w.trying || !w.Typed(rhs) || slices.ContainsFunc(loads, func(e ast.Expr) bool { return !w.Pure(e) || w.HasPoint(rhs) && w.Early(e) }) {
			w.inOrder(func(h *hazard.Hazards) { h.Assigned(lhs, false); h.Rank = 1; h.Value(rhs, nil) }, values, targets, false, visit)
			return
		}
		w.inOrder(func(h *hazard.Hazards) { h.Rank = 1; h.Value(rhs, nil); h.After(func() { h.Assigned(lhs, false) }) }, values, targets, false, func() { w.afterValue(lhs, rhs, loads) })
	}
}

// assignValue records a single assignment, in place or after the value.
func (w *walker) assignValue(tok token.Token, lhs, rhs ast.Expr, stored, inPlace bool) {
	switch {
	case !stored:
		if tok != token.DEFINE {
			w.target(lhs)
		}
		w.value(rhs)
	case inPlace:
		w.writeInPlace(lhs)
		w.value(rhs)
	case w.pushes(tok, lhs, rhs):
		w.push(rhs)
	default:
		writes := w.copyable([]ast.Expr{lhs}, w.HasPoint(rhs))
		for _, e := range writes {
			w.hoistedOnly(e)
		}
		if len(writes) == 0 {
			w.value(rhs)
			return
		}
		w.after(rhs, lhs, writes)
	}
}

// afterValue records the loads of a target that is not recorded itself after the value.
//
// Replace  x.m[k] = s[i]
//
//	with  x.m[k] = runtime.RacepredAfter((*runtime.RacepredR(&s[i], site)), runtime.RacepredR(&x.m, site))
func (w *walker) afterValue(lhs, rhs ast.Expr, loads []ast.Expr) {
	w.hoistedOnly(lhs)
	if x, ok := ast.Unparen(lhs).(*ast.IndexExpr); ok && gotypes.IsMap(w.Info.TypeOf(x.X)) {
		w.nameSite(site.OpMap, x.X.Pos(), x.X)
	}
	for range loads {
		w.Insert(RuleAfter, rhs.Pos(), w.Runtime+".RacepredAfter(")
	}
	w.value(rhs)
	for _, e := range loads {
		w.Insert(RuleAfter, rhs.End(), ", "+w.pointerAt(rhs.End(), site.OpRead, e)+")")
	}
}
