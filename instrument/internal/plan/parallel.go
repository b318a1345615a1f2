package plan

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/hazard"
)

// An assignment is one of those that a parallel assignment makes.
type assignment struct {
	lhs  ast.Expr
	rhs  ast.Expr // nil: text is assigned, a new variable
	text string
}

// inTurn finds the targets that must not be addressed before the targets before them are assigned:
// the address may panic, and then the earlier assignments can be seen. It is nil if there are none.
func (w *walker) inTurn(lhs []ast.Expr, tok token.Token) (which map[ast.Expr]bool) {
	if len(lhs) < 2 || tok == token.DEFINE {
		return nil
	}
	s := &expr.Seen{Assigned: map[*types.Var]bool{}}
	for _, e := range lhs {
		if s.Visible() && w.stored(e, tok) && w.AddressPanics(e) {
			if which == nil {
				which = map[ast.Expr]bool{}
			}
			which[e] = true
		}
		w.See(s, e)
	}
	return which
}

// sequence makes assignments one after the other, each recorded when its turn comes. As in the
// compiler's code, calls come first, and then the operands that an assignment could change for a
// later one.
//
// (W6) Replace  x.a, y.p.b = f(), x.c
//
//	with  { t1 := f(); t2 := (*runtime.RacepredR(&y.p, site)); t3 := (*runtime.RacepredR(&x.c, site)); *runtime.RacepredW(&x.a, site) = t1; *runtime.RacepredW(&t2.b, site) = t3 }
//
// before are the calls, text is the rest. If that is not possible, why is the reason and nothing
// was visited.
func (w *walker) sequence(tok token.Token, todo []assignment) (before, text string, why Reason) {
	outer, reached := w.Hoisted, w.Reached
	defer func() { w.Hoisted, w.Reached = outer, reached }()
	w.Hoisted, w.Reached = map[ast.Expr]string{}, map[*ast.SelectorExpr]string{}
	var calls []ast.Expr
	for _, a := range todo {
		calls = append(calls, w.Ordered(a.lhs, true)...)
	}
	for _, a := range todo {
		if a.rhs != nil {
			calls = append(calls, w.Ordered(a.rhs, false)...)
		}
	}
	for _, c := range calls {
		if !w.Named(c) {
			return "", "", WhyUntyped
		}
		w.Hoisted[c] = pending
	}
	early, why := w.operandsBefore(todo)
	if why != "" {
		return "", "", why
	}
	var b strings.Builder
	for _, c := range calls {
		name := w.Temp()
		delete(w.Hoisted, c)
		b.WriteString(name + " := " + w.moved(c, func(m *walker) { m.eval(c) }) + "; ")
		w.Hoisted[c] = name
	}
	before = b.String()
	b.Reset()
	for _, e := range early {
		name := w.Temp()
		if sel, ok := e.(*ast.SelectorExpr); ok && w.Reached[sel] == pending {
			b.WriteString(name + " := " + w.moved(sel.X, func(m *walker) { m.embeddedPointer(sel) }) + "; ")
			w.Reached[sel] = name
			continue
		}
		delete(w.Hoisted, e)
		b.WriteString(name + " := " + w.moved(e, func(m *walker) { m.eval(e) }) + "; ")
		w.Hoisted[e] = name
	}
	for i, a := range todo {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(w.assigns(tok, a))
	}
	return before, b.String(), ""
}

// pending is a placeholder for the name of a variable that is still to be declared.
const pending = "?"

// operandsBefore lists the operands that are evaluated after the calls and before the first
// assignment, and marks them as hoisted.
func (w *walker) operandsBefore(todo []assignment) (early []ast.Expr, why Reason) {
	s := &expr.Seen{Assigned: map[*types.Var]bool{}}
	save := func(e ast.Expr) {
		switch {
		case !w.Affected(s, e):
			return
		case !w.Named(e):
			why = WhyUntyped
		}
		early = append(early, e)
		w.Hoisted[e] = pending
	}
	for _, a := range todo {
		e := ast.Unparen(a.lhs)
		for drilled := true; drilled; {
			drilled = false
			switch x := e.(type) {
			case *ast.IndexExpr:
				if gotypes.IsInterface(w.Info.TypeOf(x.X)) {
					return nil, WhyTypeParam
				}
				if gotypes.IsArray(w.Info.TypeOf(x.X)) {
					save(x.Index)
					e, drilled = ast.Unparen(x.X), true
				}
			case *ast.SelectorExpr:
				if sel := w.Info.Selections[x]; sel != nil && !sel.Indirect() && !gotypes.IsPointer(w.Info.TypeOf(x.X)) {
					e, drilled = ast.Unparen(x.X), true
				}
			}
		}
		switch x := e.(type) {
		case *ast.IndexExpr:
			if gotypes.ArrayPointer(w.Info.TypeOf(x.X)) != nil {
				save(x.Index)
				save(x.X)
			} else {
				save(x.X)
				save(x.Index)
			}
		case *ast.StarExpr:
			save(x.X)
		case *ast.SelectorExpr:
			switch sel := w.Info.Selections[x]; {
			case sel == nil:
			case !gotypes.HasPointer(gotypes.Embedded(sel)):
				save(x.X)
			case s.Visible() || w.Affected(s, x.X):
				if w.hidden(sel) {
					return nil, WhyHiddenField
				}
				early = append(early, x)
				w.Reached[x] = pending
			}
		}
		if a.rhs != nil {
			save(a.rhs)
		}
		w.See(s, a.lhs)
	}
	for _, a := range todo {
		if !w.Pure(ast.Unparen(a.lhs)) {
			return nil, WhyLateOperand
		}
	}
	return early, why
}

// assigns is the text of one assignment whose calls were hoisted.
func (w *walker) assigns(tok token.Token, a assignment) string {
	lhs := ast.Unparen(a.lhs)
	value := a.text
	if a.rhs != nil {
		value = w.Hoisted[a.rhs]
	}
	if value == "" {
		return w.assignmentText(tok, lhs, a.rhs)
	}
	if gotypes.IsBlank(lhs) {
		return "_ = " + value
	}
	return w.piece(lhs, func(m *walker) {
		stored := m.stored(lhs, tok)
		m.inOrder(func(h *hazard.Hazards) { h.Assigned(lhs, stored) }, nil, []ast.Expr{lhs}, false, func() {
			if stored {
				m.writeInPlace(lhs)
			} else {
				m.target(lhs)
			}
		})
	}, lhs)[0] + " = " + value
}

// assignmentText is the text of lhs = rhs.
func (w *walker) assignmentText(tok token.Token, lhs, rhs ast.Expr) string {
	texts := w.piece(lhs, func(m *walker) {
		defer m.enter(lhs, rhs)()
		m.assignOneTo(tok, lhs, rhs)
	}, lhs, rhs)
	if w.MapElement(lhs) {
		// The compiler puts the key into the map before it evaluates the value, in a parallel
		// assignment only.
		return texts[0] + ", _ = " + texts[1] + ", 0"
	}
	return texts[0] + " = " + texts[1]
}

// piece visits an assignment, which begins with first, as a statement of its own, and returns the
// new texts of its parts.
func (w *walker) piece(first ast.Expr, visit func(m *walker), parts ...ast.Expr) (texts []string) {
	m := *w
	m.Text = w.Apart()
	m.region = &region{}
	m.stmt = &stmtContext{listed: true, simple: true, piece: true, gap: m.Gap(first.Pos()), around: w.stmt}
	visit(&m)
	for _, e := range parts {
		var of []Edit
		for _, x := range *m.Edits {
			if x.Off >= w.Off(e.Pos()) && x.Off <= w.Off(e.End()) {
				of = append(of, x)
			}
		}
		texts = append(texts, w.OneLine(e, of))
	}
	return texts
}
