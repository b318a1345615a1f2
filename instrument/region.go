package instrument

import (
	"fmt"
	"go/ast"
)

// A region is a run of operands that the compiler evaluates in two steps: calls
// and receives first, in the order in which they are written, plain loads
// last. So in p.q.n + f() the load of p.q.n comes after f (rule R2).
type region struct {
	last    ast.Expr          // the last call or receive, nil if none
	attach  bool              // last can be wrapped, for something to be recorded right after it
	pending []string          // pointers whose recording waits for last
	now     map[ast.Expr]bool // values to be evaluated at once (P1)

	mark    ast.Expr // what comes after last, is evaluated at once, and could panic; nil if none
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
	for i := len(es) - 1; i >= 0 && r.last == nil; i-- {
		if es[i] != nil {
			r.last, r.attach = w.LastPoint(es[i])
		}
	}
	w.mark(r, es)
	w.region = r
	return func() {
		if len(r.pending) > 0 || len(r.waiting) > 0 {
			panic(fmt.Sprintf("internal error: what waited for %s was not recorded", w.text(es[len(es)-1])))
		}
		w.region = outer
	}
}

// eval visits the operands of a statement as values.
func (w *walker) eval(es ...ast.Expr) {
	defer w.enter(es...)()
	w.inOrder(func(h *hazards) { h.values(es...) }, es, nil, false, func() {
		for _, e := range es {
			if e != nil {
				w.value(e)
			}
		}
	})
}
