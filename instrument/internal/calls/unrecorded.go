package calls

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/funcname"
	"github.com/racepred/racepred/internal/library"
)

// UnrecordedFuncs lists the functions of a package's files that are written in assembly or linked
// from elsewhere, and those that may not call. What a package of the library with generic code has
// no body for is the runtime's, which tells what it accesses.
func UnrecordedFuncs(pkg *types.Package, info *types.Info, files ...*ast.File) map[*types.Func]bool {
	funcs := map[*types.Func]bool{}
	for _, f := range files {
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && (fn.Body == nil && !library.OfPackage(pkg.Path()).Generic || gotypes.MayNotCall(fn)) {
				if obj, ok := info.Defs[fn.Name].(*types.Func); ok {
					funcs[obj] = true
				}
			}
		}
	}
	return funcs
}

// UnrecordedNames are the same functions by name, for other packages.
func UnrecordedNames(funcs map[*types.Func]bool) (names []string) {
	for fn := range funcs {
		names = append(names, funcname.Of(fn))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
