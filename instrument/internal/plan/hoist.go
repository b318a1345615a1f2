package plan

import (
	"go/ast"
	"strings"
)

// hoistCalls takes the calls, receives and operands that are evaluated at once out
// of the left sides of an assignment, so that their addresses can be computed
// twice. The compiler, too, does these before the rest of the statement. The
// returned function ends it.
//
// (W3) Replace  x.a[f()] = g()
//
//	with  { t1 := f(); x.a[t1] = runtime.RacepredAfter(g(), runtime.RacepredW(&x.a[t1], site)) }
func (w *walker) hoistCalls(lhs []ast.Expr, s *ast.AssignStmt) (end func()) {
	none := func() {}
	needed := false
	for _, e := range lhs {
		needed = needed || w.HasPoint(e)
	}
	for _, e := range s.Rhs {
		needed = needed || w.HasPoint(e)
	}
	if !needed {
		return none
	}
	if w.stmt == nil || !w.stmt.listed {
		return none
	}
	wanted := false
	var calls []ast.Expr
	for _, e := range lhs {
		if !w.Movable(e) {
			return none
		}
		cs, ok := w.Points(e)
		if !ok {
			return none
		}
		wanted = wanted || len(cs) > 0 && w.stored(e, s.Tok)
		calls = append(calls, cs...)
	}
	if !wanted {
		return none
	}
	w.Hoisted = map[ast.Expr]string{}
	for _, c := range calls {
		w.Hoisted[c] = w.Temp()
	}
	for _, e := range lhs {
		if !w.Pure(e) { // another part of it can be evaluated only once
			w.Hoisted = nil
			return none
		}
	}
	names := w.Hoisted
	w.Hoisted = nil
	var before strings.Builder
	before.WriteString("{ ")
	for _, c := range calls {
		before.WriteString(names[c] + " := " + w.Placed(s.Pos(), c, func() string { return w.moved(c, func(m *walker) { m.eval(c) }) }) + "; ")
	}
	w.Hoisted = names
	w.stmt.gap.Fill(RuleHoist, before.String())
	return func() {
		w.Hoisted = nil
		w.Insert(RuleHoist, s.End(), " }")
	}
}

// hoistedOnly puts the names of hoisted calls in their places and changes nothing else.
func (w *walker) hoistedOnly(e ast.Expr) { w.keepOnly(e, nil) }
