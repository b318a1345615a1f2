package gotypes

import (
	"go/ast"
	"go/types"
	"strings"
)

func IsPackageVar(v *types.Var) bool {
	return !v.IsField() && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// MayNotCall reports whether calls in a function could break the build or the
// program: its stack may not grow, or it asked not to be recorded.
func MayNotCall(decl *ast.FuncDecl) bool {
	if decl.Doc == nil {
		return false
	}
	for _, c := range decl.Doc.List {
		switch directive, _, _ := strings.Cut(c.Text, " "); directive {
		case "//go:nosplit", "//go:norace", "//go:systemstack", "//go:nowritebarrier", "//go:nowritebarrierrec", "//go:yeswritebarrierrec":
			return true
		}
	}
	return false
}

// Universe reports whether name means the predeclared thing at e.
func Universe(pkg *types.Package, e ast.Node, name string) bool {
	scope := pkg.Scope().Innermost(e.Pos())
	if scope == nil {
		return false
	}
	_, obj := scope.LookupParent(name, e.Pos())
	return obj != nil && obj.Parent() == types.Universe
}
