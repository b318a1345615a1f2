package plan

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/library"
)

// discarded notes that the result of a call is thrown away. If the call is an atomic addition or
// bit operation, another function of package sync/atomic records it.
//
// (D1) Replace  n.Add(1); atomic.AddInt64(&n, 1)
//
//	with  n.RacepredAdd(1); atomic.RacepredAddInt64(&n, 1)
//
// (D2) It is the same in a return statement of a function whose result every caller throws away
// (package thrown).
func (w *walker) discarded(e ast.Expr) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || w.copies {
		return
	}
	fun := ast.Unparen(call.Fun)
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		fun = sel.Sel
	}
	id, ok := fun.(*ast.Ident)
	if !ok {
		return
	}
	if fn, ok := w.Info.Uses[id].(*types.Func); ok && gotypes.FactsOf(fn).Is(library.Commutes) {
		w.Insert(RuleDiscard, id.Pos(), "Racepred")
	}
}
