package plan

import (
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/library"
)

// sliceFunc says how a function accesses the elements of its first argument.
type sliceFunc struct {
	op     Op
	helper string // records that, and returns the argument
}

// accessOf is how a generic function accesses the elements of its first argument, if it accesses all of them. Such a function is compiled in the
// package that calls it, so nobody records its body unless its own package is rewritten.
//
// Which elements a sort writes, if any, depends on their values and on what compares them: it is only said to read them, and to be opaque.
func accessOf(facts library.Facts) (how sliceFunc, ok bool) {
	switch {
	case facts.Is(library.ReadsElements):
		return loadsSlice, true
	case facts.Is(library.WritesElements):
		return sliceFunc{OpWrite, "RacepredReverseSlice"}, true
	case facts.Is(library.SortsElements):
		return sliceFunc{OpRead, "RacepredSortSlice"}, true
	}
	return sliceFunc{}, false
}

var loadsSlice = sliceFunc{OpRead, "RacepredLoadSlice"}

// libraryArg returns how a library function that e calls accesses the elements of its
// first argument, if that is to be recorded at the call.
//
// (B5) Replace  slices.Sort(s)
//
//	with  slices.Sort(runtime.RacepredSortSlice(s, site))
func (w *walker) libraryArg(e *ast.CallExpr) (how sliceFunc, ok bool) {
	fn := w.Static(e)
	if fn == nil || len(e.Args) == 0 {
		return sliceFunc{}, false
	}
	if how, ok = accessOf(gotypes.FactsOf(fn)); !ok || w.judge.OwnCode(fn.Pkg().Path()) {
		return sliceFunc{}, false
	}
	t := w.Info.TypeOf(e.Args[0])
	return how, t != nil && gotypes.IsSlice(t)
}

func (w *walker) accessesSlice(arg ast.Expr, how sliceFunc) {
	if w.Owned(arg) {
		w.value(arg)
		return
	}
	w.Around(RuleBuiltin, arg, w.Runtime+"."+how.helper+"(", func() { w.value(arg) }, ", "+w.site(how.op, arg.Pos(), w.Written(arg)+"[:]")+")")
}
