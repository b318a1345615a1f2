// Package expr says how an expression is evaluated: an expression of a function -> its calls, which
// the compiler does first, its loads, which it does last, the operands that it evaluates at once,
// where a value lies, and whether a part can be evaluated again elsewhere. Rules S, R2 and P of
// package instrument
//
// Words of this package and of those above it:
//
//   - point: a call or a receive, or an expression that the compiler evaluates like one (&& and ||
//     with a point in them);
//   - run: operands that are evaluated together, points first, loads last;
//   - at once: an operand without a call that the compiler evaluates into a temporary in its turn,
//     as if it were a call;
//   - mark: the last operand of a run that is evaluated at once, comes after the last point, and
//     could panic;
//   - quiet: has the same value before and after a call, and records nothing;
//   - pure: can be evaluated a second time;
//   - hoisted: evaluated before the statement, into a variable.
package expr

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/local"
)

// Code answers questions about expressions of the function at hand: how the compiler evaluates
// them, and which parts were hoisted so far.
type Code struct {
	Info   *types.Info
	Pkg    *types.Package
	Tokens *token.File
	Bytes  []byte // what the file was parsed from
	All    bool   // nothing counts as local
	Locals *local.Locals
	Fn     ast.Node // the innermost function

	Hoisted map[ast.Expr]string          // parts of the statement at hand that were hoisted -> the variables with their values
	Reached map[*ast.SelectorExpr]string // targets -> the variables with the last embedded pointer that they pass through
}

func (c *Code) CallKind(e *ast.CallExpr) gotypes.CallKind { return gotypes.KindOf(c.Info, e) }

func (c *Code) Builtin(e *ast.CallExpr) string { return gotypes.BuiltinName(e) }

// Static returns the function that a call is certain to run, or nil.
func (c *Code) Static(e *ast.CallExpr) *types.Func { return gotypes.StaticCallee(c.Info, e) }

// IsConstant reports whether e is a constant or a type: it has no value at run time.
func (c *Code) IsConstant(e ast.Expr) bool {
	tv := c.Info.Types[e]
	return tv.Value != nil || tv.IsType()
}

// SingleValue reports whether e has exactly one value.
func (c *Code) SingleValue(e ast.Expr) bool {
	tv := c.Info.Types[e]
	if tv.Type == nil || tv.IsVoid() {
		return false
	}
	_, tuple := tv.Type.(*types.Tuple)
	return !tuple
}

// IsShared reports whether another goroutine could reach v. (S)
func (c *Code) IsShared(v *types.Var) bool {
	return c.Locals.Shared(v, c.All)
}

func (c *Code) IsFunc(e ast.Expr) bool {
	t := c.Info.TypeOf(e)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// StaticFunc reports whether e is a declared function, which has no value of its own.
func (c *Code) StaticFunc(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		_, ok := c.Info.Uses[e].(*types.Func)
		return ok
	case *ast.SelectorExpr:
		_, ok := c.Info.Uses[e.Sel].(*types.Func)
		sel := c.Info.Selections[e]
		return ok && (sel == nil || sel.Kind() == types.MethodExpr)
	case *ast.IndexExpr:
		return c.IsFunc(e.X)
	case *ast.IndexListExpr:
		return true
	}
	return false
}

// Named reports whether x in x := e gets the type that e has where it stands.
func (c *Code) Named(e ast.Expr) bool {
	t := c.Info.TypeOf(e)
	return c.Typed(e) || types.Identical(t, types.Typ[types.Bool]) || types.Identical(t, types.Typ[types.Int])
}

// Typed reports whether an expression that is not constant keeps its type when it becomes an
// argument. Comparisons and shifts of constants have no type of their own.
func (c *Code) Typed(e ast.Expr) bool {
	tv := c.Info.Types[e]
	if tv.Value != nil || tv.IsNil() {
		return false
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.Typed(e.X)
	case *ast.UnaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.XOR, token.NOT:
			return c.Typed(e.X)
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return false
		case token.SHL, token.SHR:
			return c.Typed(e.X)
		}
		return c.Typed(e.X) || c.Typed(e.Y)
	}
	return true
}
