package plan

import (
	"fmt"
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/hazard"
)

// A region is a run of operands that the compiler evaluates together, with the recording calls that
// wait in it.
type region struct {
	expr.Run
	pending []string          // recording calls that wait for Last
	now     map[ast.Expr]bool // values to be evaluated at once (P1)

	waiting []string // recording calls that wait for Mark

	atOnce    bool                             // these are operands of an expression that is evaluated at once, and not visited yet
	sliceLate bool                             // append loads its slice last
	callee    ast.Expr                         // a function that is known only when it runs: the compiler loads it last
	updated   ast.Expr                         // x in x op= y
	spread    ast.Expr                         // y in append(x, y...)
	tried     map[ast.Expr]map[ast.Expr]string // the operands that stay as they are (P2), with the parts that are kept
}

// enter opens the region of the operands es; the returned function closes it.
func (w *walker) enter(es ...ast.Expr) (leave func()) {
	outer := w.region
	r := &region{}
	for i := len(es) - 1; i >= 0 && r.Last == nil; i-- {
		if es[i] != nil {
			r.Last, r.Attach = w.LastPoint(es[i])
		}
	}
	r.Mark = w.hazards().MarkIn(r.Run, es)
	w.region = r
	return func() {
		if len(r.pending) > 0 || len(r.waiting) > 0 {
			panic(fmt.Sprintf("internal error: what waited for %s was not recorded", w.Written(es[len(es)-1])))
		}
		w.region = outer
	}
}

// eval visits the operands of a statement as values.
func (w *walker) eval(es ...ast.Expr) {
	defer w.enter(es...)()
	w.inOrder(func(h *hazard.Hazards) { h.Values(es...) }, es, nil, false, func() {
		for _, e := range es {
			if e != nil {
				w.value(e)
			}
		}
	})
}
