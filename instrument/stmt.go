package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// stmtContext is what can be done around the simple statement at hand.
type stmtContext struct {
	slot    int    // the place before it, if listed
	label   string // its label, if any
	labeled *ast.LabeledStmt
	listed  bool         // it stands in a statement list: text can go before and after it
	after   []string     // statements for after it
	cond    bool         // it is in the head of a statement whose condition is evaluated next
	around  *stmtContext // the statement whose head it is in, if listed
	heads   []string     // pointers to be computed before that condition
	simple  bool         // it is evaluated once, from its begin to its end, and calls at most call
	call    ast.Expr
	piece   bool    // it is one of those that a parallel assignment becomes
	edits   *[]Edit // slot is one of these

	declared []string // variables for it, to be declared before it
	closing  []string // what closes blocks that were opened before it
}

func (w *walker) block(b *ast.BlockStmt) { w.list(b.List) }

func (w *walker) list(stmts []ast.Stmt) {
	for _, s := range stmts {
		w.listed(s)
	}
}

// listed visits a statement of a list.
func (w *walker) listed(s ast.Stmt) {
	outer := w.stmt
	defer func() { w.stmt = outer }()
	if l, ok := s.(*ast.LabeledStmt); ok && !loopLike(l.Stmt) {
		// Nothing may go between the label of a loop and the loop; and what goes
		// before another statement must be run by a goto, too.
		if w.locals.gotos[l.Label.Name] {
			w.facts.clear()
		}
		if _, empty := l.Stmt.(*ast.EmptyStmt); !empty {
			w.branch(false, func() { w.listed(l.Stmt) })
		}
		return
	}
	w.stmt = &stmtContext{listed: true, slot: w.reserve(s.Pos()), edits: w.edits}
	w.stmt.simple, w.stmt.call = w.soleCall(s)
	if l, ok := s.(*ast.LabeledStmt); ok {
		w.stmt.label, w.stmt.labeled = l.Label.Name, l
		if w.locals.gotos[w.stmt.label] {
			w.facts.clear()
		}
	}
	outerOpaque := w.opaque
	w.opaque = &opaqueSlot{}
	w.statement(s)
	if found := w.opaque; found.pos != token.NoPos {
		w.fill(w.stmt.slot, RuleOpaque, w.opaqueText(found)+"; ") // (O4)
	}
	w.opaque = outerOpaque
	w.finish(s)
}

// soleCall says whether s is a simple statement that evaluates all its operands and calls or receives at most once; call
// is that call.
func (w *walker) soleCall(s ast.Stmt) (simple bool, call ast.Expr) {
	switch s.(type) {
	case *ast.ExprStmt, *ast.SendStmt, *ast.IncDecStmt, *ast.AssignStmt, *ast.GoStmt, *ast.DeferStmt, *ast.ReturnStmt:
	default:
		return false, nil
	}
	simple = true
	found := func(e ast.Expr) {
		simple = simple && call == nil
		call = e
	}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if w.callKind(n) == callFunction {
				found(n)
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				found(n)
			}
		case *ast.BinaryExpr:
			simple = simple && n.Op != token.LAND && n.Op != token.LOR
		}
		return true
	})
	return simple, call
}

func loopLike(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}

// head visits a simple statement in the head of another one. The pointers it
// returns are to be computed when the condition is.
func (w *walker) head(s ast.Stmt, cond bool) (heads []string) {
	if s == nil {
		return nil
	}
	outer := w.stmt
	w.stmt = &stmtContext{cond: cond, around: outer}
	w.statement(s)
	heads = w.stmt.heads
	w.stmt = outer
	return heads
}

// condition visits the condition of an if statement.
//
// (H1) Replace  if v, err = f(); err != nil
//
//	with  if v, err = f(); runtime.RacepredW(&err, site) != nil && (err != nil)
func (w *walker) condition(e ast.Expr, heads []string) {
	for _, h := range heads {
		w.insert(RuleHeader, e.Pos(), h+" != nil && (")
	}
	w.eval(e)
	for range heads {
		w.insert(RuleHeader, e.End(), ")")
	}
}

func (w *walker) statement(s ast.Stmt) {
	switch s.(type) {
	case *ast.ExprStmt, *ast.SendStmt, *ast.IncDecStmt, *ast.AssignStmt, *ast.DeclStmt, *ast.GoStmt, *ast.DeferStmt, *ast.ReturnStmt:
		defer w.straight(s)()
	}
	switch s := s.(type) {
	case *ast.ExprStmt:
		w.discarded(s.X)
		w.eval(s.X)
	case *ast.SendStmt:
		w.nameSite(OpSend, s.Arrow, s.Chan)
		w.eval(s.Chan, s.Value)
	case *ast.IncDecStmt:
		w.incDec(s)
		w.assigned(token.ASSIGN, s.X)
	case *ast.AssignStmt:
		w.assignStmt(s)
		w.assigned(s.Tok, s.Lhs...)
	case *ast.DeclStmt:
		w.declStmt(s)
	case *ast.GoStmt:
		w.goStmt(s)
	case *ast.DeferStmt:
		w.deferStmt(s)
	case *ast.ReturnStmt:
		w.returnStmt(s)
	case *ast.BlockStmt:
		w.block(s)
	case *ast.IfStmt:
		w.ifStmt(s)
	case *ast.SwitchStmt:
		w.switchStmt(s)
	case *ast.TypeSwitchStmt:
		w.header(s, s.Init, func() { w.head(s.Init, false) })
		end := w.straight(s.Assign)
		w.typeSwitchGuard(s.Assign)
		end()
		w.clauses(s.Body)
	case *ast.SelectStmt:
		w.selectStmt(s)
	case *ast.ForStmt:
		w.forStmt(s)
	case *ast.RangeStmt:
		w.rangeStmt(s)
	case *ast.BranchStmt:
		w.continues(s)
	case *ast.LabeledStmt:
		w.statement(s.Stmt)
	}
}

// declStmt visits var a, b = x, y. The variables are new, so their
// initialization is not recorded.
func (w *walker) declStmt(s *ast.DeclStmt) {
	decl, ok := s.Decl.(*ast.GenDecl)
	if !ok || decl.Tok != token.VAR {
		return
	}
	for _, spec := range decl.Specs {
		if spec, ok := spec.(*ast.ValueSpec); ok {
			w.declared(spec)
		}
	}
}

// declared visits the values of new variables, which the compiler assigns one by one.
func (w *walker) declared(spec *ast.ValueSpec) {
	defer w.enter(spec.Values...)()
	w.inOrder(func(h *hazards) {
		memory := false
		for i, e := range spec.Values {
			if h.rank = 100 + i; memory {
				h.rank = i
			}
			h.value(e, nil)
			if i < len(spec.Names) {
				v, _ := w.Info.ObjectOf(spec.Names[i]).(*types.Var)
				memory = memory || v != nil && w.inMemory(v)
			}
		}
	}, spec.Values, nil, false, func() {
		for _, e := range spec.Values {
			w.value(e)
		}
	})
}

// goStmt visits go f(x). What f does is done on another goroutine, outside of
// every critical section of this one, so it is never an opaque call here.
func (w *walker) goStmt(s *ast.GoStmt) {
	w.discarded(s.Call)
	w.nameSite(OpGo, s.Pos(), s.Call.Fun)
	w.spawned(s.Call)
}

// spawned visits the operands of a call that is run later.
func (w *walker) spawned(call *ast.CallExpr) {
	if w.callKind(call) == callBuiltin {
		switch name := w.builtin(call); {
		case name == "copy":
			w.copyCall(call)
		case name == "clear" && isSlice(w.Info.TypeOf(call.Args[0])):
			w.deferredClear(call)
		default:
			w.eval(call.Args...)
		}
		return
	}
	w.spawning = true
	w.operandsOf(call)
	w.spawning = false
}

// deferStmt visits defer f(x).
//
// (O6) Replace  defer w.Flush()
//
//	with  defer w.Flush(); defer runtime.RacepredOpaque(site)
func (w *walker) deferStmt(s *ast.DeferStmt) {
	w.discarded(s.Call)
	w.spawned(s.Call)
	w.lockSite(s.Call)
	if w.callKind(s.Call) != callFunction {
		return
	}
	if opaque, dynamic := w.isOpaque(s.Call); opaque {
		w.noteOpaque(s.Call, dynamic, true)
		w.insert(RuleOpaque, s.End(), "; defer "+w.opaqueText(&opaqueSlot{s.Call.Pos(), w.text(s.Call.Fun)}))
	}
}

func (w *walker) ifStmt(s *ast.IfStmt) {
	var heads []string
	if w.header(s, s.Init, func() { heads = w.head(s.Init, true) }) {
		heads = nil // those of a trial
	}
	end := w.straight(s.Cond)
	w.condition(s.Cond, heads)
	end()
	w.branch(w.leaves(s.Body), func() { w.block(s.Body) })
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		w.branch(w.leaves(e), func() { w.block(e) })
	case *ast.IfStmt:
		w.elseIf(e)
	}
}

// finish puts in what the present statement, s, needs before and behind it.
func (w *walker) finish(s ast.Stmt) {
	for _, text := range w.stmt.declared {
		w.fill(w.stmt.slot, RuleLate, text)
	}
	for _, text := range w.stmt.after {
		w.insert(RuleTuple, s.End(), "; "+text)
	}
	for _, text := range w.stmt.closing {
		w.insert(RuleHeader, s.End(), text)
	}
}

// elseIf visits else if. What has to go before it makes it a block:
//
// Replace  else if x.f, y.g[i] = a, b; c { ... }
//
//	with  else { ...; if ; c { ... } }
func (w *walker) elseIf(s *ast.IfStmt) {
	outer := w.stmt
	defer func() { w.stmt = outer }()
	w.stmt = &stmtContext{listed: true, slot: w.reserve(s.Pos()), edits: w.edits}
	w.branch(false, func() { w.ifStmt(s) })
	w.finish(s)
	if (*w.edits)[w.stmt.slot].Text != "" {
		w.fill(w.stmt.slot, RuleHeader, "{ ")
		w.insert(RuleHeader, s.End(), " }")
	}
}

func (w *walker) switchStmt(s *ast.SwitchStmt) {
	w.header(s, s.Init, func() { w.head(s.Init, false) })
	if s.Tag != nil {
		end := w.straight(s.Tag)
		w.eval(s.Tag)
		end()
	}
	w.clauses(s.Body)
}

func (w *walker) clauses(body *ast.BlockStmt) {
	for _, c := range body.List { // default comes after all of them, wherever it stands
		for _, e := range c.(*ast.CaseClause).List {
			if w.synchronizes(e) {
				w.facts.clear()
			}
		}
	}
	for _, c := range body.List {
		c := c.(*ast.CaseClause)
		w.branch(false, func() {
			for _, e := range c.List {
				end := w.straight(e)
				w.branch(false, func() { w.eval(e) })
				end()
			}
			w.list(c.Body)
		})
	}
}

// typeSwitchGuard visits x := y.(type) and y.(type).
func (w *walker) typeSwitchGuard(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		w.eval(s.X)
	case *ast.AssignStmt:
		w.eval(s.Rhs[0])
	}
}

// selectStmt visits a select: the channels and the values of all its cases
// are evaluated first, what a chosen receive assigns when it was chosen.
func (w *walker) selectStmt(s *ast.SelectStmt) {
	defer w.straight(s)()
	for _, c := range s.Body.List {
		c := c.(*ast.CommClause)
		var after []string
		w.facts.off = true
		switch comm := c.Comm.(type) {
		case *ast.SendStmt:
			w.statement(comm)
		case *ast.ExprStmt:
			w.eval(comm.X)
		case *ast.AssignStmt:
			w.eval(comm.Rhs[0])
			after = w.assignedBefore(comm.Lhs, comm.Tok)
		}
		for _, text := range after {
			w.insert(RuleTuple, c.Colon+1, " "+text+";")
		}
		w.facts.off = false
		w.branch(false, func() { w.list(c.Body) })
		w.facts.clear()
	}
}

// assignedBefore are the recording calls for what was assigned when a body begins.
func (w *walker) assignedBefore(lhs []ast.Expr, tok token.Token) (calls []string) {
	for _, e := range lhs {
		switch {
		case e == nil || isBlank(e):
		case !w.stored(e, tok):
			if tok == token.ASSIGN && !w.quiet(e) && !w.pure(e) {
				w.miss(e, WhyHeader)
			}
		case !w.pure(e):
			w.miss(e, WhyHeader)
		default:
			calls = append(calls, w.pointer(OpWrite, ast.Unparen(e)))
		}
	}
	return calls
}

// headPanics says whether something in the head of a loop that is evaluated before its condition, or with the first operand of
// it, may panic in another way than a nil pointer does, or is called.
func (w *walker) headPanics(s *ast.ForStmt) bool {
	first := s.Cond
	for x, ok := ast.Unparen(first).(*ast.BinaryExpr); ok && (x.Op == token.LAND || x.Op == token.LOR); x, ok = ast.Unparen(first).(*ast.BinaryExpr) {
		first = x.X
	}
	if w.hasPoint(first) {
		return true
	}
	h := &hazards{w: w, deep: true}
	h.value(first, nil)
	switch init := s.Init.(type) {
	case nil:
	case *ast.AssignStmt:
		for _, e := range slices.Concat(init.Lhs, init.Rhs) {
			if w.hasPoint(e) {
				return true
			}
			h.address(e, nil, nil)
		}
	default:
		return true
	}
	return slices.ContainsFunc(h.list, func(x hazard) bool { return !x.nil })
}

func (w *walker) forStmt(s *ast.ForStmt) {
	for _, e := range w.loopReads(s) {
		if w.addressPanics(e) && w.headPanics(s) {
			continue // perhaps in another way before
		}
		w.fill(w.stmt.slot, RuleLoop, w.pointer(OpRead, e)+"; ")
		w.accessed(OpRead, e)
	}
	w.header(s, s.Init, func() { w.head(s.Init, false) })
	w.again(s)
	defer w.enterLoop(s)()
	post := &opaqueSlot{}
	visitPost := func() {
		outer := w.opaque
		w.opaque = post
		w.branch(false, func() { w.head(s.Post, false) })
		w.opaque = outer
	}
	switch {
	case s.Cond == nil:
		visitPost()
		if post.pos != token.NoPos {
			w.insert(RuleOpaque, s.Body.Lbrace+1, " "+w.opaqueText(post)+";")
		}
	case isBool(w.Info.TypeOf(s.Cond)):
		// What the post statement does is announced when the condition is evaluated next.
		slot := w.reserve(s.Cond.Pos())
		end := w.straight(s.Cond)
		w.opaqueOperand(s.Cond)
		end()
		after := w.reserve(s.Cond.End())
		visitPost()
		if post.pos != token.NoPos {
			w.fill(slot, RuleOpaque, w.call("RacepredOpaqueT", w.site(OpOpaque, post.pos, post.expr))+" && (")
			w.fill(after, RuleOpaque, ")")
		}
	default: // a boolean type of the user's
		end := w.straight(s.Cond)
		w.eachTime(s.Body, func() { w.eval(s.Cond) })
		end()
		visitPost()
		if post.pos != token.NoPos {
			w.insert(RuleOpaque, s.Body.Lbrace+1, " "+w.opaqueText(post)+";")
		}
	}
	w.branch(false, func() { w.loopBody(s) })
}
