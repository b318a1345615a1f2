package plan

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/edit"
)

// recordedOnce keeps the compiler from recording a generic function that has records now. Such a
// function is compiled in the packages that instantiate it, and those of the library mostly have
// the compiler's hooks: sort instantiates slices.Sort.
//
// (G1) Replace  func Sort[T any](x []T) { ... }
//
//	with  //go:norace
//	      func Sort[T any](x []T) { ... }
//
// Function literals in it keep the hooks.
func (w *walker) recordedOnce(decl *ast.FuncDecl) {
	if !w.isGeneric(decl) || !w.Splits(decl.Pos()) {
		return
	}
	w.Ahead(RuleOneRecord, decl.Pos(), "\n//go:norace\n"+edit.LineComment(w.Line(decl.Pos())))
}

// isGeneric reports whether a function has type parameters, or its receiver has.
func (w *walker) isGeneric(decl *ast.FuncDecl) bool {
	f, ok := w.decider.Info.Defs[decl.Name].(*types.Func)
	return ok && f.Signature().TypeParams().Len()+f.Signature().RecvTypeParams().Len() > 0
}
