package instrument

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// seen follows what a parallel assignment has assigned so far, as the compiler does (ascompatee of
// cmd/compile/internal/walk): it decides which operands of the targets and values that follow are evaluated before
// the first assignment is made. All others are evaluated, and may panic, when their turn comes.
type seen struct {
	memory   bool // something that a pointer could lead to, or a function literal
	all      bool // a named result that deferred calls see
	assigned map[*types.Var]bool
}

// visible says whether somebody could see what was assigned when the next target panics.
func (s *seen) visible() bool { return s.memory || s.all }

// see notes that e is assigned.
func (w *walker) see(s *seen, e ast.Expr) {
	id := w.variableOf(e)
	switch {
	case id == nil:
		s.memory = true
	case id.Name == "_":
	default:
		v, _ := w.Info.ObjectOf(id).(*types.Var)
		switch {
		case v == nil:
		case w.isResult(v) && gotypes.HasDefer(w.fn):
			s.all = true
		case w.inMemory(v):
			s.memory = true
		default:
			s.assigned[v] = true
		}
	}
}

// isResult says whether v is a named result of the function at hand.
func (w *walker) isResult(v *types.Var) bool {
	for _, id := range gotypes.ResultNames(w.fn) {
		if w.Info.Defs[id] == v {
			return true
		}
	}
	return false
}

// variableOf is the variable that e is or is a part of, nil if a pointer or a slice leads to it.
func (w *walker) variableOf(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		switch sel := w.Info.Selections[e]; {
		case sel == nil:
			return e.Sel
		case !sel.Indirect() && !gotypes.IsPointer(w.Info.TypeOf(e.X)):
			return w.variableOf(e.X)
		}
	case *ast.IndexExpr:
		if gotypes.IsArray(w.Info.TypeOf(e.X)) {
			return w.variableOf(e.X)
		}
	}
	return nil
}

// inMemory says whether the compiler takes v for memory: it may be changed through a pointer or by a function literal, or
// belongs to a function around the one at hand.
func (w *walker) inMemory(v *types.Var) bool {
	l := w.locals
	return l.Changeable(v) || l.Inner[v] && l.Assigned[v] || l.Owner[v] != nil && l.Owner[v] != w.fn
}

// affected says whether the compiler evaluates e before the first assignment.
func (w *walker) affected(s *seen, e ast.Expr) bool {
	if w.hoisted[e] != "" || w.isConstant(e) || w.Info.Types[e].IsNil() {
		return false
	}
	if s.all {
		return true
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || found || w.hoisted[x] != "" || w.isConstant(x) {
			return ok && !found && w.hoisted[x] == "" && !w.isConstant(x)
		}
		if id, ok := x.(*ast.Ident); ok {
			v, _ := w.Info.Uses[id].(*types.Var)
			found = v != nil && (s.assigned[v] || s.memory && !v.IsField() && w.inMemory(v))
			return false
		}
		found = s.memory && w.readsMemory(x)
		return !found
	})
	return found
}

// readsMemory says what the compiler's function of that name does of one node that is no variable.
func (w *walker) readsMemory(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr, *ast.BasicLit, *ast.TypeAssertExpr:
		return false
	case *ast.UnaryExpr:
		return e.Op != token.ADD && e.Op != token.SUB && e.Op != token.XOR
	case *ast.BinaryExpr:
		switch e.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		}
		return gotypes.IsString(w.Info.TypeOf(e))
	case *ast.SelectorExpr:
		sel := w.Info.Selections[e]
		switch {
		case sel == nil:
			_, isVar := w.Info.Uses[e.Sel].(*types.Var)
			return isVar
		case sel.Kind() == types.FieldVal:
			return sel.Indirect() || gotypes.IsPointer(w.Info.TypeOf(e.X))
		}
		return sel.Kind() == types.MethodVal
	case *ast.CallExpr:
		if w.callKind(e) == gotypes.CallConversion {
			return gotypes.IsString(w.Info.TypeOf(e)) != gotypes.IsString(w.Info.TypeOf(e.Args[0]))
		}
	}
	return true
}
