package syncmisuse

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// atomicCopy finds calls of sync/atomic with the address of a local variable that holds a copy of
// memory that other goroutines may know, and whose address is used nowhere else.
func atomicCopy(c *checker) {
	info := c.pass.TypesInfo
	for f := range c.p.Funcs {
		copies := map[types.Object]ast.Expr{} // and what they are copies of
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && len(a.Rhs) == 1 && len(a.Lhs) <= 2 {
				switch ast.Unparen(a.Rhs[0]).(type) {
				case *ast.IndexExpr, *ast.SelectorExpr, *ast.StarExpr:
					if id, ok := a.Lhs[0].(*ast.Ident); ok && info.Defs[id] != nil && atomicSuffix(info.Defs[id].Type().Underlying()) != "" {
						copies[info.Defs[id]] = a.Rhs[0]
					}
				}
			}
			return true
		})
		if len(copies) == 0 {
			continue
		}
		calls := map[types.Object]*ast.CallExpr{}
		var stack []ast.Node
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			id, ok := n.(*ast.Ident)
			if !ok || copies[info.Uses[id]] == nil {
				return true
			}
			v := info.Uses[id]
			for _, outer := range stack {
				if lit, ok := outer.(*ast.FuncLit); ok && v.Pos() < lit.Pos() { // captured
					delete(copies, v)
				}
			}
			if len(stack) < 2 {
				return true
			}
			if u, ok := stack[len(stack)-2].(*ast.UnaryExpr); ok && u.Op == token.AND {
				call, _ := stack[len(stack)-3].(*ast.CallExpr)
				fn := (*types.Func)(nil)
				if call != nil {
					fn = typeutil.StaticCallee(info, call)
				}
				if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync/atomic" {
					delete(copies, v)
				} else if calls[v] == nil {
					calls[v] = call
				}
			}
			return true
		})
		for v, call := range calls {
			if of := copies[v]; of != nil {
				c.report(call, nil, relate(of, "what it is a copy of"), "%s has the address of %s, a copy of %s that no other goroutine sees", types.ExprString(call.Fun), v.Name(), types.ExprString(of))
			}
		}
	}
}
