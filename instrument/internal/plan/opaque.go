package plan

import (
	"go/ast"
	"go/token"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
)

// OpaqueCall is a call into unrecorded code.
type OpaqueCall struct {
	Call      *ast.CallExpr
	Line, Col int
	Callee    string
	Dynamic   bool // a func value or an interface method
	Deferred  bool
}

// miss notes an access that is not recorded. (instrument/O10)
func (w *walker) miss(n ast.Node, why Reason) {
	w.decider.miss(n, why)
	if !w.copies && w.opaque != nil {
		w.opaque.add(n.Pos(), n.End(), w.Written(n), false)
	}
}

// asking visits a call by visit, and notes it if it may run unrecorded code. If that depends on its
// callee, the visit may have put in a question about it (callee.go), which does instead.
// (instrument/O13)
func (w *walker) asking(e *ast.CallExpr, visit func()) {
	if w.copies || w.opaque == nil {
		visit()
		return
	}
	opaque, dynamic := w.judge.IsOpaque(e, w.Locals)
	if !opaque || w.FillsOwn(e) {
		visit()
		return
	}
	q := asked{}
	if dynamic {
		q.about = ast.Unparen(e.Fun)
	}
	q = w.questioning(q, visit)
	w.noteOpaque(e, dynamic, false)
	if q.answered {
		w.opaque.asks(e.Pos(), e.End(), q.site)
	} else {
		w.opaque.add(e.Pos(), e.End(), w.Written(e.Fun), true)
	}
}

func (w *walker) noteOpaque(e *ast.CallExpr, dynamic, deferred bool) {
	p := w.Tokens.PositionFor(e.Pos(), false)
	w.plan.Opaque = append(w.plan.Opaque, OpaqueCall{e, p.Line, p.Column, site.OneLine(w.Written(e.Fun)), dynamic, deferred})
}

// opaqueText is the call that announces an opaque call or missed access.
func (w *walker) opaqueText(pos token.Pos, expr string) string {
	return w.Call("RacepredOpaque", w.site(site.OpOpaque, pos, expr))
}

// eachTime visits a part of a loop that runs in every turn, right before its body.
func (w *walker) eachTime(body *ast.BlockStmt, visit func()) {
	outer := w.opaque
	if outer == nil {
		visit()
		return
	}
	if found := w.announcing(nil, visit); found.pos != token.NoPos {
		outer.add(found.pos, found.pos, found.expr, false)
		w.Ahead(RuleOpaque, body.Lbrace+1, " "+w.opaqueText(found.pos, found.expr)+";")
	}
}

// opaqueOperand visits a condition that is evaluated by itself: the right side
// of && and ||, the condition of a loop.
//
// (O5) Replace  a && os.IsExist(err)
//
//	with  a && (runtime.RacepredOpaqueT(site) && (os.IsExist(err)))
func (w *walker) opaqueOperand(e ast.Expr) {
	if w.copies || !gotypes.IsBool(w.Info.TypeOf(e)) {
		w.eval(e)
		return
	}
	gap := w.Gap(e.Pos())
	found := w.announcing(e, func() { w.eval(e) })
	if w.opaque != nil {
		w.opaque.locking = append(w.opaque.locking, found.locking...) // what comes after e may be opaque, too
	}
	if found.pos != token.NoPos {
		ref := w.site(site.OpOpaque, found.pos, found.expr)
		gap.Fill(RuleOpaque, "("+w.Call("RacepredOpaqueT", ref)+" && (")
		w.Insert(RuleOpaque, e.End(), "))")
	}
}
