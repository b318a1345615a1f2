package plan

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
)

// push is list = append(list, ...) that W8 records: from is append's first operand, to the target.
type push struct{ from, to ast.Expr }

// pushes reports whether an assignment is to be recorded by W8.
//
// (W8) Replace  x.list = append(x.list, v)
//
//	with  x.list = runtime.RacepredPushed(append((*runtime.RacepredPushing(&x.list)), v), runtime.RacepredList(&x.list, site, site, site))
//
// Loads of the elements are recorded as usual. Each append is recorded, also in loops (C4), and
// covers nothing.
func (w *walker) pushes(tok token.Token, lhs, rhs ast.Expr) bool {
	call, ok := ast.Unparen(rhs).(*ast.CallExpr)
	if tok != token.ASSIGN || w.copies || w.trying || w.region.sliceLate || !ok || w.Hoisted[rhs] != "" || w.CallKind(call) != gotypes.CallBuiltin || w.Builtin(call) != "append" || len(call.Args) < 2 {
		return false
	}
	from, to := ast.Unparen(call.Args[0]), ast.Unparen(lhs)
	if !gotypes.IsSlice(w.Info.TypeOf(from)) || w.Place(from) != expr.PlaceShared || w.Fresh(from) || w.Owned(from) || !w.Pure(to) || w.Written(from) != w.Written(to) {
		return false
	}
	if _, _, fixed := w.span().Location(to); !fixed && w.region.Last != nil {
		return false // a call may change the address
	}
	w.pushed = &push{from, to}
	return true
}

// push visits the right side and records the append after it.
func (w *walker) push(rhs ast.Expr) {
	to := w.pushed.to
	w.hoistedOnly(to)
	w.Around(RuleAfter, rhs, w.Runtime+".RacepredPushed(", func() { w.value(rhs) }, ", "+w.Placed(rhs.End(), to, func() string {
		text := w.copied(to, func(c *walker) { c.addr(to) })
		name := w.Written(to)
		return w.Runtime + ".RacepredList(&" + strings.Join([]string{
			text, w.site(site.OpRead, to.Pos(), name), w.site(site.OpWrite, rhs.Pos(), name+"[len:]"), w.site(site.OpWrite, to.Pos(), name),
		}, ", ") + ")"
	})+")")
}

// isPushed reports whether e is the operand of an append that W8 records.
func (w *walker) isPushed(e ast.Expr) bool { return w.pushed != nil && ast.Unparen(e) == w.pushed.from }

// appendsPushed reports whether e is such an append.
func (w *walker) appendsPushed(e *ast.CallExpr) bool { return len(e.Args) > 0 && w.isPushed(e.Args[0]) }
