package plan

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
)

// viewed visits an expression whose value, if view says so, is a string made of bytes without a copy. What looks into the string later is not recorded. But the bytes
// must not change while there is the string, so its making tells as much as each look.
//
// (B8) Replace  unsafe.String(p, n)
//
//	with  runtime.RacepredLoadString(unsafe.String(p, n), site)
//
// and  *(*string)(unsafe.Pointer(&b))  in the same way.
func (w *walker) viewed(e ast.Expr, view bool, visit func()) {
	switch {
	case !view || w.copies:
		visit()
	case w.later(e): // a call of ours would load the operands before the later call
		w.miss(e, WhyLateOperand)
		visit()
	default:
		w.Around(RuleBuiltin, e, w.Runtime+".RacepredLoadString(", visit, ", "+w.site(site.OpRead, e.Pos(), w.Written(e)+"[:]")+")")
	}
}

// isView reports whether an indirection takes memory of another type for a string.
func (w *walker) isView(e *ast.StarExpr) bool {
	call, ok := ast.Unparen(e.X).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !gotypes.IsString(w.Info.TypeOf(e)) || !w.Info.Types[call.Fun].IsType() {
		return false
	}
	from, ok := w.Info.TypeOf(call.Args[0]).Underlying().(*types.Basic)
	return ok && from.Kind() == types.UnsafePointer
}
