package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// loopReads finds what the condition of a loop reads at the same address in every turn, if
// nothing in the loop synchronizes.
//
// (C3) Replace  for i := 0; i < len(x.items); i++ {
//
//	with  runtime.RacepredR(&x.items, site); for i := 0; i < len(x.items); i++ {
//
// The condition of a loop is evaluated at least once, right after the init statement. What
// its body reads is left where it is: it may not run.
func (w *walker) loopReads(s *ast.ForStmt) (reads []ast.Expr) {
	if w.All || s.Cond == nil || !w.blockable() || w.synchronizes(s) || !w.plainInit(s.Init) {
		return nil
	}
	assigned := w.assignedBy(s)
	for _, e := range w.conditionReads(s.Cond) {
		if w.settledIn(e, s, assigned) && w.Pure(e) && w.tok.Line(e.Pos()) == w.tok.Line(s.Pos()) && !w.covered(OpRead, e) {
			reads = append(reads, e)
		}
	}
	return reads
}

// assignedBy are the variables that a node assigns.
func (w *walker) assignedBy(n ast.Node) []*types.Var {
	c := *w
	c.facts = newFacts()
	c.killAssigned(n)
	return c.facts.killed
}

// settledIn says whether e is the same location in all turns of a loop that assigns these variables.
func (w *walker) settledIn(e ast.Expr, loop ast.Node, assigned []*types.Var) bool {
	_, uses, ok := w.location(e)
	if !ok || slices.ContainsFunc(uses, func(v *types.Var) bool { return slices.Contains(assigned, v) }) {
		return false
	}
	own := false
	ast.Inspect(e, func(n ast.Node) bool { // a variable of the loop itself
		if id, ok := n.(*ast.Ident); ok {
			obj := w.Info.ObjectOf(id)
			own = own || obj != nil && loop.Pos() <= obj.Pos() && obj.Pos() < loop.End()
		}
		return !own
	})
	return !own
}

// plainInit says whether an init statement does nothing but set local variables to quiet values.
func (w *walker) plainInit(s ast.Stmt) bool {
	if s == nil {
		return true
	}
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE && a.Tok != token.ASSIGN {
		return false
	}
	for _, e := range a.Lhs {
		if id, ok := e.(*ast.Ident); !ok || a.Tok == token.ASSIGN && w.Place(id) != expr.PlaceLocal {
			return false
		}
	}
	for _, e := range a.Rhs {
		if !w.Quiet(e) || w.HasPoint(e) {
			return false
		}
	}
	return true
}

// conditionReads lists the loads that are certain to happen when e is evaluated.
func (w *walker) conditionReads(e ast.Expr) []ast.Expr {
	if w.IsConstant(e) {
		return nil
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.conditionReads(e.X)
	case *ast.UnaryExpr:
		if e.Op != token.AND {
			return w.conditionReads(e.X)
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			return w.conditionReads(e.X)
		}
		return append(w.conditionReads(e.X), w.conditionReads(e.Y)...)
	case *ast.CallExpr:
		if name := w.Builtin(e); w.CallKind(e) == gotypes.CallBuiltin && (name == "len" || name == "cap") {
			if t := w.Info.TypeOf(e.Args[0]); gotypes.IsSlice(t) || gotypes.IsString(t) {
				return w.conditionReads(e.Args[0])
			}
		}
	case *ast.IndexExpr:
		if w.Place(e) == expr.PlaceShared {
			if _, _, ok := w.location(e); ok {
				return []ast.Expr{e}
			}
			if gotypes.IsSlice(w.Info.TypeOf(e.X)) {
				return append(w.conditionReads(e.X), w.conditionReads(e.Index)...)
			}
		}
	case *ast.Ident, *ast.StarExpr, *ast.SelectorExpr:
		if _, _, ok := w.location(e); ok && w.Place(e) == expr.PlaceShared {
			return []ast.Expr{e}
		}
	}
	return nil
}
