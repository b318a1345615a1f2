package plan

import (
	"go/ast"
	"go/token"

	"github.com/racepred/racepred/instrument/internal/edit"
	"github.com/racepred/racepred/instrument/internal/redundancy"
)

// header visits the init statement of an if, for or switch statement by visit or, when that
// cannot record all it assigns, takes it out of the header.
//
// (H2) Replace  switch x.f, err = g(); x.f { ... }
//
//	with  { x.f, err = g(); ...; switch ; x.f { ... } }
//
// What it declares is its own, so only assignments to old variables are moved.
func (w *walker) header(s, init ast.Stmt, visit func()) (moved bool) {
	if init == nil || w.stmt == nil || !w.stmt.listed || w.copies || !w.blockable() || !w.Movable(init) || !w.lacks(init, visit) {
		visit()
		return false
	}
	first, last := w.tok.PositionFor(s.Pos(), false).Line, w.tok.PositionFor(init.End(), false).Line
	lines := w.lines
	w.lines = lines || first != last
	text := w.moved(init, func(m *walker) { m.listed(init) }) + "; "
	if w.lines {
		text += edit.LineComment(first)
	}
	w.lines = lines
	w.before(RuleHeader, s, "{ "+text)
	w.replace(RuleHeader, init, "")
	w.stmt.closing = append(w.stmt.closing, " }")
	return true
}

// before puts text of the user's that was moved in front of the statement at hand, in the line of its first word. Its
// label, which may be lines above, is moved along.
func (w *walker) before(rule Rule, s ast.Stmt, text string) {
	l := w.stmt.labeled
	if l == nil || w.tok.Line(l.Pos()) == w.tok.Line(s.Pos()) {
		w.fill(w.stmt.slot, rule, text)
		return
	}
	*w.edits = append(*w.edits,
		Edit{Off: w.off(l.Pos()), Del: len(l.Label.Name), Rule: rule},
		Edit{Off: w.off(l.Colon), Del: 1, Rule: rule},
		Edit{Off: w.off(s.Pos()), Text: text + l.Label.Name + ": ", Rule: rule})
}

// lacks tries a visit and says whether it would leave an access unrecorded.
func (w *walker) lacks(init ast.Stmt, visit func()) bool {
	if a, ok := init.(*ast.AssignStmt); !ok || a.Tok == token.DEFINE {
		return false
	}
	return w.missing(visit) > 0
}

// missing tries a visit and counts the accesses that it would leave unrecorded.
func (w *walker) missing(visit func()) int {
	plan, temps, flags, edits, opaque, facts := *w.plan, w.temps, len(w.flags), w.edits, w.opaque, w.facts
	declared := w.stmt.declared
	w.edits, w.opaque, w.facts = &[]Edit{}, nil, redundancy.NewFacts()
	visit()
	missing := len(w.plan.Misses) - len(plan.Misses)
	w.stmt.declared = declared
	*w.plan, w.temps, w.flags, w.edits, w.opaque, w.facts = plan, temps, w.flags[:flags], edits, opaque, facts
	return missing
}
