package expr

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// Seen is what a parallel assignment has assigned so far, as the compiler keeps it (ascompatee of
// cmd/compile/internal/walk). It decides which operands of the targets and values that follow are
// evaluated before the first assignment is made. All others are evaluated, and may panic, when
// their turn comes.
type Seen struct {
	memory   bool // something that a pointer could lead to, or a function literal
	all      bool // a named result that deferred calls see
	Assigned map[*types.Var]bool
}

// Visible reports whether an assignment made so far can be seen when the next target panics.
func (s *Seen) Visible() bool { return s.memory || s.all }

// See notes that e is assigned.
func (c *Code) See(s *Seen, e ast.Expr) {
	id := c.variableOf(e)
	switch {
	case id == nil:
		s.memory = true
	case id.Name == "_":
	default:
		v, _ := c.Info.ObjectOf(id).(*types.Var)
		switch {
		case v == nil:
		case c.isResult(v) && gotypes.HasDefer(c.Fn):
			s.all = true
		case c.InMemory(v):
			s.memory = true
		default:
			s.Assigned[v] = true
		}
	}
}

// isResult reports whether v is a named result of the function at hand.
func (c *Code) isResult(v *types.Var) bool {
	for _, id := range gotypes.ResultNames(c.Fn) {
		if c.Info.Defs[id] == v {
			return true
		}
	}
	return false
}

// variableOf is the variable that e belongs to, nil if a pointer or a slice leads to e.
func (c *Code) variableOf(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		switch sel := c.Info.Selections[e]; {
		case sel == nil:
			return e.Sel
		case !sel.Indirect() && !gotypes.IsPointer(c.Info.TypeOf(e.X)):
			return c.variableOf(e.X)
		}
	case *ast.IndexExpr:
		if gotypes.MayBeArray(c.Info.TypeOf(e.X)) {
			return c.variableOf(e.X)
		}
	}
	return nil
}

// InMemory reports whether the compiler takes v for memory: it may be changed through a pointer or
// by a function literal, or belongs to a function around the one at hand.
func (c *Code) InMemory(v *types.Var) bool {
	l := c.Locals
	return l.Changeable(v) || l.Inner[v] && l.Assigned[v] || l.Owner[v] != nil && l.Owner[v] != c.Fn
}

// Affected reports whether the compiler evaluates e before the first assignment.
func (c *Code) Affected(s *Seen, e ast.Expr) bool {
	if c.Hoisted[e] != "" || c.IsConstant(e) || c.Info.Types[e].IsNil() {
		return false
	}
	if s.all {
		return true
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || found || c.Hoisted[x] != "" || c.IsConstant(x) {
			return ok && !found && c.Hoisted[x] == "" && !c.IsConstant(x)
		}
		if id, ok := x.(*ast.Ident); ok {
			v, _ := c.Info.Uses[id].(*types.Var)
			found = v != nil && (s.Assigned[v] || s.memory && !v.IsField() && c.InMemory(v))
			return false
		}
		found = s.memory && c.readsMemory(x)
		return !found
	})
	return found
}

// readsMemory is the compiler's function of that name, for one node that is not a variable.
func (c *Code) readsMemory(e ast.Expr) bool {
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
		return gotypes.IsString(c.Info.TypeOf(e))
	case *ast.SelectorExpr:
		sel := c.Info.Selections[e]
		switch {
		case sel == nil:
			_, isVar := c.Info.Uses[e.Sel].(*types.Var)
			return isVar
		case sel.Kind() == types.FieldVal:
			return sel.Indirect() || gotypes.IsPointer(c.Info.TypeOf(e.X))
		}
		return sel.Kind() == types.MethodVal
	case *ast.CallExpr:
		if c.CallKind(e) == gotypes.CallConversion {
			return gotypes.IsString(c.Info.TypeOf(e)) != gotypes.IsString(c.Info.TypeOf(e.Args[0]))
		}
	}
	return true
}
