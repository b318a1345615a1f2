package plan

import (
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
)

// goStmt visits go f(x). f runs on another goroutine, outside of every critical
// section of this one, so it is never an opaque call here.
func (w *walker) goStmt(s *ast.GoStmt) {
	w.discarded(s.Call)
	w.nameSite(site.OpGo, s.Pos(), s.Call.Fun)
	w.spawned(s.Call)
}

// spawned visits the operands of a call that is run later.
func (w *walker) spawned(call *ast.CallExpr) {
	if w.CallKind(call) == gotypes.CallBuiltin {
		switch name := w.Builtin(call); {
		case name == "copy":
			w.copyCall(call)
		case name == "clear" && gotypes.IsSlice(w.Info.TypeOf(call.Args[0])):
			w.deferredClear(call)
		default:
			w.eval(call.Args...)
		}
		return
	}
	w.spawning = true
	w.operandsOf(call)
	w.spawning = false
}

// deferStmt visits defer f(x).
//
// (O6) Replace  defer w.Flush()
//
//	with  defer w.Flush(); defer runtime.RacepredOpaque(site)
//
// or, if the callee is known only when it runs (O13),
//
//	with  defer runtime.RacepredReceiverNoted(w, site).Flush(); defer runtime.RacepredAnswered(site)
func (w *walker) deferStmt(s *ast.DeferStmt) {
	w.discarded(s.Call)
	opaque, dynamic := false, false
	if w.CallKind(s.Call) == gotypes.CallFunction {
		opaque, dynamic = w.judge.IsOpaque(s.Call, w.Locals)
	}
	q := asked{again: true}
	// The question would load the function before the arguments are evaluated, which may panic
	// first.
	if fun := ast.Unparen(s.Call.Fun); dynamic && (len(s.Call.Args) == 0 || w.isMethod(fun) || w.stays(fun)) {
		q.about = fun
	}
	q = w.questioning(q, func() { w.spawned(s.Call) })
	w.syncSite(s.Call)
	if !opaque {
		return
	}
	w.noteOpaque(s.Call, dynamic, true)
	text := w.Call("RacepredAnswered", q.site)
	if !q.answered {
		text = w.opaqueText(s.Call.Pos(), w.Written(s.Call.Fun))
	}
	w.Insert(RuleOpaque, s.End(), "; defer "+text)
}
