package instrument

import (
	"go/ast"
	"go/types"
)

// sliceFunc says how a function accesses the elements of its first argument.
type sliceFunc struct {
	op     Op
	helper string // records that, and returns the argument
	opaque bool   // there is more that it may do to them
}

// sliceFuncs are the generic functions of package slices that access all
// elements of their first argument. A generic function is compiled in the
// package that calls it, so nobody records its body unless its own package is rewritten.
//
// Which elements a sort writes, if any, depends on their values and on what compares them: it is only said to read them, and to be opaque.
var sliceFuncs = map[string]sliceFunc{
	"Clone":          loadsSlice,
	"Max":            loadsSlice,
	"MaxFunc":        loadsSlice,
	"Min":            loadsSlice,
	"MinFunc":        loadsSlice,
	"Reverse":        {OpWrite, "RacepredReverseSlice", false},
	"Sort":           sortsSlice,
	"SortFunc":       sortsSlice,
	"SortStableFunc": sortsSlice,
}

var (
	loadsSlice = sliceFunc{OpRead, "RacepredLoadSlice", false}
	sortsSlice = sliceFunc{OpRead, "RacepredSortSlice", true}
)

// libraryArg returns how a library function that e calls accesses the elements of its
// first argument, if that is to be recorded at the call.
//
// (B5) Replace  slices.Sort(s)
//
//	with  slices.Sort(runtime.RacepredSortSlice(s, site))
func (w *walker) libraryArg(e *ast.CallExpr) (how sliceFunc, ok bool) {
	fn := w.static(e)
	if fn == nil || len(e.Args) == 0 {
		return sliceFunc{}, false
	}
	if how, ok = ofSlices(fn); !ok || w.rewritten("slices") {
		return sliceFunc{}, false
	}
	t := w.Info.TypeOf(e.Args[0])
	return how, t != nil && isSlice(t)
}

// ofSlices is how fn accesses the elements of its first argument, if it is one of sliceFuncs.
func ofSlices(fn *types.Func) (how sliceFunc, ok bool) {
	if fn.Pkg() == nil || fn.Pkg().Path() != "slices" {
		return sliceFunc{}, false
	}
	how, ok = sliceFuncs[fn.Name()]
	return how, ok
}

func (w *walker) accessesSlice(arg ast.Expr, how sliceFunc) {
	if w.owned(arg) {
		w.value(arg)
		return
	}
	w.around(RuleBuiltin, arg, w.rt+"."+how.helper+"(", func() { w.value(arg) }, ", "+w.site(how.op, arg.Pos(), w.text(arg)+"[:]")+")")
}

func (d *decider) rewritten(path string) bool {
	return d.Rewritten != nil && d.Rewritten(path)
}

// generic says whether a function's body is compiled where it is used.
func generic(fn *types.Func) bool {
	sig := fn.Signature()
	return sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0
}
