package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// assignStmt visits an assignment or a short variable declaration.
func (w *walker) assignStmt(s *ast.AssignStmt) {
	switch {
	case s.Tok != token.ASSIGN && s.Tok != token.DEFINE:
		w.opAssign(s)
	case len(s.Lhs) != len(s.Rhs):
		w.tupleAssign(s)
	default:
		w.parallelAssign(s)
	}
}

// stored says whether an assignment to e is a write to be recorded. A variable
// that the statement declares is nobody else's yet.
func (w *walker) stored(e ast.Expr, tok token.Token) bool {
	e = ast.Unparen(e)
	return !w.declares(e, tok) && w.place(e) == placeShared && !w.covered(OpWrite, e)
}

// declares says whether an assignment to e makes a new variable, or none.
func (w *walker) declares(e ast.Expr, tok token.Token) bool {
	id, ok := e.(*ast.Ident)
	return ok && (id.Name == "_" || tok == token.DEFINE && w.Info.Defs[id] != nil)
}

// target visits the left side of an assignment that is not recorded as a
// write of memory: a local variable or the element of a map.
func (w *walker) target(e ast.Expr) {
	e = ast.Unparen(e)
	if x, ok := e.(*ast.IndexExpr); ok && isMap(w.Info.TypeOf(x.X)) {
		w.nameSite(OpMap, x.X.Pos(), x.X)
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
	if alone == nil && s.Tok == token.ASSIGN && w.disordered(s) {
		if w.assignInTurn(s) == "" {
			return
		}
		w.failed++
	}
	carrier := -1 // the last right side that is not quiet
	for i, rhs := range s.Rhs {
		if !w.quiet(rhs) {
			carrier = i
		}
	}
	if carrier >= 0 {
		defer w.hoistCalls(s.Lhs, s)()
	}
	defer w.enter(slices.Concat(s.Lhs, s.Rhs)...)()
	if s.Tok == token.DEFINE {
		w.inOrder(func(h *hazards) { w.inMemoryFirst(h, s) }, s.Rhs, nil, false, func() { w.assignTogether(s, carrier, nil, "") })
		return
	}
	w.assignTogether(s, carrier, alone, why)
}

// assignTogether records the writes of an assignment at once, with the last right side that is not quiet.
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
	writes = w.copyable(writes, slices.ContainsFunc(s.Rhs, w.hasPoint))
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

// assignOne visits x = y and x := y.
func (w *walker) assignOne(s *ast.AssignStmt) {
	lhs, rhs := s.Lhs[0], s.Rhs[0]
	if inPlace, large := w.assignsInPlace(rhs); !inPlace && !large {
		defer w.hoistCalls(s.Lhs, s)()
	}
	defer w.enter(lhs, rhs)()
	w.assignOneTo(s.Tok, lhs, rhs)
}

// assignsInPlace says whether an assignment of rhs is recorded before rhs is evaluated, and whether that is because it is large.
func (w *walker) assignsInPlace(rhs ast.Expr) (quiet, large bool) {
	if w.quiet(rhs) {
		h := &hazards{w: w, deep: true}
		if h.value(rhs, nil); len(h.list) == 0 {
			return true, false
		}
	}
	return false, !w.hasPoint(rhs) && w.large(rhs)
}

// assignOneTo is assignOne after the calls in the target were done.
func (w *walker) assignOneTo(tok token.Token, lhs, rhs ast.Expr) {
	inPlace, large := w.assignsInPlace(rhs)
	stored := w.stored(lhs, tok)
	values, targets := []ast.Expr{rhs}, []ast.Expr{lhs}
	if tok == token.DEFINE {
		targets = nil
	}
	visit := func() { w.assignValue(tok, lhs, rhs, stored, inPlace || large) }
	switch {
	case w.stmt != nil && w.stmt.piece && isMapElement(w, lhs):
		w.inOrder(func(h *hazards) { h.assigned(lhs, false); h.rank = 3; h.value(rhs, nil) }, values, targets, false, visit)
	case large && stored && w.place(rhs) == placeShared && w.pure(lhs) && !w.covered(OpRead, rhs):
		// Replace  x.f = y.g
		//
		// with     x.f = *runtime.RacepredAfter(runtime.RacepredR(&y.g, site), runtime.RacepredW(&x.f, site))
		w.inOrder(func(h *hazards) { h.rank = 1; h.value(rhs, nil); h.assigned(lhs, true) }, values, targets, false, func() {
			w.hoistedOnly(lhs)
			r := w.recorder(OpRead, rhs)
			w.accessed(OpRead, rhs)
			w.insert(RuleAfter, rhs.Pos(), "*"+w.rt+".RacepredAfter("+r.name+"(&")
			w.addr(rhs)
			w.insert(RuleAfter, rhs.End(), r.rest()+", "+w.pointer(OpWrite, ast.Unparen(lhs))+")")
		})
	case stored && !inPlace && !large:
		w.inOrder(func(h *hazards) { h.rank = 1; h.value(rhs, nil); h.assigned(lhs, true) }, values, targets, false, visit)
	case stored || tok == token.DEFINE:
		w.inOrder(func(h *hazards) {
			if targets != nil {
				h.assigned(lhs, stored)
			}
			h.rank = 1
			h.value(rhs, nil)
		}, values, targets, false, visit)
	default:
		_, ok := w.order(func(h *hazards) { h.assigned(lhs, false); h.rank = 1; h.value(rhs, nil) })
		loads := w.loadsIn(lhs)
		if ok || len(loads) == 0 || w.copies || w.trying || !w.typed(rhs) || slices.ContainsFunc(loads, func(e ast.Expr) bool { return !w.pure(e) || w.hasPoint(rhs) && w.early(e) }) {
			w.inOrder(func(h *hazards) { h.assigned(lhs, false); h.rank = 1; h.value(rhs, nil) }, values, targets, false, visit)
			return
		}
		w.inOrder(func(h *hazards) { h.rank = 1; h.value(rhs, nil); h.assigned(lhs, false) }, values, targets, false, func() { w.afterValue(lhs, rhs, loads) })
	}
}

func isMapElement(w *walker, e ast.Expr) bool {
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	return ok && isMap(w.Info.TypeOf(x.X))
}

// afterValue has what an unrecorded target loads recorded after the value.
//
// Replace  x.m[k] = s[i]
//
//	with  x.m[k] = runtime.RacepredAfter((*runtime.RacepredR(&s[i], site)), runtime.RacepredR(&x.m, site))
func (w *walker) afterValue(lhs, rhs ast.Expr, loads []ast.Expr) {
	w.hoistedOnly(lhs)
	if x, ok := ast.Unparen(lhs).(*ast.IndexExpr); ok && isMap(w.Info.TypeOf(x.X)) {
		w.nameSite(OpMap, x.X.Pos(), x.X)
	}
	for range loads {
		w.insert(RuleAfter, rhs.Pos(), w.rt+".RacepredAfter(")
	}
	w.value(rhs)
	for _, e := range loads {
		w.insert(RuleAfter, rhs.End(), ", "+w.pointer(OpRead, e)+")")
	}
}

// loadsIn lists the loads of shared memory in a target, but those inside of others.
func (w *walker) loadsIn(e ast.Expr) (loads []ast.Expr) {
	var value func(e ast.Expr)
	value = func(e ast.Expr) {
		e = ast.Unparen(e)
		if w.hoisted[e] != "" || w.isConstant(e) {
			return
		}
		switch e.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr:
			if w.place(e) == placeShared {
				loads = append(loads, e)
				return
			}
		}
		for _, x := range operands(e) {
			value(x)
		}
	}
	for _, x := range operands(ast.Unparen(e)) {
		value(x)
	}
	return loads
}

// assignValue records a single assignment, in place or after the value.
func (w *walker) assignValue(tok token.Token, lhs, rhs ast.Expr, stored, inPlace bool) {
	switch {
	case !stored:
		if tok != token.DEFINE {
			w.target(lhs)
		}
		w.value(rhs)
	case inPlace:
		w.writeInPlace(lhs)
		w.value(rhs)
	default:
		writes := w.copyable([]ast.Expr{lhs}, w.hasPoint(rhs))
		for _, e := range writes {
			w.hoistedOnly(e)
		}
		if len(writes) == 0 {
			w.value(rhs)
			return
		}
		w.after(rhs, lhs, writes)
	}
}

// disordered says whether the targets and values of a parallel assignment could panic in different ways.
func (w *walker) disordered(s *ast.AssignStmt) bool {
	h := &hazards{w: w}
	h.values(s.Rhs...)
	for _, e := range s.Lhs {
		h.assigned(e, false)
	}
	return h.mixed()
}

// inMemoryFirst collects the hazards of the values of a short variable declaration: an assignment to memory makes the compiler
// evaluate the values that follow, if they read memory, before it.
func (w *walker) inMemoryFirst(h *hazards, s *ast.AssignStmt) {
	memory := false
	for i, e := range s.Rhs {
		if h.rank = 100 + i; memory {
			h.rank = i
		}
		h.value(e, nil)
		if id, ok := s.Lhs[i].(*ast.Ident); ok {
			v, _ := w.Info.ObjectOf(id).(*types.Var)
			memory = memory || v != nil && w.inMemory(v)
		}
	}
}

// assignInTurn is rule W6 for a, b = x, y; it says why if that is not possible.
func (w *walker) assignInTurn(s *ast.AssignStmt) Reason {
	switch {
	case w.stmt == nil || !w.stmt.listed:
		return WhyHeader
	case !w.movable(s):
		return WhyMultiline
	}
	first, last := w.tok.PositionFor(s.Pos(), false).Line, w.tok.PositionFor(s.End(), false).Line
	lines := w.lines
	w.lines = lines || first != last
	defer func() { w.lines = lines }()
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
		text += strings.Repeat("\n", last-first) + lineComment(last)
	}
	*w.edits = append(*w.edits, Edit{Off: w.off(s.Pos()), Del: w.off(s.End()) - w.off(s.Pos()), Rule: RuleInTurn, Text: text})
	return ""
}

// maxArg is the size in bytes from which on a value is not handed through a call.
const maxArg = 4 << 10

// large says whether a value is too large to be an argument.
func (w *walker) large(e ast.Expr) bool {
	t := w.Info.TypeOf(e)
	switch core(t).(type) {
	case *types.Array, *types.Struct:
		return !dependsOnTypeParam(t) && sizes.Sizeof(t) > maxArg
	}
	return false
}

// sizes are those of any 64-bit target: good enough to tell large from small.
var sizes = types.SizesFor("gc", "amd64")

// writeInPlace is rule W1.
func (w *walker) writeInPlace(lhs ast.Expr) {
	lhs = ast.Unparen(lhs)
	r := w.recorder(OpWrite, lhs)
	w.insert(RuleWrite, lhs.Pos(), "*"+r.name+"(&")
	w.addr(lhs)
	w.insert(RuleWrite, lhs.End(), r.rest())
}

// copyable sorts out the left sides whose address cannot be computed again; calls says
// whether anything is called in between.
func (w *walker) copyable(lhs []ast.Expr, calls bool) []ast.Expr {
	var ok []ast.Expr
	for _, e := range lhs {
		if w.pure(e) && !(calls && w.early(e)) {
			ok = append(ok, e)
			continue
		}
		why := WhyLateOperand
		if !w.movable(e) {
			why = WhyMultiline
		}
		w.miss(e, why)
		w.addr(e)
	}
	return ok
}

// after visits rhs and has the writes of the left sides recorded when it was evaluated.
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
		w.insert(RuleAfter, rhs.Pos(), w.rt+"."+fn[len(writes)-1-i]+"(")
	}
	w.value(rhs)
	for _, e := range writes {
		w.insert(RuleAfter, rhs.End(), ", "+w.pointer(OpWrite, ast.Unparen(e))+")")
	}
}

// afterFunc chooses, innermost first, the functions that hand rhs through. RacepredAfterT gives
// an untyped rhs the type of what the pointer points to.
func (w *walker) afterFunc(rhs, lhs ast.Expr, writes []ast.Expr) (fns []string, ok bool) {
	fns = make([]string, len(writes))
	for i := range fns {
		fns[i] = "RacepredAfter"
	}
	if w.typed(rhs) || len(writes) == 0 {
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

// typed says whether an expression that is not constant has a type of its own,
// so that it keeps it when it becomes an argument: comparisons and shifts of constants have none.
func (w *walker) typed(e ast.Expr) bool {
	tv := w.Info.Types[e]
	if tv.Value != nil || tv.IsNil() {
		return false
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.typed(e.X)
	case *ast.UnaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.XOR, token.NOT:
			return w.typed(e.X)
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return false
		case token.SHL, token.SHR:
			return w.typed(e.X)
		}
		return w.typed(e.X) || w.typed(e.Y)
	}
	return true
}

// opAssign visits x op= y.
//
// Replace  x.f += 2
//
//	with  *runtime.RacepredW(runtime.RacepredR(&x.f, site), site) += 2
//
// Replace  x.f += g()
//
//	with  x.f += runtime.RacepredAfter(g(), runtime.RacepredW(runtime.RacepredR(&x.f, site), site))
func (w *walker) opAssign(s *ast.AssignStmt) {
	lhs, rhs := ast.Unparen(s.Lhs[0]), s.Rhs[0]
	if !w.quiet(rhs) {
		defer w.hoistCalls(s.Lhs, s)()
	}
	defer w.enter(lhs, rhs)()
	stored := w.stored(lhs, s.Tok)
	lhsFirst := func(h *hazards) {
		if x, ok := lhs.(*ast.IndexExpr); ok && isMap(w.Info.TypeOf(x.X)) && s.Tok != token.QUO_ASSIGN && s.Tok != token.REM_ASSIGN {
			h.assigned(lhs, false)
		} else {
			h.updated(lhs, stored)
		}
		h.rank = 1
		h.value(rhs, nil)
	}
	switch {
	case !stored:
		w.inOrder(lhsFirst, s.Rhs, s.Lhs, false, func() {
			w.target(lhs)
			w.value(rhs)
		})
	case w.quiet(rhs) && !w.valuePanics(rhs):
		w.updateInPlace(lhs)
		w.value(rhs)
	default:
		h := &hazards{w: w, deep: true}
		lhsFirst(h)
		if !h.mixed() {
			w.updateAfter(s, lhs, rhs, true)
			return
		}
		w.inOrder(func(h *hazards) { lhsFirst(h); h.rank = 2; h.write() }, s.Rhs, s.Lhs, false, func() { w.updateAfter(s, lhs, rhs, false) })
	}
}

// updateAfter records x op= y when y has been evaluated: the read of x before it, or after the last call in it, the write
// after it. Both come after it if any order will do.
func (w *walker) updateAfter(s *ast.AssignStmt, lhs, rhs ast.Expr, anyOrder bool) {
	if !w.pure(lhs) || w.hasPoint(rhs) && w.early(lhs) {
		w.miss(lhs, WhyLateOperand)
		w.addr(lhs)
		w.value(rhs)
		return
	}
	fn, suffix := "RacepredUpdate", ""
	if !w.typed(rhs) {
		shift := s.Tok == token.SHL_ASSIGN || s.Tok == token.SHR_ASSIGN
		if shift || !types.Identical(w.Info.TypeOf(rhs), w.Info.TypeOf(lhs)) {
			w.miss(lhs, WhyUntyped)
			w.addr(lhs)
			w.value(rhs)
			return
		}
		suffix = "T"
	}
	markAfter := w.region.mark != nil && w.region.mark.Pos() >= lhs.End()
	if !anyOrder && !w.hasPoint(rhs) && !markAfter && !w.copies && w.stmt != nil && w.stmt.listed && w.stmt.edits == w.edits && len(w.hoisted) == 0 && w.pure(lhs) {
		// Replace  a[i] += b[j]
		//
		// with     { t1 := runtime.RacepredR(&a[i], site); *t1 += runtime.RacepredAfter((*runtime.RacepredR(&b[j], site)), runtime.RacepredW(t1, site)) }
		t := w.temp()
		pointer := w.pointer(OpRead, lhs)
		w.replace(RuleAfter, lhs, "{ "+t+" := "+pointer+"; *"+t)
		w.around(RuleAfter, rhs, w.rt+".RacepredAfter"+suffix+"(", func() { w.value(rhs) }, ", "+w.recorder(OpWrite, lhs).on(t)+")")
		w.insert(RuleAfter, s.End(), " }")
		return
	}
	w.hoistedOnly(lhs)
	switch {
	case anyOrder:
		w.insert(RuleAfter, rhs.Pos(), w.rt+".RacepredAfter"+suffix+"(")
		w.value(rhs)
		w.insert(RuleAfter, rhs.End(), ", "+w.recorder(OpWrite, lhs).on(w.pointer(OpRead, lhs))+")")
		return
	case w.covered(OpRead, lhs):
		w.drop(OpRead, lhs)
		fn = "RacepredAfter"
		w.insert(RuleAfter, rhs.Pos(), w.rt+"."+fn+suffix+"(")
	case markAfter:
		w.accessed(OpRead, lhs)
		w.region.waiting = append(w.region.waiting, w.pointer(OpRead, lhs))
		fn = "RacepredAfter"
		w.insert(RuleAfter, rhs.Pos(), w.rt+"."+fn+suffix+"(")
	case w.region.last != nil && w.region.attach:
		w.accessed(OpRead, lhs)
		w.region.pending = append(w.region.pending, w.pointer(OpRead, lhs))
		fn = "RacepredAfter"
		w.insert(RuleAfter, rhs.Pos(), w.rt+"."+fn+suffix+"(")
	default:
		w.insert(RuleAfter, rhs.Pos(), w.rt+"."+fn+suffix+"("+w.pointer(OpRead, lhs)+", ")
	}
	w.value(rhs)
	w.insert(RuleAfter, rhs.End(), ", "+w.pointer(OpWrite, lhs)+")")
}

// updateInPlace records a read and a write of x in x++ and x += 2.
func (w *walker) updateInPlace(x ast.Expr) {
	if w.covered(OpRead, x) {
		w.drop(OpRead, x)
		w.writeInPlace(x)
		return
	}
	read, write := w.recorder(OpRead, x), w.recorder(OpWrite, x)
	w.insert(RuleWrite, x.Pos(), "*"+write.name+"("+read.name+"(&")
	w.addr(x)
	w.insert(RuleWrite, x.End(), read.rest()+write.rest())
}

func (w *walker) incDec(s *ast.IncDecStmt) {
	x := ast.Unparen(s.X)
	defer w.enter(x)()
	w.inOrder(func(h *hazards) { h.updated(x, w.stored(x, token.ASSIGN)) }, nil, []ast.Expr{x}, false, func() {
		if w.stored(x, token.ASSIGN) {
			w.updateInPlace(x)
		} else {
			w.target(x)
		}
	})
}

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
	plain := true
	for _, lhs := range s.Lhs {
		lhs = ast.Unparen(lhs)
		if _, ok := lhs.(*ast.Ident); !ok {
			plain = false
		}
		if w.stored(lhs, s.Tok) {
			writes = append(writes, lhs)
		}
	}
	if len(writes) > 0 && !plain && w.stmt != nil && w.stmt.listed && w.splitTuple(s, writes) {
		return
	}
	func() {
		defer w.enter(slices.Concat(s.Lhs, s.Rhs)...)()
		for _, lhs := range s.Lhs {
			if lhs = ast.Unparen(lhs); !w.stored(lhs, s.Tok) && s.Tok != token.DEFINE {
				w.target(lhs)
			}
		}
		w.value(s.Rhs[0])
	}()
	for _, e := range writes {
		if w.pure(e) && w.settled(e, s.Lhs) && !(w.hasPoint(s.Rhs[0]) && w.early(e)) {
			w.recordNext(e)
		} else {
			w.miss(e, WhyLateOperand)
		}
	}
}

// settled says whether the address of e is the same after an assignment to all of lhs.
func (w *walker) settled(e ast.Expr, lhs []ast.Expr) bool {
	loads := w.addressLoads(e)
	uses := map[types.Object]bool{}
	if _, ok := e.(*ast.Ident); !ok {
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				uses[w.Info.ObjectOf(id)] = true
			}
			return true
		})
	}
	for _, other := range lhs {
		if other = ast.Unparen(other); other == e || isBlank(other) {
			continue
		}
		if id, ok := other.(*ast.Ident); ok && uses[w.Info.ObjectOf(id)] || !ok && loads {
			return false
		}
	}
	return true
}

// recordNext has the write of a plain variable recorded after the statement at
// hand or, if that is the head of another one, when its condition is evaluated.
func (w *walker) recordNext(e ast.Expr) {
	switch {
	case w.stmt == nil:
		w.miss(e, WhyHeader)
	case w.stmt.listed:
		w.stmt.after = append(w.stmt.after, w.pointer(OpWrite, e))
	case w.stmt.cond && w.universe(e, "nil"):
		w.stmt.heads = append(w.stmt.heads, w.pointer(OpWrite, e))
	default:
		w.miss(e, WhyHeader)
	}
}

// splitTuple is the second form of rule W4; it says whether that was possible.
func (w *walker) splitTuple(s *ast.AssignStmt, writes []ast.Expr) bool {
	parts := w.tupleTypes(s)
	for i, lhs := range s.Lhs {
		if _, ok := w.points(lhs); !ok || !w.movable(lhs) {
			return false
		}
		if !isBlank(lhs) && !types.AssignableTo(parts[i], w.Info.TypeOf(lhs)) {
			return false
		}
	}
	if w.inTurn(s.Lhs, s.Tok) != nil {
		return w.splitInTurn(s)
	}
	defer w.hoistCalls(s.Lhs, s)()
	for _, lhs := range s.Lhs {
		if !w.pure(lhs) || w.hasPoint(s.Rhs[0]) && w.early(lhs) { // nothing was hoisted
			return false
		}
	}
	temps := make([]string, len(s.Lhs))
	values := make([]string, len(s.Lhs))
	targets := make([]string, len(s.Lhs))
	for i, lhs := range s.Lhs {
		targets[i] = w.copied(lhs, func(c *walker) { c.hoistedOnly(lhs) })
		if isBlank(lhs) {
			temps[i], values[i] = "_", ""
			continue
		}
		temps[i] = w.temp()
		values[i] = temps[i]
		if w.stored(lhs, s.Tok) {
			continue
		}
		targets[i] = w.copied(lhs, func(c *walker) { c.target(lhs) })
	}
	targets, values = withoutBlank(targets, values)
	last := len(values) - 1
	for _, e := range writes {
		values[last] = w.call("RacepredAfter", values[last], w.pointer(OpWrite, e))
	}
	// { t1, t2 := f(); x.a, x.b = t1, After(t2, ...) }
	start, end := s.Lhs[0].Pos(), s.Rhs[0].Pos()
	*w.edits = append(*w.edits, Edit{
		Off: w.off(start), Del: w.off(end) - w.off(start), Rule: RuleTuple,
		Text: "{ " + strings.Join(temps, ", ") + " := " + newlines(w.Bytes[w.off(start):w.off(end)]),
	})
	w.eval(s.Rhs[0])
	w.insert(RuleTuple, s.Rhs[0].End(), "; "+strings.Join(targets, ", ")+" = "+strings.Join(values, ", ")+" }")
	return true
}

// splitInTurn is rule W6 for a, b = f() and the comma-ok forms.
func (w *walker) splitInTurn(s *ast.AssignStmt) bool {
	temps := make([]string, len(s.Lhs))
	var todo []assignment
	for i, lhs := range s.Lhs {
		temps[i] = "_"
		if !isBlank(lhs) {
			temps[i] = w.temp()
			todo = append(todo, assignment{lhs: lhs, text: temps[i]})
		}
	}
	before, text, why := w.sequence(s.Tok, todo)
	if why != "" {
		return false
	}
	w.fill(w.stmt.slot, RuleHoist, "{ "+before)
	start, end := s.Lhs[0].Pos(), s.Rhs[0].Pos()
	*w.edits = append(*w.edits, Edit{
		Off: w.off(start), Del: w.off(end) - w.off(start), Rule: RuleTuple,
		Text: strings.Join(temps, ", ") + " := " + newlines(w.Bytes[w.off(start):w.off(end)]),
	})
	w.eval(s.Rhs[0])
	w.insert(RuleInTurn, s.Rhs[0].End(), "; "+text+" }")
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

func isBlank(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "_"
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

// newlines are the line ends among the bytes, for text that replaces them.
func newlines(src []byte) string {
	return strings.Repeat("\n", strings.Count(string(src), "\n"))
}
