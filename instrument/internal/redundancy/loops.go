package redundancy

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// AssignedBy are the variables that a node assigns.
func (s Span) AssignedBy(n ast.Node) []*types.Var {
	s.Facts = NewFacts()
	s.killAssigned(n)
	return s.Facts.killed
}

// StableIn reports whether e is the same location in all turns of a loop that assigns these
// variables.
func (s Span) StableIn(e ast.Expr, loop ast.Node, assigned []*types.Var) bool {
	_, uses, ok := s.Location(e)
	if !ok || slices.ContainsFunc(uses, func(v *types.Var) bool { return slices.Contains(assigned, v) }) {
		return false
	}
	own := false
	ast.Inspect(e, func(n ast.Node) bool { // a variable of the loop itself
		if id, ok := n.(*ast.Ident); ok {
			obj := s.Info.ObjectOf(id)
			own = own || obj != nil && loop.Pos() <= obj.Pos() && obj.Pos() < loop.End()
		}
		return !own
	})
	return !own
}

// PlainInit reports whether an init statement does nothing but set local variables to quiet values.
func (s Span) PlainInit(init ast.Stmt) bool {
	if init == nil {
		return true
	}
	a, ok := init.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE && a.Tok != token.ASSIGN {
		return false
	}
	for _, e := range a.Lhs {
		if id, ok := e.(*ast.Ident); !ok || a.Tok == token.ASSIGN && s.Place(id) != expr.PlaceLocal {
			return false
		}
	}
	for _, e := range a.Rhs {
		if !s.Quiet(e) || s.HasPoint(e) {
			return false
		}
	}
	return true
}

// ConditionReads lists the loads that are certain to happen when e is evaluated.
func (s Span) ConditionReads(e ast.Expr) []ast.Expr {
	if s.IsConstant(e) {
		return nil
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.ConditionReads(e.X)
	case *ast.UnaryExpr:
		if e.Op != token.AND {
			return s.ConditionReads(e.X)
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			return s.ConditionReads(e.X)
		}
		return append(s.ConditionReads(e.X), s.ConditionReads(e.Y)...)
	case *ast.CallExpr:
		if name := s.Builtin(e); s.CallKind(e) == gotypes.CallBuiltin && (name == "len" || name == "cap") {
			if t := s.Info.TypeOf(e.Args[0]); gotypes.IsSlice(t) || gotypes.IsString(t) {
				return s.ConditionReads(e.Args[0])
			}
		}
	case *ast.IndexExpr:
		if s.Place(e) == expr.PlaceShared {
			if _, _, ok := s.Location(e); ok {
				return []ast.Expr{e}
			}
			if gotypes.IsSlice(s.Info.TypeOf(e.X)) {
				return append(s.ConditionReads(e.X), s.ConditionReads(e.Index)...)
			}
		}
	case *ast.Ident, *ast.StarExpr, *ast.SelectorExpr:
		if _, _, ok := s.Location(e); ok && s.Place(e) == expr.PlaceShared {
			return []ast.Expr{e}
		}
	}
	return nil
}

// Turns is what rule instrument/C4 needs to know about a loop.
type Turns struct {
	OneSpan  bool         // the loop does not synchronize until it is left
	Assigned []*types.Var // the variables that it assigns
}

// OneSpan reports whether all that a loop does until it is left is in one span. Branches that
// return or panic leave it.
func (s Span) OneSpan(loop ast.Node) bool {
	one := true
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.ReturnStmt:
			return false
		case *ast.BlockStmt:
			if s.leavesLoops(n.List) {
				return false
			}
		case *ast.CaseClause:
			if s.leavesLoops(n.Body) {
				for _, e := range n.List {
					one = one && !s.Synchronizes(e)
				}
				return false
			}
		}
		one = one && !s.breaksSpan(n)
		return one
	})
	return one
}

// leavesLoops reports whether the loops around a list of statements are left at its end, and only
// there.
func (s Span) leavesLoops(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch last := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
	case *ast.ExprStmt:
		call, ok := last.X.(*ast.CallExpr)
		if !ok || s.CallKind(call) != gotypes.CallBuiltin || s.Builtin(call) != "panic" {
			return false
		}
	default:
		return false
	}
	elsewhere := false
	for _, x := range list {
		ast.Inspect(x, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.BranchStmt:
				elsewhere = true
			}
			return !elsewhere
		})
	}
	return !elsewhere
}
