package plan

import (
	"fmt"
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/hazard"
)

// A region is a run of operands that the compiler evaluates together, with what waits to be recorded in it.
type region struct {
	expr.Run
	pending []string          // pointers whose recording waits for last
	now     map[ast.Expr]bool // values to be evaluated at once (P1)

	waiting []string // pointers whose recording waits for mark

	atOnce    bool                             // its operands are those of what is evaluated at once, and still to be visited
	sliceLate bool                             // append loads its slice last
	callee    ast.Expr                         // a function that is known when it runs: the compiler loads it last
	updated   ast.Expr                         // what x op= y reads and writes
	spread    ast.Expr                         // the slice that append adds
	tried     map[ast.Expr]map[ast.Expr]string // those of them that stay as they are (P2), with what is kept of them
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
