// Package funcname names functions as the tables of package library do, and the rewriter's lists: types.Func -> "F" or "T.M".
package funcname

import "go/types"

// Of names a function or method within its package, "F" or "T.M" without a star, whether it comes from source or from export data. A method of an interface
// without a name has its own name only.
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
