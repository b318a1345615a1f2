package plan

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/racepred/racepred/instrument/internal/edit"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/hazard"
	"github.com/racepred/racepred/instrument/internal/site"
)

// tupleAssign visits a, b = f() and the comma-ok forms.
//
// (W4) Writes of plain variables are recorded right after the statement:
//
// Replace  v, err = f()
//
//	with  v, err = f(); runtime.RacepredW(&err, site)
//
// Other left sides are assigned in a second step:
//
// Replace  x.a, x.b = f()
//
//	with  { t1, t2 := f(); x.a, x.b = t1, runtime.RacepredAfter(runtime.RacepredAfter(t2, runtime.RacepredW(&x.a, site)), ...) }
func (w *walker) tupleAssign(s *ast.AssignStmt) {
	var writes []ast.Expr
	plain, loads := true, false
	for _, lhs := range s.Lhs {
		lhs = ast.Unparen(lhs)
		if _, ok := lhs.(*ast.Ident); !ok {
			plain = false
		}
		if w.stored(lhs, s.Tok) {
			writes = append(writes, lhs)
		} else {
			loads = loads || len(w.LoadsIn(lhs)) > 0
		}
	}
	if (len(writes) > 0 || loads) && !plain && w.stmt != nil && w.stmt.listed && w.splitTuple(s, writes) {
		return
	}
	func() {
		defer w.enter(slices.Concat(s.Lhs, s.Rhs)...)()
		if !plain && w.leftOut(s) {
			return
		}
		for _, lhs := range s.Lhs {
			if lhs = ast.Unparen(lhs); !w.stored(lhs, s.Tok) && s.Tok != token.DEFINE {
				w.target(lhs)
			}
		}
		w.value(s.Rhs[0])
	}()
	for _, e := range writes {
		if w.Pure(e) && w.SameAddress(e, s.Lhs) && !(w.HasPoint(s.Rhs[0]) && w.Early(e)) {
			w.recordNext(e)
		} else {
			w.miss(e, WhyLateOperand)
		}
	}
}

// leftOut leaves a tuple assignment as it is (instrument/P3) if its targets could panic in another
// way than the values. The compiler evaluates targets last, except for the parts that it copies.
// leftOut says whether it did so.
func (w *walker) leftOut(s *ast.AssignStmt) bool {
	if s.Tok == token.DEFINE {
		return false
	}
	var values []ast.Expr
	switch x := ast.Unparen(s.Rhs[0]).(type) {
	case *ast.TypeAssertExpr:
		values = gotypes.Operands(x)
	case *ast.IndexExpr:
		values = gotypes.Operands(x)
	}
	_, ok := w.order(func(h *hazard.Hazards) {
		for _, lhs := range s.Lhs {
			if !w.stored(ast.Unparen(lhs), s.Tok) {
				h.Assigned(lhs, false)
			}
		}
		h.Rank = 1
		h.Values(values...)
		if values == nil {
			h.Called(s.Rhs[0])
		} else {
			h.Add(nil, false, nil) // a key that cannot be hashed
		}
	})
	if ok {
		return false
	}
	w.leaveOut(values, s.Lhs)
	if values == nil {
		w.value(s.Rhs[0])
	}
	return true
}

// recordNext records the write of a plain variable after the statement at hand
// or, if that is the head of another one, when its condition is evaluated.
func (w *walker) recordNext(e ast.Expr) {
	switch {
	case w.stmt == nil:
		w.miss(e, WhyHeader)
	case w.stmt.listed:
		w.stmt.after = append(w.stmt.after, w.pointer(site.OpWrite, e))
	case w.stmt.cond && gotypes.Universe(w.Pkg, e, "nil"):
		w.stmt.heads = append(w.stmt.heads, w.pointer(site.OpWrite, e))
	default:
		w.miss(e, WhyHeader)
	}
}

// splitTuple is the second form of rule W4; it says whether that was possible.
func (w *walker) splitTuple(s *ast.AssignStmt, writes []ast.Expr) bool {
	parts := w.tupleTypes(s)
	for i, lhs := range s.Lhs {
		if _, ok := w.Points(lhs); !ok || !w.Movable(lhs) {
			return false
		}
		if !gotypes.IsBlank(lhs) && !types.AssignableTo(parts[i], w.Info.TypeOf(lhs)) {
			return false
		}
	}
	if w.inTurn(s.Lhs, s.Tok) != nil || w.disordered(s.Lhs, nil) {
		return w.splitInTurn(s)
	}
	defer w.hoistCalls(s.Lhs, s)()
	for _, lhs := range s.Lhs {
		if !w.Pure(lhs) || w.HasPoint(s.Rhs[0]) && w.Early(lhs) { // nothing was hoisted
			return false
		}
	}
	temps := make([]string, len(s.Lhs))
	values := make([]string, len(s.Lhs))
	targets := make([]string, len(s.Lhs))
	back := w.InLines(s)
	for i, lhs := range s.Lhs {
		targets[i] = w.copied(lhs, func(c *walker) { c.hoistedOnly(lhs) })
		if gotypes.IsBlank(lhs) {
			temps[i], values[i] = "_", ""
			continue
		}
		temps[i] = w.Temp()
		values[i] = temps[i]
		if w.stored(lhs, s.Tok) {
			continue
		}
		targets[i] = w.copied(lhs, func(c *walker) { c.target(lhs) })
	}
	targets, values = withoutBlank(targets, values)
	last := len(values) - 1
	for _, e := range writes {
		values[last] = w.Call("RacepredAfter", values[last], w.pointer(site.OpWrite, e))
	}
	_, line := back()
	// { t1, t2 := f(); x.a, x.b = t1, After(t2, ...) }
	start, end := s.Lhs[0].Pos(), s.Rhs[0].Pos()
	w.Exchange(RuleTuple, start, end, "{ "+strings.Join(temps, ", ")+" := "+edit.Newlines(w.Bytes[w.Off(start):w.Off(end)]))
	w.eval(s.Rhs[0])
	w.Insert(RuleTuple, s.Rhs[0].End(), "; "+strings.Join(targets, ", ")+" = "+strings.Join(values, ", ")+" }"+line)
	return true
}

// splitInTurn is rule W6 for a, b = f() and the comma-ok forms.
func (w *walker) splitInTurn(s *ast.AssignStmt) bool {
	temps := make([]string, len(s.Lhs))
	var todo []assignment
	for i, lhs := range s.Lhs {
		temps[i] = "_"
		if !gotypes.IsBlank(lhs) {
			temps[i] = w.Temp()
			todo = append(todo, assignment{lhs: lhs, text: temps[i]})
		}
	}
	back := w.InLines(s)
	before, text, why := w.sequence(s.Tok, todo)
	first, last := back()
	if why != "" {
		return false
	}
	w.stmt.gap.Fill(RuleHoist, "{ "+before+first)
	start, end := s.Lhs[0].Pos(), s.Rhs[0].Pos()
	w.Exchange(RuleTuple, start, end, strings.Join(temps, ", ")+" := "+edit.Newlines(w.Bytes[w.Off(start):w.Off(end)]))
	w.eval(s.Rhs[0])
	w.Insert(RuleInTurn, s.Rhs[0].End(), "; "+text+" }"+last)
	return true
}

// tupleTypes are the types of the values on the right side of a tuple assignment.
func (w *walker) tupleTypes(s *ast.AssignStmt) []types.Type {
	parts := make([]types.Type, len(s.Lhs))
	if t, ok := w.Info.TypeOf(s.Rhs[0]).(*types.Tuple); ok {
		for i := range parts {
			parts[i] = t.At(i).Type()
			if types.Identical(parts[i], types.Typ[types.UntypedBool]) {
				parts[i] = types.Typ[types.Bool]
			}
		}
	}
	return parts
}

// withoutBlank drops the targets that are blank.
func withoutBlank(targets, values []string) (ts, vs []string) {
	for i, v := range values {
		if v != "" {
			ts, vs = append(ts, targets[i]), append(vs, v)
		}
	}
	return ts, vs
}
