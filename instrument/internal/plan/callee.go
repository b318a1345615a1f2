package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
	"github.com/racepred/racepred/internal/typeset"
)

// asked says about which callee the tested program is to be asked, and whether the text asks.
type asked struct {
	about    ast.Expr // the function of a call whose callee is known only when it runs; nil for none
	answered bool
	site     string
	again    bool // RacepredAnswered is to ask once more
}

// questioning visits something by visit, with q about the innermost opaque call in it, and returns
// what became of q.
func (w *walker) questioning(q asked, visit func()) asked {
	outer := w.asked
	w.asked = q
	visit()
	q = w.asked
	w.asked = outer
	return q
}

// ask is the text of a question of fn, RacepredCallee or RacepredReceiver, with the rest of it.
func (w *walker) ask(fn string, at token.Pos, name ast.Expr) (before, after string) {
	w.asked.answered, w.asked.site = true, w.site(site.OpOpaque, at, w.Written(name))
	if w.asked.again || w.opaque != nil && (w.opaque.locks > 1 || w.opaque.callsBack) { // (O6) (O14)
		fn += "Noted"
	}
	return w.Runtime + "." + fn + "(", ", " + w.asked.site + ")"
}

// askCallee visits the function of a call.
//
// (O13) Replace  f(x)
//
//	with  runtime.RacepredCallee(f, site)(x)
//
// where f is a func value. If the compiler loads f after a call in x that may change it, the call
// is announced before the statement.
func (w *walker) askCallee(fun ast.Expr, visit func()) {
	f := ast.Unparen(fun)
	if w.asked.about != f || w.trying || w.Hoisted[fun] != "" || w.Hoisted[f] != "" || w.isMethod(f) || w.later(fun) && !w.stays(f) {
		visit()
		return
	}
	before, after := w.ask("RacepredCallee", fun.Pos(), fun)
	w.Around(RuleOpaque, fun, before, visit, after)
}

// isMethod reports whether f is a method, and no field that holds a function. Of an interface's
// method receiver asks.
func (w *walker) isMethod(f ast.Expr) bool {
	sel, ok := f.(*ast.SelectorExpr)
	return ok && w.Info.Selections[sel] != nil && w.Info.Selections[sel].Kind() != types.FieldVal
}

// fixed reports whether f is a variable that nothing changes.
func (w *walker) fixed(f ast.Expr) bool {
	id, ok := f.(*ast.Ident)
	if !ok || w.Place(f) == expr.PlaceShared {
		return false
	}
	v, ok := w.Info.Uses[id].(*types.Var)
	return ok && !w.Locals.Changeable(v) && !w.Locals.Assigned[v]
}

// askReceiver is the text around x in x.Method that asks about the method, or nothing if the text
// cannot ask.
//
// (O13) Replace  x.Method(y)
//
//	with  runtime.RacepredReceiver(x, site).Method(y)
//
// If the method is one of an embedded interface, x is the text that loads that. (R3)
func (w *walker) askReceiver(e *ast.SelectorExpr, sel *types.Selection) (before, after string) {
	if w.asked.about != ast.Expr(e) || w.trying {
		return "", ""
	}
	holds := sel.Recv()
	if fields := gotypes.Embedded(sel); len(fields) > 0 {
		if !w.loadsEmbedded(e.X, sel) {
			return "", ""
		}
		holds = fields[len(fields)-1].Type()
	} else if w.later(e.X) && !w.stays(e.X) {
		return "", ""
	}
	if !types.IsInterface(holds) || typeset.IsParam(holds) {
		return "", ""
	}
	return w.ask("RacepredReceiver", e.X.Pos(), e)
}

// stays reports whether the value of x is the same before and after the calls that follow it: it is
// a result, or a variable that nothing changes.
func (w *walker) stays(x ast.Expr) bool {
	x = ast.Unparen(x)
	if call, ok := x.(*ast.CallExpr); ok {
		return w.CallKind(call) == gotypes.CallFunction || w.CallKind(call) == gotypes.CallConversion && w.stays(call.Args[0])
	}
	return w.fixed(x)
}
