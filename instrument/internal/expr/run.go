package expr

import "go/ast"

// A Run is a number of operands that the compiler evaluates in two steps: calls
// and receives first, in the order in which they are written, plain loads
// last. So in p.q.n + f() the load of p.q.n comes after f (instrument/R2).
type Run struct {
	Last   ast.Expr // the last call or receive, nil if none
	Attach bool     // last can be wrapped, for something to be recorded right after it
	Mark   ast.Expr // what comes after last, is evaluated at once, and could panic; nil if none
}

// Later says whether a call or receive comes after e.
func (r *Run) Later(e ast.Expr) bool {
	return r.Last != nil && r.Last.Pos() >= e.End()
}
