package plan

import (
	"go/ast"
	"strings"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// hoistCalls takes the calls, the receives and whatever else is evaluated at
// once out of the left sides of an assignment, so that their addresses can be
// computed twice. The compiler does these before everything else of the
// statement, too. The returned function ends it.
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
		cs, ok := w.points(e)
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
		if !w.Pure(e) { // something else in it is in the way
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

// points lists the outermost calls, receives and expressions evaluated at once
// in e. ok is false if one of them may not happen, or something else in e may be
// evaluated only once.
func (w *walker) points(e ast.Expr) (points []ast.Expr, ok bool) {
	if w.IsConstant(e) || w.Hoisted[e] != "" {
		return nil, true
	}
	p, attach := w.LastPoint(e)
	switch {
	case p == nil && !w.Early(e):
		return nil, w.Pure(e)
	case p == e:
		return []ast.Expr{e}, attach
	case w.AtOnce(e):
		return []ast.Expr{e}, w.SingleValue(e)
	}
	for _, x := range gotypes.Operands(e) {
		ps, ok := w.points(x)
		if !ok {
			return nil, false
		}
		points = append(points, ps...)
	}
	return points, true
}

// hoistedOnly puts the names of hoisted calls in their places and changes nothing else.
func (w *walker) hoistedOnly(e ast.Expr) { w.keepOnly(e, nil) }
