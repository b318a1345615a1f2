package expr

import (
	"go/ast"
	"go/token"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// A Run is a list of operands that the compiler evaluates in two steps: calls
// and receives first, in the order in which they are written, plain loads
// last. So in p.q.n + f() the load of p.q.n comes after f (instrument/R2).
type Run struct {
	Last   ast.Expr // the last call or receive, nil if none
	Attach bool     // a call can be put around last, to record something right after it
	Mark   ast.Expr // the last operand that comes after last, is evaluated at once, and could panic; nil if none
}

// Later reports whether a call or receive comes after e.
func (r *Run) Later(e ast.Expr) bool {
	return r.Last != nil && r.Last.Pos() >= e.End()
}

// SoleCall reports whether s is a simple statement that evaluates all its operands and calls or
// receives at most once; call is that call.
func (c *Code) SoleCall(s ast.Stmt) (simple bool, call ast.Expr) {
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
			if c.CallKind(n) == gotypes.CallFunction {
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
