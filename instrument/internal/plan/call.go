package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/hazard"
	"github.com/racepred/racepred/instrument/internal/site"
	"github.com/racepred/racepred/internal/library"
)

// callValue visits a call whose result may be used.
func (w *walker) callValue(e *ast.CallExpr) {
	switch w.CallKind(e) {
	case gotypes.CallConversion:
		w.conversion(e)
	case gotypes.CallBuiltin:
		if w.AtOnce(e) {
			w.builtinCall(e) // value visits it within wrapPending
		} else {
			w.wrapPending(e, func() { w.builtinCall(e) })
		}
	default:
		w.wrapPending(e, func() {
			w.lockingCall(e, func() { w.asking(e, func() { w.operandsOf(e) }) })
		})
		w.syncSite(e)
	}
}

// operandsOf visits the function and the arguments of a call.
func (w *walker) operandsOf(e *ast.CallExpr) {
	defer w.enter(append([]ast.Expr{e.Fun}, e.Args...)...)()
	how, ok := w.libraryArg(e)
	visit := func() {
		w.atomic(e)
		w.askCallee(e.Fun, func() { w.callee(e.Fun) })
		for i, arg := range e.Args {
			if i == 0 && ok {
				w.accessesSlice(arg, how)
			} else {
				w.value(arg)
			}
		}
	}
	if ok {
		visit()
		return
	}
	if w.Static(e) == nil {
		w.region.callee = e.Fun
	}
	front := w.stmt != nil && w.stmt.call == e
	spawning := w.spawning
	w.spawning = false
	defer func() { w.spawning = spawning }()
	operands := append([]ast.Expr{e.Fun}, e.Args...)
	collect := func(h *hazard.Hazards) { h.Spawned = spawning; h.OperandsOf(e) }
	if n := len(e.Args); n > 0 && !spawning && w.Static(e) == nil && w.loadedLate(collect, e.Fun, e.Args[n-1]) {
		loads := []ast.Expr{e.Fun}
		if w.Place(e.Fun) != expr.PlaceShared {
			loads = w.LoadsIn(e.Fun)
		}
		collectLate := func(h *hazard.Hazards) { h.Arguments(e); h.Rank = 1; h.After(func() { h.Callee(e) }) }
		if _, ok := w.order(collectLate); ok && w.loadable(loads) {
			w.inOrder(collectLate, operands, nil, front, func() {
				w.hoistedOnly(e.Fun)
				w.values(e.Args[:n-1])
				w.withLoads(e.Args[n-1], loads)
			})
			return
		}
	}
	w.inOrder(collect, operands, nil, front, visit)
}

// callee visits the function of a call.
func (w *walker) callee(fun ast.Expr) {
	switch f := ast.Unparen(fun).(type) {
	case *ast.SelectorExpr:
		if sel := w.Info.Selections[f]; sel != nil && sel.Kind() == types.MethodExpr {
			w.expression(f, sel)
			return
		}
	case *ast.IndexExpr:
		if w.IsFunc(f.X) {
			w.callee(f.X)
			return
		}
	case *ast.IndexListExpr:
		w.callee(f.X)
		return
	}
	w.value(fun)
}

// nameSite adds a site that only gives a name to an operation that the runtime records by itself.
func (w *walker) nameSite(op Op, at token.Pos, named ast.Expr) {
	if w.copies {
		return
	}
	w.site(op, at, w.Written(named))
}

// syncSite names what a call of a method of package sync is about: the lock that it takes or gives
// back, or the WaitGroup.
func (w *walker) syncSite(e *ast.CallExpr) {
	sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	fn, ok := w.Info.Uses[sel.Sel].(*types.Func)
	if !ok {
		return
	}
	switch facts := gotypes.FactsOf(fn); {
	case facts.Is(library.Locks):
		w.nameSite(site.OpLock, sel.Sel.Pos(), sel.X)
	case facts.Is(library.RLocks):
		w.nameSite(site.OpRLock, sel.Sel.Pos(), sel.X)
	case facts.Is(library.Unlocks):
		w.nameSite(site.OpUnlock, sel.Sel.Pos(), sel.X)
	case facts.Is(library.OfGroup):
		w.nameSite(site.OpGroup, sel.Sel.Pos(), sel.X)
	}
}
