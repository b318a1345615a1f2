package plan

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
)

// headPanics reports whether the init statement of a loop, or the first operand of its condition,
// calls something, or may panic in another way than by a nil pointer.
func (w *walker) headPanics(s *ast.ForStmt) bool {
	first := s.Cond
	for x, ok := ast.Unparen(first).(*ast.BinaryExpr); ok && (x.Op == token.LAND || x.Op == token.LOR); x, ok = ast.Unparen(first).(*ast.BinaryExpr) {
		first = x.X
	}
	if w.HasPoint(first) {
		return true
	}
	h := w.hazards()
	h.Deep = true
	h.Value(first, nil)
	switch init := s.Init.(type) {
	case nil:
	case *ast.AssignStmt:
		for _, e := range slices.Concat(init.Lhs, init.Rhs) {
			if w.HasPoint(e) {
				return true
			}
			h.Address(e, nil, nil)
		}
	default:
		return true
	}
	return h.ButNil()
}

func (w *walker) forStmt(s *ast.ForStmt) {
	for _, e := range w.loopReads(s) {
		if w.AddressPanics(e) && w.headPanics(s) {
			continue // the head may panic before, in another way
		}
		w.stmt.gap.Fill(RuleLoop, w.pointer(site.OpRead, e)+"; ")
		w.accessed(site.OpRead, e)
	}
	w.header(s, s.Init, func() { w.head(s.Init, false) })
	w.span().Again(s)
	defer w.enterLoop(s)()
	if w.postMoves(s) {
		w.postFirst(s)
		w.branch(false, func() { w.loopBody(s) })
		return
	}
	post := &opaqueSlot{}
	visitPost := func() {
		post = w.announcing(s.Post, func() { w.branch(false, func() { w.head(s.Post, false) }) })
	}
	switch {
	case s.Cond == nil:
		visitPost()
		if post.pos != token.NoPos {
			w.Ahead(RuleOpaque, s.Body.Lbrace+1, " "+w.opaqueText(post.pos, post.expr)+";")
		}
	case gotypes.IsBool(w.Info.TypeOf(s.Cond)):
		// Opaque calls of the post statement are announced when the condition is evaluated next.
		gap := w.Gap(s.Cond.Pos())
		end := w.straight(s.Cond)
		w.opaqueOperand(s.Cond)
		end()
		after := w.Gap(s.Cond.End())
		visitPost()
		if post.pos != token.NoPos {
			gap.Fill(RuleOpaque, w.Call("RacepredOpaqueT", w.site(site.OpOpaque, post.pos, post.expr))+" && (")
			after.Fill(RuleOpaque, ")")
		}
	default: // a boolean type that the program declares
		end := w.straight(s.Cond)
		w.eachTime(s.Body, func() { w.eval(s.Cond) })
		end()
		visitPost()
		if post.pos != token.NoPos {
			w.Ahead(RuleOpaque, s.Body.Lbrace+1, " "+w.opaqueText(post.pos, post.expr)+";")
		}
	}
	w.branch(false, func() { w.loopBody(s) })
}
