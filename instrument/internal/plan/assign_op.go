package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/hazard"
	"github.com/racepred/racepred/instrument/internal/redundancy"
	"github.com/racepred/racepred/instrument/internal/site"
)

// opAssign visits x op= y. It returns the operation if x op= y is recorded as such, or covered
// (W7).
//
// Replace  x.f += 2
//
//	with  *runtime.RacepredW(runtime.RacepredR(&x.f, site), site) += 2
//
// Replace  x.f += g()
//
//	with  x.f += runtime.RacepredAfter(g(), runtime.RacepredW(runtime.RacepredR(&x.f, site), site))
func (w *walker) opAssign(s *ast.AssignStmt) (op redundancy.Operation) {
	lhs, rhs := ast.Unparen(s.Lhs[0]), s.Rhs[0]
	if !w.Quiet(rhs) {
		defer w.hoistCalls(s.Lhs, s)()
	}
	defer w.enter(lhs, rhs)()
	w.region.updated = lhs
	op = redundancy.OperationOf(w.Info, lhs, s.Tok)
	stored := w.stored(lhs, s.Tok) && w.modifies(op, lhs)
	lhsFirst := func(h *hazard.Hazards) {
		if x, ok := lhs.(*ast.IndexExpr); ok && gotypes.IsMap(w.Info.TypeOf(x.X)) && s.Tok != token.QUO_ASSIGN && s.Tok != token.REM_ASSIGN {
			h.Assigned(lhs, false)
		} else {
			h.Updated(lhs, stored)
		}
		h.Rank = 1
		h.Value(rhs, nil)
	}
	switch {
	case !stored:
		w.inOrder(lhsFirst, s.Rhs, s.Lhs, false, func() {
			w.target(lhs)
			w.value(rhs)
		})
	case w.Quiet(rhs) && w.safe(rhs):
		w.updateInPlace(op, lhs)
		w.value(rhs)
	case !w.carried(lhs, rhs):
		stored, op = false, 0
		w.inOrder(lhsFirst, s.Rhs, s.Lhs, false, func() {
			w.miss(lhs, WhyLateOperand)
			w.addr(lhs)
			w.value(rhs)
		})
	default:
		h := w.hazards()
		h.Deep = true
		lhsFirst(h)
		if !h.Mixed() {
			w.updateAfter(s, op, lhs, rhs, true)
			return op
		}
		w.inOrder(func(h *hazard.Hazards) { lhsFirst(h); h.Rank = 2; h.Write() }, s.Rhs, s.Lhs, false, func() { w.updateAfter(s, 0, lhs, rhs, false) })
		op = 0
	}
	return op
}

// updateAfter records x op= y when y has been evaluated: the read of x before y, or after the last
// call in y, the write after y. If any order will do, both come after y, and the operation may be
// recorded as such.
func (w *walker) updateAfter(s *ast.AssignStmt, op redundancy.Operation, lhs, rhs ast.Expr, anyOrder bool) {
	fn, suffix := "RacepredUpdate", ""
	if !w.Typed(rhs) {
		shift := s.Tok == token.SHL_ASSIGN || s.Tok == token.SHR_ASSIGN
		if shift || !types.Identical(w.Info.TypeOf(rhs), w.Info.TypeOf(lhs)) {
			w.miss(lhs, WhyUntyped)
			w.addr(lhs)
			w.value(rhs)
			return
		}
		suffix = "T"
	}
	markAfter := w.region.Mark != nil && w.region.Mark.Pos() >= lhs.End()
	if !anyOrder && !w.HasPoint(rhs) && w.region.Mark == nil && !w.copies && w.stmt != nil && w.stmt.listed && w.stmt.gap.In(w.Text) && len(w.Hoisted) == 0 && w.Pure(lhs) {
		// Replace  a[i] += b[j]
		//
		// with { t1 := runtime.RacepredR(&a[i], site); *t1 +=
		// runtime.RacepredAfter((*runtime.RacepredR(&b[j], site)), runtime.RacepredW(t1, site)) }
		t := w.Temp()
		pointer := w.pointer(site.OpRead, lhs)
		w.Replace(RuleAfter, lhs, "{ "+t+" := "+pointer+"; *"+t)
		w.Around(RuleAfter, rhs, w.Runtime+".RacepredAfter"+suffix+"(", func() { w.value(rhs) }, ", "+w.recorder(site.OpWrite, lhs).on(t)+")")
		w.Insert(RuleAfter, s.End(), " }")
		return
	}
	w.hoistedOnly(lhs)
	switch {
	case anyOrder:
		w.Insert(RuleAfter, rhs.Pos(), w.Runtime+".RacepredAfter"+suffix+"(")
		w.value(rhs)
		pointer := ""
		if op != 0 {
			pointer = w.modifierAt(rhs.End(), op, lhs)
		} else {
			pointer = w.recorder(site.OpWrite, lhs).on(w.pointerAt(rhs.End(), site.OpRead, lhs))
		}
		w.Insert(RuleAfter, rhs.End(), ", "+pointer+")")
		return
	case w.covered(site.OpRead, lhs):
		w.drop(site.OpRead, lhs)
		fn = "RacepredAfter"
		w.Insert(RuleAfter, rhs.Pos(), w.Runtime+"."+fn+suffix+"(")
	case markAfter:
		w.accessed(site.OpRead, lhs)
		w.region.waiting = append(w.region.waiting, w.pointerAt(w.region.Mark.End(), site.OpRead, lhs))
		fn = "RacepredAfter"
		w.Insert(RuleAfter, rhs.Pos(), w.Runtime+"."+fn+suffix+"(")
	case w.region.Last != nil && w.region.Attach:
		w.accessed(site.OpRead, lhs)
		w.region.pending = append(w.region.pending, w.pointerAt(w.region.Last.End(), site.OpRead, lhs))
		fn = "RacepredAfter"
		w.Insert(RuleAfter, rhs.Pos(), w.Runtime+"."+fn+suffix+"(")
	default:
		w.Insert(RuleAfter, rhs.Pos(), w.Runtime+"."+fn+suffix+"("+w.pointerAt(rhs.Pos(), site.OpRead, lhs)+", ")
	}
	w.value(rhs)
	w.Insert(RuleAfter, rhs.End(), ", "+w.pointerAt(rhs.End(), site.OpWrite, lhs)+")")
}

// updateInPlace records x++ and x += 2 in place: as the operation, or as a read and a write of x.
func (w *walker) updateInPlace(op redundancy.Operation, x ast.Expr) {
	if op != 0 {
		r := w.modifier(op, x)
		w.Insert(RuleWrite, x.Pos(), "*"+r.name+"(&")
		w.addr(x)
		w.Insert(RuleWrite, x.End(), r.rest())
		return
	}
	if w.covered(site.OpRead, x) {
		w.drop(site.OpRead, x)
		w.writeInPlace(x)
		return
	}
	read, write := w.recorder(site.OpRead, x), w.recorder(site.OpWrite, x)
	w.Insert(RuleWrite, x.Pos(), "*"+write.name+"("+read.name+"(&")
	w.addr(x)
	w.Insert(RuleWrite, x.End(), read.rest()+write.rest())
}

func (w *walker) incDec(s *ast.IncDecStmt) redundancy.Operation {
	x := ast.Unparen(s.X)
	op := redundancy.OperationOf(w.Info, x, s.Tok)
	stored := w.stored(x, token.ASSIGN) && w.modifies(op, x)
	defer w.enter(x)()
	w.region.updated = x
	w.inOrder(func(h *hazard.Hazards) { h.Updated(x, stored) }, nil, []ast.Expr{x}, false, func() {
		if stored {
			w.updateInPlace(op, x)
		} else {
			w.target(x)
		}
	})
	return op
}
