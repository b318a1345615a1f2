package instrument

import (
	"go/ast"
	"go/types"
	"slices"
)

// unrecordedFuncs are the functions of files that are written in assembly or linked from elsewhere, and those that
// may not call.
func unrecordedFuncs(info *types.Info, files ...*ast.File) map[*types.Func]bool {
	funcs := map[*types.Func]bool{}
	for _, f := range files {
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && (fn.Body == nil || mayNotCall(fn)) {
				if obj, ok := info.Defs[fn.Name].(*types.Func); ok {
					funcs[obj] = true
				}
			}
		}
	}
	return funcs
}

// unrecordedNames are the same functions by name, for other packages.
func unrecordedNames(funcs map[*types.Func]bool) (names []string) {
	for fn := range funcs {
		names = append(names, declaredName(fn))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// declaredName names a function or method within its package, "F" or "T.M", whether it comes from source or from
// export data.
func declaredName(fn *types.Func) string {
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
	return fn.Name() // of an interface
}
