package plan

import (
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/edit"
)

// recordedOnce keeps the compiler from recording a generic function that has records now. Such a function is compiled in the packages that instantiate it, and those of the
// library mostly have the compiler's hooks: sort instantiates slices.Sort.
//
// (G1) Replace  func Sort[T any](x []T) { ... }
//
//	with  //go:norace
//	      func Sort[T any](x []T) { ... }
//
// Function literals in it keep the hooks.
func (w *walker) recordedOnce(decl *ast.FuncDecl) {
	if !isGeneric(decl) || !w.Splits(decl.Pos()) {
		return
	}
	w.Ahead(RuleOneRecord, decl.Pos(), "\n//go:norace\n"+edit.LineComment(w.Line(decl.Pos())))
}

// isGeneric reports whether a function has type parameters, or its receiver has.
func isGeneric(decl *ast.FuncDecl) bool {
	if decl.Type.TypeParams.NumFields() > 0 {
		return true
	}
	if decl.Recv.NumFields() == 0 {
		return false
	}
	t := ast.Unparen(decl.Recv.List[0].Type)
	if p, ok := t.(*ast.StarExpr); ok {
		t = ast.Unparen(p.X)
	}
	switch t.(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}
