// Package funcname names functions as the tables of package library do, and the rewriter's lists:
// types.Func -> "F" or "T.M"; and as stack traces do: ast.FuncDecl -> "F", "T.M" or "(*T).M". Of a
// file it has the lines of each function.
package funcname

import (
	"go/ast"
	"go/types"
)

// Of names a function or method within its package, "F" or "T.M" without a star, whether it comes
// from source or from export data. A method of an interface without a name has its own name only.
func Of(fn *types.Func) string {
	fn = fn.Origin()
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.Name()
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name() + "." + fn.Name()
	}
	return fn.Name()
}

// InTrace names a function within its package as a stack trace does, "F", "T.M" or "(*T).M",
// without type parameters.
func InTrace(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	pointer, name := false, ""
	for t := fn.Recv.List[0].Type; name == ""; {
		switch x := t.(type) {
		case *ast.StarExpr:
			pointer, t = true, x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			name = x.Name
		default:
			name = "_"
		}
	}
	if pointer {
		return "(*" + name + ")." + fn.Name.Name
	}
	return name + "." + fn.Name.Name
}
