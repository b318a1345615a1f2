package plan

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
	"github.com/racepred/racepred/internal/library"
	"github.com/racepred/racepred/internal/typeset"
)

// dynamic is the text around x in x.Method, where the method is one of an interface, or of a type
// with an embedded one. It hides the value of x from the compiler, which would otherwise call the
// wrapper past the tables of methods, or replace the call by the wrapper's reads. (R5)
//
// Replace  x.Method
//
//	with  runtime.RacepredIndirect(x).Method
//
// Calls that are taken for harmless have to go by that table, too: package runtime finds the callee
// there. (instrument/O3) A call through a type parameter goes by no table, so package runtime looks
// at the value before the call:
//
//	with  runtime.RacepredGiven(x, site).Method
//
// (*&x).Method is not enough: the front end of the compiler keeps it, but its back end follows the
// value through variables, fields and elements. It does not follow it through a call that is not
// inlined, so a value that is loaded from a recorded address needs no such text.
func (w *walker) dynamic(x ast.Expr, sel *types.Selection) (before, after string) {
	fn := sel.Obj().(*types.Func)
	if !types.IsInterface(fn.Signature().Recv().Type()) {
		return "", ""
	}
	if typeset.IsParam(sel.Recv()) {
		if !w.judge.PureMethod(fn) || w.later(x) && !w.SameAfterCall(x) {
			return "", ""
		}
		return w.Runtime + ".RacepredGiven(", ", " + w.site(site.OpOpaque, x.Pos(), w.Written(x)+"."+fn.Name()) + ")" // (instrument/O3)
	}
	through := len(gotypes.Embedded(sel)) > 0
	lies := w.Place(x)
	if through && gotypes.IsPointer(w.Info.TypeOf(x)) {
		lies = w.Behind(x)
	}
	switch {
	case lies == expr.PlaceShared && (through || w.later(x) || !w.covered(site.OpRead, x)): // a call is between a store and the load
		return "", ""
	case w.returnsOwn(x, fn):
		return "", ""
	case w.later(x) && !w.SameAfterCall(x): // RacepredIndirect would evaluate x before the call
		w.miss(x, WhyLateOperand)
		return "", ""
	}
	return w.Runtime + ".RacepredIndirect(", ")"
}

// returnsOwn reports whether x is a call of a function that is not rewritten and gets no argument
// that it could return. Then its result has a type that the function knows by itself, and no such
// type has a replaced wrapper. If calls of the method are taken for harmless, the function must be
// one of the library (instrument/O3).
func (w *walker) returnsOwn(x ast.Expr, method *types.Func) bool {
	e, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	f := w.Static(e)
	if f == nil || f.Pkg() == w.Pkg || w.Rewritten != nil && w.Rewritten(f.Pkg().Path()) {
		return false
	}
	if !gotypes.FactsOf(f).Is(library.Harmless) && w.judge.PureMethod(method) {
		return false
	}
	sig := f.Origin().Signature()
	if sig.Recv() != nil || sig.TypeParams().Len() > 0 {
		return false
	}
	for p := range sig.Params().Variables() {
		if _, ok := p.Type().Underlying().(*types.Basic); !ok {
			return false
		}
	}
	return true
}
