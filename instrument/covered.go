package instrument

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/local"
	"github.com/racepred/racepred/internal/typeset"
)

// A fact is a location that this goroutine has certainly accessed, and had
// recorded, since it last synchronized. Another access of it tells nothing new (rules C of
// doc.go): it has the same clock and the same locks, so it races with nothing that
// the first does not race with, and the recorder drops it, too (rpFilter of package rt).
type fact struct {
	op   Op // OpWrite covers both
	at   token.Pos
	uses []*types.Var // local variables that the address is computed from
}

// facts are those at the statement at hand.
type facts struct {
	known  map[string]fact
	off    bool              // the statement at hand synchronizes or calls
	writes map[string]fact   // of the statement at hand; facts when it is over
	thrown map[ast.Expr]fact // loads that need not be recorded, since nobody looks at the value (D2)

	// What happened since the innermost branch or loop began.
	cleared bool
	killed  []*types.Var
}

func newFacts() *facts { return &facts{known: map[string]fact{}, writes: map[string]fact{}} }

func (f *facts) clear() {
	clear(f.known)
	clear(f.writes)
	f.cleared = true
}

// kill forgets what was computed from v, which was assigned.
func (f *facts) kill(v *types.Var) {
	for key, k := range f.known {
		if slices.Contains(k.uses, v) {
			delete(f.known, key)
		}
	}
	f.killed = append(f.killed, v)
}

// Covered is an access that is not recorded because another one is.
type Covered struct {
	Line, Col     int
	Op            Op
	ByLine, ByCol int // the access that covers it
	ByOp          Op
}

// covered says whether e need not be recorded, and if so notes that.
func (w *walker) covered(op Op, e ast.Expr) bool {
	if w.All || w.facts.off || w.isPushed(e) {
		return false
	}
	key, _, ok := w.location(e)
	if !ok {
		return false
	}
	f, ok := w.facts.known[key]
	return ok && (f.op == OpWrite || op == OpRead)
}

// drop notes that a covered access was left out.
func (w *walker) drop(op Op, e ast.Expr) {
	key, _, _ := w.location(e)
	w.dropFor(op, e, w.facts.known[key])
}

// dropFor notes that an access was left out because of a fact.
func (w *walker) dropFor(op Op, e ast.Expr, f fact) {
	p, by := w.tok.PositionFor(e.Pos(), false), w.tok.PositionFor(f.at, false)
	w.plan.Covered = append(w.plan.Covered, Covered{p.Line, p.Column, op, by.Line, by.Column, f.op})
}

// accessed notes that an access is recorded, whatever way the statement at hand takes.
// A write counts when the statement is over.
func (w *walker) accessed(op Op, e ast.Expr) {
	if w.All || w.facts.off || w.isPushed(e) {
		return
	}
	key, uses, ok := w.location(e)
	if !ok {
		return
	}
	f := fact{op, ast.Unparen(e).Pos(), uses}
	if op == OpWrite {
		w.facts.writes[key] = f
	} else if _, ok := w.facts.known[key]; !ok {
		w.facts.known[key] = f
	}
}

// assigned notes the writes of an assignment.
func (w *walker) assigned(tok token.Token, lhs ...ast.Expr) {
	for _, e := range lhs {
		e = ast.Unparen(e)
		switch {
		case w.stored(e, tok):
			w.accessed(OpWrite, e)
		case w.Place(e) == expr.PlaceShared && w.covered(OpWrite, e) && !w.declares(e, tok):
			w.drop(OpWrite, e)
		}
	}
}

// location names the memory that e denotes, if its address depends on nothing
// but local variables that only assignments in this function change.
func (w *walker) location(e ast.Expr) (key string, uses []*types.Var, ok bool) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.location(e.X)
	case *ast.Ident:
		v, ok := w.Info.ObjectOf(e).(*types.Var)
		return fmt.Sprintf("%s@%p", e.Name, v), nil, ok && !w.Locals.Turn[v]
	case *ast.StarExpr:
		return w.pointed(e.X)
	case *ast.SelectorExpr:
		sel := w.Info.Selections[e]
		if sel == nil {
			v, ok := w.Info.Uses[e.Sel].(*types.Var)
			return fmt.Sprintf("%s@%p", e.Sel.Name, v), nil, ok
		}
		if sel.Kind() != types.FieldVal || gotypes.HasPointer(gotypes.Embedded(sel)) {
			return "", nil, false
		}
		if gotypes.IsPointer(w.Info.TypeOf(e.X)) {
			key, uses, ok = w.pointed(e.X)
		} else {
			key, uses, ok = w.location(e.X)
		}
		return key + fmt.Sprint(sel.Index()), uses, ok
	case *ast.IndexExpr:
		t := w.Info.TypeOf(e.X)
		switch {
		case t == nil || gotypes.IsMap(t) || gotypes.IsString(t):
			return "", nil, false
		case gotypes.IsArray(t):
			key, uses, ok = w.location(e.X)
		default:
			key, uses, ok = w.pointed(e.X)
		}
		if !ok {
			return "", nil, false
		}
		if c := w.Info.Types[e.Index].Value; c != nil {
			return key + "[" + constant.ToInt(c).ExactString() + "]", uses, true
		}
		index, more, ok := w.operand(e.Index)
		return key + "[" + index + "]", append(uses[:len(uses):len(uses)], more...), ok
	}
	return "", nil, false
}

// pointed is what a local variable, a pointer or a slice, refers to.
func (w *walker) pointed(x ast.Expr) (key string, uses []*types.Var, ok bool) {
	key, uses, ok = w.operand(x)
	return "*" + key, uses, ok
}

// operand is the value of a local variable.
func (w *walker) operand(x ast.Expr) (key string, uses []*types.Var, ok bool) {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return "", nil, false
	}
	v, ok := w.Info.ObjectOf(id).(*types.Var)
	if !ok || w.IsShared(v) || w.Locals.Changeable(v) {
		return "", nil, false
	}
	return fmt.Sprintf("%s@%p", id.Name, v), []*types.Var{v}, true
}

// straight begins a part of the function that is evaluated as a whole: a simple
// statement, or an expression in the head of another one. The returned function ends it. (C1)
func (w *walker) straight(nodes ...ast.Node) (end func()) {
	f := w.facts
	if w.synchronizes(nodes...) {
		outer := f.off
		f.clear()
		f.off = true
		return func() { f.clear(); f.off = outer }
	}
	misses := len(w.plan.Misses)
	return func() {
		if len(w.plan.Misses) == misses {
			for key, k := range f.writes {
				f.known[key] = k
			}
		}
		clear(f.writes)
		w.killAssigned(nodes...)
	}
}

// branch visits what may not be run, or not to its end: what is found out there is
// only known there. (C2) It leaves if what comes next in the text is not run after it.
func (w *walker) branch(leaves bool, visit func()) {
	f := w.facts
	before := make(map[string]fact, len(f.known))
	for key, k := range f.known {
		before[key] = k
	}
	cleared, killed := f.cleared, f.killed
	f.cleared, f.killed = false, nil
	visit()
	f.known = before
	if leaves {
		f.cleared, f.killed = cleared, killed
		return
	}
	if f.cleared {
		clear(f.known)
	}
	inside := f.killed
	f.killed = killed
	for _, v := range inside {
		f.kill(v)
	}
	f.cleared = f.cleared || cleared
}

// leaves says whether a block ends by leaving the function or the turn of the loop.
func (w *walker) leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	elsewhere := false // it may also go on after a statement around it
	ast.Inspect(b, func(n ast.Node) bool {
		if s, ok := n.(*ast.BranchStmt); ok {
			elsewhere = elsewhere || s.Tok != token.CONTINUE
		}
		return !elsewhere
	})
	if elsewhere {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.CONTINUE
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		return ok && w.CallKind(call) == gotypes.CallBuiltin && w.Builtin(call) == "panic"
	}
	return false
}

// again forgets what does not hold for every turn of a loop. (C2)
func (w *walker) again(loop ast.Node) {
	if w.synchronizes(loop) {
		w.facts.clear()
	}
	w.killAssigned(loop)
}

// killAssigned forgets what depends on variables that the nodes assign.
func (w *walker) killAssigned(nodes ...ast.Node) {
	kill := func(e ast.Expr) {
		if e == nil {
			return
		}
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			if v, ok := w.Info.ObjectOf(id).(*types.Var); ok {
				w.facts.kill(v)
			}
		}
	}
	for _, n := range nodes {
		if n == nil {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false // a variable that it assigns is no operand
			case *ast.AssignStmt:
				for _, e := range n.Lhs {
					kill(e)
				}
			case *ast.IncDecStmt:
				kill(n.X)
			case *ast.RangeStmt:
				kill(n.Key)
				kill(n.Value)
			case *ast.ValueSpec:
				for _, id := range n.Names {
					kill(id)
				}
			}
			return true
		})
	}
}

// synchronizes says whether anything in the nodes could begin a new span: a
// call, a communication, a goroutine.
func (w *walker) synchronizes(nodes ...ast.Node) bool {
	found := false
	for _, n := range nodes {
		if n == nil || found {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				return false
			}
			found = found || w.breaksSpan(n)
			return !found
		})
	}
	return found
}

// breaksSpan says so of a node without those in it.
func (w *walker) breaksSpan(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SendStmt, *ast.GoStmt, *ast.SelectStmt, *ast.DeferStmt:
		return true
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	case *ast.RangeStmt:
		switch typeset.Core(w.Info.TypeOf(n.X)).(type) {
		case *types.Chan, *types.Signature:
			return true
		}
	case *ast.LabeledStmt:
		return w.Locals.Gotos[n.Label.Name]
	case *ast.CallExpr:
		return w.mayRun(n)
	}
	return false
}

// mayRun says whether a call could synchronize.
func (w *walker) mayRun(e *ast.CallExpr) bool {
	switch w.CallKind(e) {
	case gotypes.CallConversion:
		return false
	case gotypes.CallBuiltin:
		return local.BuiltinSynchronizes(w.Info, e)
	}
	fn := w.Static(e)
	return fn == nil || !w.Locals.Escapes.KeepsSpan(fn)
}
