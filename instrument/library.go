package instrument

import (
	"go/ast"
	"go/types"
)

// sliceFuncs are the generic functions of package slices that access all
// elements of their first argument, and how. A generic function is compiled in the
// package that calls it, so nobody records its body unless its own package is rewritten.
var sliceFuncs = map[string]Op{
	"Clone":          OpRead,
	"Max":            OpRead,
	"MaxFunc":        OpRead,
	"Min":            OpRead,
	"MinFunc":        OpRead,
	"Reverse":        OpWrite,
	"Sort":           OpWrite,
	"SortFunc":       OpWrite,
	"SortStableFunc": OpWrite,
}

// libraryArg returns how a library function that e calls accesses the elements of its
// first argument, if that is to be recorded at the call.
//
// (B5) Replace  slices.Sort(s)
//
//	with  slices.Sort(runtime.RacepredStoreSlice(s, site))
func (w *walker) libraryArg(e *ast.CallExpr) (op Op, ok bool) {
	fn := w.static(e)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "slices" || w.rewritten("slices") || len(e.Args) == 0 {
		return "", false
	}
	if t := w.Info.TypeOf(e.Args[0]); t == nil || !isSlice(t) {
		return "", false
	}
	op, ok = sliceFuncs[fn.Name()]
	return op, ok
}

func (w *walker) loadsSlice(arg ast.Expr, op Op) {
	if w.owned(arg) {
		w.value(arg)
		return
	}
	fn := "RacepredLoadSlice"
	if op == OpWrite {
		fn = "RacepredStoreSlice"
	}
	w.around(RuleBuiltin, arg, w.rt+"."+fn+"(", func() { w.value(arg) }, ", "+w.site(op, arg.Pos(), w.text(arg)+"[:]")+")")
}

func (w *walker) rewritten(path string) bool {
	return w.Rewritten != nil && w.Rewritten(path)
}

// generic says whether a function's body is compiled where it is used.
func generic(fn *types.Func) bool {
	sig := fn.Signature()
	return sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0
}
