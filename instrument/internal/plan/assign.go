package plan

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/racepred/racepred/instrument/internal/edit"
	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/hazard"
	"github.com/racepred/racepred/instrument/internal/site"
	"github.com/racepred/racepred/internal/typeset"
)

// assignStmt visits an assignment or a short variable declaration.
func (w *walker) assignStmt(s *ast.AssignStmt) {
	switch {
	case len(s.Lhs) != len(s.Rhs):
		w.tupleAssign(s)
	default:
		w.parallelAssign(s)
	}
}

// stored reports whether an assignment to e is a write to be recorded. A variable
// that the statement declares is not known to any other goroutine yet.
func (w *walker) stored(e ast.Expr, tok token.Token) bool {
	e = ast.Unparen(e)
	return !w.declares(e, tok) && w.Place(e) == expr.PlaceShared && !w.covered(site.OpWrite, e)
}

// declares reports whether an assignment to e writes no variable that existed before: e is new, or
// blank.
func (w *walker) declares(e ast.Expr, tok token.Token) bool {
	id, ok := e.(*ast.Ident)
	return ok && (id.Name == "_" || tok == token.DEFINE && w.Info.Defs[id] != nil)
}

// target visits the left side of an assignment that is not recorded as a
// write of memory: a local variable or the element of a map.
func (w *walker) target(e ast.Expr) {
	e = ast.Unparen(e)
	if x, ok := e.(*ast.IndexExpr); ok && gotypes.IsMap(w.Info.TypeOf(x.X)) {
		w.nameSite(site.OpMap, x.X.Pos(), x.X)
	}
	w.addr(e)
}

// parallelAssign visits a, b = x, y.
//
// (W1) When nothing is recorded or called on the right, or a large value is copied, the write is
// recorded in place:
//
// Replace  x.f = 5
//
//	with  *runtime.RacepredW(&x.f, site) = 5
//
// (W2) Else it is recorded when the right side has been evaluated:
//
// Replace  x.f = g()
//
//	with  x.f = runtime.RacepredAfter(g(), runtime.RacepredW(&x.f, site))
func (w *walker) parallelAssign(s *ast.AssignStmt) {
	alone := w.inTurn(s.Lhs, s.Tok)
	var why Reason
	if alone != nil {
		if why = w.assignInTurn(s); why == "" {
			return
		}
	}
	if len(s.Lhs) == 1 {
		w.assignOne(s)
		return
	}
	if s.Tok == token.ASSIGN && w.disordered(s.Lhs, s.Rhs) {
		if alone == nil && w.assignInTurn(s) == "" {
			return
		}
		defer w.enter(slices.Concat(s.Lhs, s.Rhs)...)()
		if w.togetherInOrder(s, alone) {
			w.assignTogether(s, -1, alone, why)
		} else {
			w.leaveOut(s.Rhs, s.Lhs)
		}
		return
	}
	carrier := -1 // the last right side that is not quiet: the writes are recorded after it
	for i, rhs := range s.Rhs {
		if !w.Quiet(rhs) {
			carrier = i
		}
	}
	if carrier >= 0 {
		defer w.hoistCalls(s.Lhs, s)()
	}
	defer w.enter(slices.Concat(s.Lhs, s.Rhs)...)()
	if s.Tok == token.DEFINE {
		w.inOrder(func(h *hazard.Hazards) { w.inMemoryFirst(h, s) }, s.Rhs, nil, false, func() { w.assignTogether(s, carrier, nil, "") })
		return
	}
	w.assignTogether(s, carrier, alone, why)
}

// assignTogether records all writes of an assignment after the last right side that is not quiet
// (carrier), or in place if there is none.
func (w *walker) assignTogether(s *ast.AssignStmt, carrier int, alone map[ast.Expr]bool, why Reason) {
	var writes []ast.Expr
	for _, lhs := range s.Lhs {
		switch {
		case !w.stored(lhs, s.Tok):
			if s.Tok != token.DEFINE {
				w.target(lhs)
			}
		case alone[lhs]:
			w.miss(lhs, why)
			w.addr(lhs)
		case carrier < 0:
			w.writeInPlace(lhs)
		default:
			writes = append(writes, lhs)
		}
	}
	if len(writes) == 0 {
		for _, rhs := range s.Rhs {
			w.value(rhs)
		}
		return
	}
	writes = w.copyable(writes, slices.ContainsFunc(s.Rhs, w.HasPoint))
	for _, lhs := range writes {
		w.hoistedOnly(lhs)
	}
	for i, rhs := range s.Rhs {
		if i != carrier {
			w.value(rhs)
			continue
		}
		w.after(rhs, s.Lhs[i], writes)
	}
}

// assignInTurn is rule W6 for a, b = x, y. If that is not possible, it returns the reason.
func (w *walker) assignInTurn(s *ast.AssignStmt) Reason {
	switch {
	case w.stmt == nil || !w.stmt.listed:
		return WhyHeader
	case !w.Movable(s):
		return WhyMultiline
	}
	first, last := w.Line(s.Pos()), w.Line(s.End())
	defer w.WithLines(first != last)()
	todo := make([]assignment, len(s.Lhs))
	for i := range todo {
		todo[i] = assignment{lhs: s.Lhs[i], rhs: s.Rhs[i]}
	}
	before, text, why := w.sequence(s.Tok, todo)
	if why != "" {
		return why
	}
	text = "{ " + before + text + " }"
	if first != last {
		text += strings.Repeat("\n", last-first) + edit.LineComment(last)
	}
	w.Exchange(RuleInTurn, s.Pos(), s.End(), text)
	return ""
}

// maxArg is the size in bytes up to which a value may be passed through a recording call.
const maxArg = 4 << 10

// large reports whether a value is too large to be an argument.
func (w *walker) large(e ast.Expr) bool {
	t := w.Info.TypeOf(e)
	switch typeset.Core(t).(type) {
	case *types.Array, *types.Struct:
		return !gotypes.DependsOnTypeParam(t) && gotypes.Sizes.Sizeof(t) > maxArg
	}
	return false
}

// writeInPlace is rule W1.
func (w *walker) writeInPlace(lhs ast.Expr) {
	lhs = ast.Unparen(lhs)
	r := w.recorder(site.OpWrite, lhs)
	w.Insert(RuleWrite, lhs.Pos(), "*"+r.name+"(&")
	w.addr(lhs)
	w.Insert(RuleWrite, lhs.End(), r.rest())
}

// copyable returns the left sides whose address can be computed a second time, and leaves the
// others unrecorded. calls says whether anything is called in between.
func (w *walker) copyable(lhs []ast.Expr, calls bool) []ast.Expr {
	var ok []ast.Expr
	for _, e := range lhs {
		if w.Pure(e) && !(calls && w.Early(e)) { // see carried
			ok = append(ok, e)
			continue
		}
		why := WhyLateOperand
		if !w.Movable(e) {
			why = WhyMultiline
		}
		w.miss(e, why)
		w.addr(e)
	}
	return ok
}

// after visits rhs and records the writes of the left sides after it.
func (w *walker) after(rhs, lhs ast.Expr, writes []ast.Expr) {
	fn, ok := w.afterFunc(rhs, lhs, writes)
	if !ok {
		for _, e := range writes {
			w.miss(e, WhyUntyped)
		}
		w.value(rhs)
		return
	}
	for i := range writes {
		w.Insert(RuleAfter, rhs.Pos(), w.Runtime+"."+fn[len(writes)-1-i]+"(")
	}
	w.value(rhs)
	for _, e := range writes {
		w.Insert(RuleAfter, rhs.End(), ", "+w.pointerAt(rhs.End(), site.OpWrite, ast.Unparen(e))+")")
	}
}

// afterFunc chooses the functions that pass rhs on, innermost first. RacepredAfterT gives
// an untyped rhs the type that the pointer points to.
func (w *walker) afterFunc(rhs, lhs ast.Expr, writes []ast.Expr) (fns []string, ok bool) {
	fns = make([]string, len(writes))
	for i := range fns {
		fns[i] = "RacepredAfter"
	}
	if w.Typed(rhs) || len(writes) == 0 {
		return fns, true
	}
	t := w.Info.TypeOf(rhs)
	switch {
	case ast.Unparen(writes[0]) == ast.Unparen(lhs) && types.Identical(t, w.Info.TypeOf(lhs)):
		fns[0] = "RacepredAfterT"
		return fns, true
	case types.Identical(t, types.Typ[types.Bool]) || types.Identical(t, types.Typ[types.Int]):
		return fns, true
	}
	return nil, false
}
