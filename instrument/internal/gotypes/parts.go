package gotypes

import (
	"go/ast"
)

// Operands are the expressions directly inside of e, in source order. Types
// and function literals' bodies are not among them.
func Operands(e ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return []ast.Expr{e.X}
	case *ast.SelectorExpr:
		return []ast.Expr{e.X}
	case *ast.IndexExpr:
		return []ast.Expr{e.X, e.Index}
	case *ast.SliceExpr:
		var es []ast.Expr
		for _, x := range []ast.Expr{e.X, e.Low, e.High, e.Max} {
			if x != nil {
				es = append(es, x)
			}
		}
		return es
	case *ast.StarExpr:
		return []ast.Expr{e.X}
	case *ast.UnaryExpr:
		return []ast.Expr{e.X}
	case *ast.BinaryExpr:
		return []ast.Expr{e.X, e.Y}
	case *ast.TypeAssertExpr:
		return []ast.Expr{e.X}
	case *ast.CallExpr:
		return append([]ast.Expr{e.Fun}, e.Args...)
	case *ast.KeyValueExpr:
		return []ast.Expr{e.Key, e.Value}
	case *ast.CompositeLit:
		return e.Elts
	}
	return nil
}

// IsAddressOf reports whether x is the part of e that is assigned when e is.
func IsAddressOf(e, x ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return e.X == x
	case *ast.SelectorExpr:
		return e.X == x
	case *ast.IndexExpr:
		return e.X == x
	}
	return false
}

func IsBlank(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "_"
}

// ResultNames are the names of a function's results, none if they have none.
func ResultNames(fn ast.Node) []*ast.Ident {
	var typ *ast.FuncType
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		typ = fn.Type
	case *ast.FuncLit:
		typ = fn.Type
	}
	if typ == nil || typ.Results == nil {
		return nil
	}
	var ids []*ast.Ident
	for _, f := range typ.Results.List {
		ids = append(ids, f.Names...)
	}
	return ids
}

// HasDefer reports whether a function itself defers calls.
func HasDefer(fn ast.Node) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.DeferStmt:
			found = true
		case *ast.FuncLit:
			return n == fn
		}
		return !found
	})
	return found
}
