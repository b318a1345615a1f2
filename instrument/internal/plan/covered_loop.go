package plan

import (
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/site"
)

// loopReads finds the loads of a loop's condition that have the same address in every turn, if
// nothing in the loop synchronizes.
//
// (C3) Replace  for i := 0; i < len(x.items); i++ {
//
//	with  runtime.RacepredR(&x.items, site); for i := 0; i < len(x.items); i++ {
//
// The condition of a loop is evaluated at least once, right after the init statement. Loads of
// its body stay where they are: the body may not run.
func (w *walker) loopReads(s *ast.ForStmt) (reads []ast.Expr) {
	if w.All || s.Cond == nil || !w.blockable() || w.span().Synchronizes(s) || !w.span().PlainInit(s.Init) {
		return nil
	}
	assigned := w.span().AssignedBy(s)
	for _, e := range w.span().ConditionReads(s.Cond) {
		if w.span().StableIn(e, s, assigned) && w.Pure(e) && w.Tokens.Line(e.Pos()) == w.Tokens.Line(s.Pos()) && !w.covered(site.OpRead, e) {
			reads = append(reads, e)
		}
	}
	return reads
}
