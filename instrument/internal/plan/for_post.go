package plan

import (
	"go/ast"
	"go/token"

	"github.com/racepred/racepred/instrument/internal/edit"
)

// postMoves reports whether more accesses of a loop's post statement can be recorded if it stands
// at the beginning of the body.
func (w *walker) postMoves(s *ast.ForStmt) bool {
	if s.Post == nil || w.copies || w.stmt == nil || !w.stmt.listed || !w.blockable() || !w.flaggable(s) || !w.flaggable(s.Body) || !w.Movable(s.Post) || s.Cond != nil && !w.Movable(s.Cond) {
		return false
	}
	missing := w.missing(func() { w.head(s.Post, false) })
	return missing > 0 && missing > w.missing(func() { w.moved(s.Post, func(m *walker) { m.listed(s.Post) }) })
}

// postFirst visits the condition and the post statement of a loop and moves them to the beginning
// of the body. Each turn still copies the variables of the loop before the post statement.
//
// (H3) Replace  for i := 0; i < n; x.f, y.g[i] = a, b { ... }
//
//	with  { t1 := false; for i := 0; ; { if t1 { ... } else { t1 = true }; if !(i < n) { break }; ... } }
func (w *walker) postFirst(s *ast.ForStmt) {
	body := w.Line(s.Body.Lbrace)
	first := w.Line(s.Pos())
	back := w.WithLines(first != body)
	condition := ""
	if s.Cond != nil {
		var opaque *opaqueSlot
		end := w.straight(s.Cond)
		text := w.moved(s.Cond, func(m *walker) { opaque = m.announcing(s.Cond, func() { m.eval(s.Cond) }) })
		end()
		if opaque.pos != token.NoPos {
			condition = w.opaqueText(opaque.pos, opaque.expr) + "; "
		}
		condition += "if !(" + text + ") { break }; "
		always := ""
		if w.Tokens.Line(s.Cond.End()) != w.Tokens.Line(s.Post.Pos()) {
			always = "1 == 1" // a line may end where a semicolon would be
		}
		w.Replace(RulePost, s.Cond, always)
	}
	var post string
	w.branch(false, func() { post = w.moved(s.Post, func(m *walker) { m.listed(s.Post) }) })
	w.Replace(RulePost, s.Post, "")
	again := w.Temp()
	w.flags = append(w.flags, flag{w.loop, again})
	text := " if " + again + " { " + post + " } else { " + again + " = true }; " + condition
	if w.Lines {
		text += edit.LineComment(body)
	}
	back()
	w.Ahead(RulePost, s.Body.Lbrace+1, text)
}
