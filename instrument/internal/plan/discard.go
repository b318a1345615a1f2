package plan

import (
	"go/ast"

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
	if fn := w.Static(call); fn != nil && gotypes.FactsOf(fn).Is(library.Commutes) {
		w.Insert(RuleDiscard, gotypes.CalleeName(call).Pos(), "Racepred")
		w.thrownAway[call] = true
	}
}

// atomic makes a call of a function of package sync/atomic one of its twin.
//
// (D3) Replace  atomic.LoadInt64(&n)
//
//	with  atomic.RacepredSeenLoadInt64(&n)
//
// The compiler replaces calls of the function itself by an instruction, which records nothing. A
// package in which such calls are left is compiled without instructions of that kind, those of
// math/bits included, and without inlining (gotestplugin/G4 and G5).
func (w *walker) atomic(call *ast.CallExpr) {
	if w.copies || w.thrownAway[call] {
		return
	}
	fn := w.Static(call)
	if fn == nil || !gotypes.FactsOf(fn).Is(library.Harmless) || fn.Pkg().Path() != "sync/atomic" || fn.Signature().Recv() != nil {
		return
	}
	w.Insert(RuleAtomic, gotypes.CalleeName(call).Pos(), "RacepredSeen")
}
