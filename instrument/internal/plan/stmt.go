package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/emit"
	"github.com/racepred/racepred/instrument/internal/hazard"
	"github.com/racepred/racepred/instrument/internal/site"
)

// stmtContext says what can be put around the simple statement at hand.
type stmtContext struct {
	gap     emit.Gap // the place before it, if listed
	label   string   // its label, if any
	labeled *ast.LabeledStmt
	listed  bool         // it stands in a statement list: text can go before and after it
	after   []string     // statements for after it
	cond    bool         // it is in the head of a statement whose condition is evaluated next
	around  *stmtContext // the statement whose head it is in, if listed
	heads   []string     // pointers to be computed before that condition
	simple  bool         // it is evaluated once, as a whole, and calls at most call
	call    ast.Expr
	piece   bool // it is one of those that a parallel assignment becomes

	declared []string // variables for it, to be declared before it
	closing  []string // the ends of blocks that were opened before it
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
		// Nothing may go between the label of a loop and the loop. Text before
		// another statement goes after its label, so that a goto runs it, too.
		if w.Locals.Gotos[l.Label.Name] {
			w.facts.Clear()
		}
		if _, empty := l.Stmt.(*ast.EmptyStmt); !empty {
			w.branch(false, func() { w.listed(l.Stmt) })
		}
		return
	}
	w.stmt = &stmtContext{listed: true, gap: w.Gap(s.Pos())}
	w.stmt.simple, w.stmt.call = w.SoleCall(s)
	if l, ok := s.(*ast.LabeledStmt); ok {
		w.stmt.label, w.stmt.labeled = l.Label.Name, l
		if w.Locals.Gotos[w.stmt.label] {
			w.facts.Clear()
		}
	}
	found := w.announcing(s, func() { w.statement(s) })
	if found.pos != token.NoPos {
		w.stmt.gap.Fill(RuleOpaque, w.opaqueText(found.pos, found.expr)+"; ") // (instrument/O4)
	}
	if found.moved || found.callsBack { // (instrument/O14)
		for _, text := range w.behind(found, found.places, nil) {
			switch s.(type) {
			case *ast.AssignStmt, *ast.ExprStmt, *ast.RangeStmt: // all of it may have been moved; the body of the loop may have taken the lock
				w.stmt.after = append(w.stmt.after, text)
			}
			if _, ok := s.(*ast.AssignStmt); !ok && found.moved {
				w.stmt.gap.Append(RuleOpaque, text+"; ")
			}
		}
	}
	w.finish(s)
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
		w.nameSite(site.OpSend, s.Arrow, s.Chan)
		w.eval(s.Chan, s.Value)
	case *ast.IncDecStmt:
		w.modified(w.incDec(s), token.ASSIGN, s.X)
	case *ast.AssignStmt:
		if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
			w.modified(w.opAssign(s), s.Tok, s.Lhs[0])
			break
		}
		for i, e := range s.Lhs {
			if id, ok := e.(*ast.Ident); ok && id.Name == "_" && len(s.Lhs) == len(s.Rhs) {
				w.discarded(s.Rhs[i])
			}
		}
		w.assignStmt(s)
		if w.pushed == nil {
			w.assigned(s.Tok, s.Lhs...)
		}
		w.pushed = nil
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
	w.inOrder(func(h *hazard.Hazards) {
		memory := false
		for i, e := range spec.Values {
			if h.Rank = 100 + i; memory {
				h.Rank = i
			}
			h.Value(e, nil)
			if i < len(spec.Names) {
				v, _ := w.Info.ObjectOf(spec.Names[i]).(*types.Var)
				memory = memory || v != nil && w.InMemory(v)
			}
		}
	}, spec.Values, nil, false, func() {
		for _, e := range spec.Values {
			w.value(e)
		}
	})
}

// finish puts in the text that s, the statement at hand, needs before and after it.
func (w *walker) finish(s ast.Stmt) {
	for _, text := range w.stmt.declared {
		w.stmt.gap.Fill(RuleLate, text)
	}
	for _, text := range w.stmt.after {
		w.Insert(RuleTuple, s.End(), "; "+text)
	}
	for _, text := range w.stmt.closing {
		w.Insert(RuleHeader, s.End(), text)
	}
}
