package plan

import (
	"go/ast"
	"go/token"

	"github.com/racepred/racepred/instrument/internal/edit"
	"github.com/racepred/racepred/instrument/internal/redundancy"
)

// header visits the init statement of an if, for or switch statement by visit. If that cannot
// record all that it assigns, the statement goes before the header.
//
// (H2) Replace  switch x.f, err = g(); x.f { ... }
//
//	with  { x.f, err = g(); ...; switch ; x.f { ... } }
//
// Only assignments to old variables are moved: new variables belong to the statement.
func (w *walker) header(s, init ast.Stmt, visit func()) (moved bool) {
	if init == nil || w.stmt == nil || !w.stmt.listed || w.copies || !w.blockable() || !w.Movable(init) || !w.lacks(init, visit) {
		visit()
		return false
	}
	first, last := w.Line(s.Pos()), w.Line(init.End())
	back := w.WithLines(first != last)
	text := w.moved(init, func(m *walker) { m.listed(init) }) + "; "
	if w.Lines {
		text += edit.LineComment(first)
	}
	back()
	w.before(RuleHeader, s, "{ "+text)
	w.Replace(RuleHeader, init, "")
	w.stmt.closing = append(w.stmt.closing, " }")
	return true
}

// before puts moved text of the program in front of the statement at hand, in the line of its first
// word. The statement's label, which may stand some lines above, is moved along.
func (w *walker) before(rule Rule, s ast.Stmt, text string) {
	l := w.stmt.labeled
	if l == nil || w.Tokens.Line(l.Pos()) == w.Tokens.Line(s.Pos()) {
		w.stmt.gap.Fill(rule, text)
		return
	}
	w.Exchange(rule, l.Pos(), l.Pos()+token.Pos(len(l.Label.Name)), "")
	w.Exchange(rule, l.Colon, l.Colon+1, "")
	w.Insert(rule, s.Pos(), text+l.Label.Name+": ")
}

// lacks reports whether a visit of an init statement would leave an access unrecorded.
func (w *walker) lacks(init ast.Stmt, visit func()) bool {
	if a, ok := init.(*ast.AssignStmt); !ok || a.Tok == token.DEFINE {
		return false
	}
	return w.missing(visit) > 0
}

// missing counts the accesses that a visit would leave unrecorded. It visits, and takes everything
// back.
func (w *walker) missing(visit func()) int {
	plan, names, flags, edits, opaque, facts := *w.plan, w.Names, len(w.flags), w.Edits, w.opaque, w.facts
	declared := w.stmt.declared
	w.Edits, w.opaque, w.facts = &[]Edit{}, nil, redundancy.NewFacts()
	visit()
	missing := len(w.plan.Misses) - len(plan.Misses)
	w.stmt.declared = declared
	*w.plan, w.Names, w.flags, w.Edits, w.opaque, w.facts = plan, names, w.flags[:flags], edits, opaque, facts
	return missing
}
