package redundancy

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/local"
	"github.com/racepred/racepred/internal/typeset"
)

// Straight begins a part of the function that is evaluated as a whole: a simple statement, or an
// expression in the head of another one. The returned function ends it: its writes are facts from
// then on if none of its accesses was missed. (instrument/C1)
func (s Span) Straight(missed func() int, nodes ...ast.Node) (end func()) {
	f := s.Facts
	if s.Synchronizes(nodes...) {
		outer := f.Off
		f.Clear()
		f.Off = true
		return func() { f.Clear(); f.Off = outer }
	}
	misses := missed()
	return func() {
		if missed() == misses {
			for key, k := range f.writes {
				f.known[key] = k
			}
		}
		clear(f.writes)
		s.killAssigned(nodes...)
	}
}

// Branch visits a part that may not be run, or not to its end: facts that begin there end with it.
// (instrument/C2) leaves says that the next part of the text is never run after it.
func (s Span) Branch(leaves bool, visit func()) {
	f := s.Facts
	before := make(map[string]Fact, len(f.known))
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

// Leaves reports whether a block ends by leaving the function or the turn of the loop.
func (s Span) Leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	elsewhere := false // the program may also go on after a statement around the block
	ast.Inspect(b, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok {
			elsewhere = elsewhere || b.Tok != token.CONTINUE
		}
		return !elsewhere
	})
	if elsewhere {
		return false
	}
	switch last := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Tok == token.CONTINUE
	case *ast.ExprStmt:
		call, ok := last.X.(*ast.CallExpr)
		return ok && s.CallKind(call) == gotypes.CallBuiltin && s.Builtin(call) == "panic"
	}
	return false
}

// Again forgets what does not hold for every turn of a loop. (instrument/C2)
func (s Span) Again(loop ast.Node) {
	if s.Synchronizes(loop) {
		s.Facts.Clear()
	}
	s.killAssigned(loop)
}

// killAssigned forgets the facts that depend on variables which the nodes assign.
func (s Span) killAssigned(nodes ...ast.Node) {
	kill := func(e ast.Expr) {
		if e == nil {
			return
		}
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			if v, ok := s.Info.ObjectOf(id).(*types.Var); ok {
				s.Facts.kill(v)
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

// Synchronizes reports whether anything in the nodes could begin a new span: a
// call, a communication, a goroutine.
func (s Span) Synchronizes(nodes ...ast.Node) bool {
	found := false
	for _, n := range nodes {
		if n == nil || found {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				return false
			}
			found = found || s.breaksSpan(n)
			return !found
		})
	}
	return found
}

// breaksSpan reports whether a node by itself, without the nodes in it, ends a span.
func (s Span) breaksSpan(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SendStmt, *ast.GoStmt, *ast.SelectStmt, *ast.DeferStmt:
		return true
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	case *ast.RangeStmt:
		switch typeset.Core(s.Info.TypeOf(n.X)).(type) {
		case *types.Chan, *types.Signature:
			return true
		}
	case *ast.LabeledStmt:
		return s.Locals.Gotos[n.Label.Name]
	case *ast.CallExpr:
		return s.mayRun(n)
	}
	return false
}

// mayRun reports whether a call could synchronize.
func (s Span) mayRun(e *ast.CallExpr) bool {
	switch s.CallKind(e) {
	case gotypes.CallConversion:
		return false
	case gotypes.CallBuiltin:
		return local.BuiltinSynchronizes(s.Info, e)
	}
	fn := s.Static(e)
	return fn == nil || !s.Locals.Escapes.KeepsSpan(fn)
}
