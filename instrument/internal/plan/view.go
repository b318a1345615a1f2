package plan

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
)

// viewed visits an expression whose value, if view says so, is a string made of bytes without a
// copy. What looks into the string later is not recorded. But the bytes must not change while there
// is the string, so its making tells as much as each look.
//
// (B8) Replace  unsafe.String(p, n)
//
//	with  runtime.RacepredLoadString(unsafe.String(p, n), site)
//
// and *(*string)(unsafe.Pointer(&b)) in the same way. Of unsafe.String(p, n)[i:j] only the part is
// read.
func (w *walker) viewed(e ast.Expr, view bool, visit func()) {
	whole := w.viewing != e
	if part, ok := e.(*ast.SliceExpr); ok && view {
		w.viewing = ast.Unparen(part.X)
	}
	switch {
	case !view || !whole || w.copies:
		visit()
	case w.later(e): // a call of ours would load the operands before the later call
		w.miss(e, WhyLateOperand)
		visit()
	default:
		w.Around(RuleBuiltin, e, w.Runtime+".RacepredLoadString(", visit, ", "+w.site(site.OpRead, e.Pos(), w.Written(e)+"[:]")+")")
	}
}

// isView reports whether an expression takes memory of another type for a string.
func (w *walker) isView(e ast.Expr) bool {
	e = ast.Unparen(e)
	if call, ok := e.(*ast.CallExpr); ok {
		return w.CallKind(call) == gotypes.CallBuiltin && w.Builtin(call) == "String"
	}
	star, ok := e.(*ast.StarExpr)
	if !ok {
		return false
	}
	call, ok := ast.Unparen(star.X).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !gotypes.IsString(w.Info.TypeOf(star)) || !w.Info.Types[call.Fun].IsType() {
		return false
	}
	from, ok := w.Info.TypeOf(call.Args[0]).Underlying().(*types.Basic)
	return ok && from.Kind() == types.UnsafePointer
}
