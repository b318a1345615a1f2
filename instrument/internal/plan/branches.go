package plan

import (
	"go/ast"
	"go/token"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
)

// condition visits the condition of an if statement.
//
// (H1) Replace  if v, err = f(); err != nil
//
//	with  if v, err = f(); runtime.RacepredW(&err, site) != nil && (err != nil)
func (w *walker) condition(e ast.Expr, heads []string) {
	for _, h := range heads {
		w.Insert(RuleHeader, e.Pos(), h+" != nil && (")
	}
	w.eval(e)
	for range heads {
		w.Insert(RuleHeader, e.End(), ")")
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
	w.branch(w.span().Leaves(s.Body), func() { w.block(s.Body) })
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		w.branch(w.span().Leaves(e), func() { w.block(e) })
	case *ast.IfStmt:
		w.elseIf(e)
	}
}

// elseIf visits else if. It becomes a block if something has to go before it:
//
// Replace  else if x.f, y.g[i] = a, b; c { ... }
//
//	with  else { ...; if ; c { ... } }
func (w *walker) elseIf(s *ast.IfStmt) {
	outer := w.stmt
	defer func() { w.stmt = outer }()
	w.stmt = &stmtContext{listed: true, gap: w.Gap(s.Pos())}
	w.branch(false, func() { w.ifStmt(s) })
	w.finish(s)
	if !w.stmt.gap.Empty() {
		w.stmt.gap.Fill(RuleHeader, "{ ")
		w.Insert(RuleHeader, s.End(), " }")
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
	for _, c := range body.List { // default is run after all expressions, wherever it stands
		for _, e := range c.(*ast.CaseClause).List {
			if w.span().Synchronizes(e) {
				w.facts.Clear()
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
// are evaluated first, the targets of a receive when its case is chosen.
func (w *walker) selectStmt(s *ast.SelectStmt) {
	defer w.straight(s)()
	for _, c := range s.Body.List {
		c := c.(*ast.CommClause)
		var after []string
		w.facts.Off = true
		switch comm := c.Comm.(type) {
		case *ast.SendStmt:
			w.statement(comm)
		case *ast.ExprStmt:
			w.eval(comm.X)
		case *ast.AssignStmt:
			w.eval(comm.Rhs[0])
			after = w.assignedBefore(comm.Lhs, comm.Tok)
			for _, e := range comm.Lhs {
				if w.opaque != nil && !w.copies && w.survey(e).locks > 0 { // (O14) nothing can be put behind the call
					after = append(after, w.opaqueText(e.Pos(), w.Written(e)))
				}
			}
		}
		for _, text := range after {
			w.Ahead(RuleTuple, c.Colon+1, " "+text+";")
		}
		w.facts.Off = false
		w.branch(false, func() { w.list(c.Body) })
		w.facts.Clear()
	}
}

// reread lists statements that record what is read to find e, which is not recorded itself.
func (w *walker) reread(e ast.Expr) (texts []string) {
	add := func(op string, e ast.Expr, visit func(*walker)) {
		if text := w.copied(e, visit); text != w.copied(e, func(*walker) {}) {
			texts = append(texts, "_ = "+op+text)
		}
	}
	e = ast.Unparen(e)
	if x, ok := e.(*ast.IndexExpr); ok && gotypes.IsMap(w.Info.TypeOf(x.X)) {
		for _, part := range []ast.Expr{x.X, x.Index} {
			add("", part, func(c *walker) { c.eval(part) })
		}
	} else {
		add("&", e, func(c *walker) { c.addr(e) })
	}
	return texts
}

// assignedBefore are the recording calls for targets that were assigned before a body begins.
func (w *walker) assignedBefore(lhs []ast.Expr, tok token.Token) (calls []string) {
	for _, e := range lhs {
		switch {
		case e == nil || gotypes.IsBlank(e):
		case !w.stored(e, tok) && (tok != token.ASSIGN || w.Quiet(e)):
		case !w.Pure(e):
			w.miss(e, WhyHeader)
		case !w.stored(e, tok):
			calls = append(calls, w.reread(e)...)
		default:
			calls = append(calls, w.pointer(site.OpWrite, ast.Unparen(e)))
		}
	}
	return calls
}
