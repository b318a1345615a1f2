package plan

import (
	"go/ast"
	"go/token"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
)

// OpaqueCall is a call into code that nobody records.
type OpaqueCall struct {
	Call      *ast.CallExpr
	Line, Col int
	Callee    string
	Dynamic   bool // a func value or an interface method
	Deferred  bool
}

// opaqueSlot collects what of the code being visited nobody records: the first opaque call or missed access.
type opaqueSlot struct {
	pos  token.Pos // token.NoPos: nothing
	expr string
}

func (s *opaqueSlot) add(pos token.Pos, expr string) {
	if s.pos == token.NoPos {
		s.pos, s.expr = pos, expr
	}
}

// miss notes an access that is not recorded. (instrument/O10)
func (w *walker) miss(n ast.Node, why Reason) {
	w.decider.miss(n, why)
	if !w.copies && w.opaque != nil {
		w.opaque.add(n.Pos(), w.text(n))
	}
}

// opaqueCall notes that e runs code nobody records, if it does.
func (w *walker) opaqueCall(e *ast.CallExpr) {
	if w.copies || w.opaque == nil {
		return
	}
	if opaque, dynamic := w.judge.IsOpaque(e, w.Locals); opaque && !w.fillsOwn(e) {
		w.noteOpaque(e, dynamic, false)
		w.opaque.add(e.Pos(), w.text(e.Fun))
	}
}

func (w *walker) noteOpaque(e *ast.CallExpr, dynamic, deferred bool) {
	p := w.tok.PositionFor(e.Pos(), false)
	w.plan.Opaque = append(w.plan.Opaque, OpaqueCall{e, p.Line, p.Column, site.OneLine(w.text(e.Fun)), dynamic, deferred})
}

// opaqueText is the call that announces what was found.
func (w *walker) opaqueText(found *opaqueSlot) string {
	return w.call("RacepredOpaque", w.site(OpOpaque, found.pos, found.expr))
}

// eachTime visits a part of a loop that runs in every turn, right before its body.
func (w *walker) eachTime(body *ast.BlockStmt, visit func()) {
	outer := w.opaque
	if outer == nil {
		visit()
		return
	}
	w.opaque = &opaqueSlot{}
	visit()
	if found := w.opaque; found.pos != token.NoPos {
		outer.add(found.pos, found.expr)
		w.ahead(RuleOpaque, body.Lbrace+1, " "+w.opaqueText(found)+";")
	}
	w.opaque = outer
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
	slot := w.reserve(e.Pos())
	outer := w.opaque
	w.opaque = &opaqueSlot{}
	w.eval(e)
	found := w.opaque
	w.opaque = outer
	if found.pos != token.NoPos {
		site := w.site(OpOpaque, found.pos, found.expr)
		w.fill(slot, RuleOpaque, "("+w.call("RacepredOpaqueT", site)+" && (")
		w.insert(RuleOpaque, e.End(), "))")
	}
}

// reserve keeps a place for text in front of what is visited next.
func (w *walker) reserve(pos token.Pos) (slot int) {
	w.insert("", pos, "")
	return len(*w.edits) - 1
}

// fill puts text into a reserved place, before what was put there earlier.
func (w *walker) fill(slot int, rule Rule, text string) {
	(*w.edits)[slot].Text = text + (*w.edits)[slot].Text
	(*w.edits)[slot].Rule = rule
}
