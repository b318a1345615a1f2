package plan

import (
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
	"github.com/racepred/racepred/internal/library"
)

// sliceFunc says how a function accesses the elements of its first argument.
type sliceFunc struct {
	op     Op
	helper string // the function that records the access and returns the argument
}

// accessOf says how a generic function of the library accesses the elements of its first argument,
// if it accesses all of them. Such a function is compiled in the package that calls it, so its body
// is recorded only if its own package is rewritten.
//
// The elements that a sort writes depend on their values and on the comparison. So it is recorded
// as a read of all elements, and is opaque.
func accessOf(facts library.Facts) (how sliceFunc, ok bool) {
	switch {
	case facts.Is(library.ReadsElements):
		return loadsSlice, true
	case facts.Is(library.WritesElements):
		return sliceFunc{site.OpWrite, "RacepredReverseSlice"}, true
	case facts.Is(library.SortsElements):
		return sliceFunc{site.OpRead, "RacepredSortSlice"}, true
	}
	return sliceFunc{}, false
}

var loadsSlice = sliceFunc{site.OpRead, "RacepredLoadSlice"}

// libraryArg says how the library function that e calls accesses the elements of its
// first argument, if the access is to be recorded at the call.
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
