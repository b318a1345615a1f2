package redundancy

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
)

// Span answers questions about expressions and statements with the facts at the statement at hand.
type Span struct {
	*expr.Code
	Facts *Facts
}

// Find returns the fact that covers an access of e, if there is one. (instrument/C1)
func (s Span) Find(op site.Op, e ast.Expr) (f Fact, ok bool) {
	if s.All || s.Facts.Off {
		return Fact{}, false
	}
	key, _, ok := s.Location(e)
	if !ok {
		return Fact{}, false
	}
	f, ok = s.Facts.known[key]
	return f, ok && (f.Op == site.OpWrite || op == site.OpRead)
}

// Accessed notes that an access is recorded on every way through the statement at hand.
// A write counts when the statement is over.
func (s Span) Accessed(op site.Op, e ast.Expr) {
	if s.All || s.Facts.Off {
		return
	}
	key, uses, ok := s.Location(e)
	if !ok {
		return
	}
	f := Fact{op, ast.Unparen(e).Pos(), uses}
	if op == site.OpWrite {
		s.Facts.writes[key] = f
	} else if _, ok := s.Facts.known[key]; !ok {
		s.Facts.known[key] = f
	}
}

// Location names the memory that e denotes, if its address depends only on
// local variables that only assignments in this function change.
func (s Span) Location(e ast.Expr) (key string, uses []*types.Var, ok bool) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.Location(e.X)
	case *ast.Ident:
		v, ok := s.Info.ObjectOf(e).(*types.Var)
		return fmt.Sprintf("%s@%p", e.Name, v), nil, ok && !s.Locals.Turn[v]
	case *ast.StarExpr:
		return s.pointed(e.X)
	case *ast.SelectorExpr:
		sel := s.Info.Selections[e]
		if sel == nil {
			v, ok := s.Info.Uses[e.Sel].(*types.Var)
			return fmt.Sprintf("%s@%p", e.Sel.Name, v), nil, ok
		}
		if sel.Kind() != types.FieldVal || gotypes.HasPointer(gotypes.Embedded(sel)) {
			return "", nil, false
		}
		if gotypes.IsPointer(s.Info.TypeOf(e.X)) {
			key, uses, ok = s.pointed(e.X)
		} else {
			key, uses, ok = s.Location(e.X)
		}
		return key + fmt.Sprint(sel.Index()), uses, ok
	case *ast.IndexExpr:
		t := s.Info.TypeOf(e.X)
		switch {
		case t == nil || gotypes.IsMap(t) || gotypes.IsString(t):
			return "", nil, false
		case gotypes.IsArray(t):
			key, uses, ok = s.Location(e.X)
		default:
			key, uses, ok = s.pointed(e.X)
		}
		if !ok {
			return "", nil, false
		}
		if c := s.Info.Types[e.Index].Value; c != nil {
			return key + "[" + constant.ToInt(c).ExactString() + "]", uses, true
		}
		index, more, ok := s.operand(e.Index)
		return key + "[" + index + "]", append(uses[:len(uses):len(uses)], more...), ok
	}
	return "", nil, false
}

// pointed names the memory that a local variable, a pointer or a slice, refers to.
func (s Span) pointed(x ast.Expr) (key string, uses []*types.Var, ok bool) {
	key, uses, ok = s.operand(x)
	return "*" + key, uses, ok
}

// operand names the value of a local variable.
func (s Span) operand(x ast.Expr) (key string, uses []*types.Var, ok bool) {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return "", nil, false
	}
	v, ok := s.Info.ObjectOf(id).(*types.Var)
	if !ok || s.IsShared(v) || s.Locals.Changeable(v) {
		return "", nil, false
	}
	return fmt.Sprintf("%s@%p", id.Name, v), []*types.Var{v}, true
}
