package plan

import (
	"go/ast"
	"go/token"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/redundancy"
	"github.com/racepred/racepred/instrument/internal/site"
)

// Covered is an access that needs no record because another one has one.
type Covered struct {
	Line, Col     int
	Op            Op
	ByLine, ByCol int // the access that covers it
	ByOp          Op
}

// span answers questions with the facts at the statement at hand.
func (w *walker) span() redundancy.Span { return redundancy.Span{Code: &w.Code, Facts: w.facts} }

// covered reports whether e need not be recorded.
func (w *walker) covered(op Op, e ast.Expr) bool {
	if w.isPushed(e) {
		return false
	}
	_, ok := w.span().Find(op, e)
	return ok
}

// straight begins a part of the function that is evaluated as a whole. The returned function ends
// it.
func (w *walker) straight(nodes ...ast.Node) (end func()) {
	return w.span().Straight(func() int { return len(w.plan.Misses) }, nodes...)
}

// branch visits a part that may not be run, or not to its end.
func (w *walker) branch(leaves bool, visit func()) { w.span().Branch(leaves, visit) }

// drop notes that a covered access was left out.
func (w *walker) drop(op Op, e ast.Expr) {
	f, _ := w.span().Find(op, e)
	w.dropFor(op, e, f)
}

// dropFor notes that an access was left out because of a fact.
func (w *walker) dropFor(op Op, e ast.Expr, f redundancy.Fact) {
	p, by := w.Tokens.PositionFor(e.Pos(), false), w.Tokens.PositionFor(f.At, false)
	w.plan.Covered = append(w.plan.Covered, Covered{p.Line, p.Column, op, by.Line, by.Column, f.Op})
}

// accessed notes that an access is recorded.
func (w *walker) accessed(op Op, e ast.Expr) {
	if !w.isPushed(e) {
		w.span().Accessed(op, e)
	}
}

// assigned notes the writes of an assignment.
func (w *walker) assigned(tok token.Token, lhs ...ast.Expr) {
	for _, e := range lhs {
		e = ast.Unparen(e)
		switch {
		case w.stored(e, tok):
			w.accessed(site.OpWrite, e)
		case w.Place(e) == expr.PlaceShared && w.covered(site.OpWrite, e) && !w.declares(e, tok):
			w.drop(site.OpWrite, e)
		}
	}
}
