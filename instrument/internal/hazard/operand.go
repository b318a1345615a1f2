package hazard

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/typeset"
)

// Value collects the hazards of an expression whose value is used, evaluated by c.
func (h *Hazards) Value(e ast.Expr, c *AtCall) {
	w := h.code
	if e == nil || w.Hoisted[e] != "" || w.IsConstant(e) || w.Info.Types[e].IsBuiltin() {
		return
	}
	if w.AtOnce(e) {
		if h.Deep {
			h.OperandsAtOnce(e)
			h.itself(e)
		} else {
			h.Called(e)
		}
		return
	}
	if h.Target && !lvalue(e) {
		h.beforeTarget(e, c)
		return
	}
	if h.now[e] {
		delete(h.now, e)
		h.After(func() { h.call(func(c *AtCall) { h.Value(e, c) }) })
		h.now[e] = true
		return
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		h.Value(x.X, c)
	case *ast.StarExpr:
		h.load(w.Place(e) == expr.PlaceShared, e, c)
	case *ast.SelectorExpr:
		switch sel := w.Info.Selections[x]; {
		case sel == nil:
		case sel.Kind() == types.FieldVal:
			h.load(w.Place(e) == expr.PlaceShared, e, c)
		case sel.Kind() == types.MethodVal:
			h.rare(func() { h.receiver(x, sel, c) })
		}
	case *ast.IndexExpr:
		h.index(x, c)
	case *ast.UnaryExpr:
		switch x.Op {
		case token.ARROW:
			h.Called(e)
		case token.AND:
			if lit, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok {
				h.Value(lit, c)
			} else {
				h.Address(x.X, e, c)
			}
		default:
			h.Value(x.X, c)
		}
	case *ast.BinaryExpr:
		h.binary(x, c)
	case *ast.TypeAssertExpr:
		h.Value(x.X, c)
		h.Add(e, false, c)
	case *ast.CallExpr:
		if w.CallKind(x) == gotypes.CallConversion {
			h.conversion(x, c)
		} else {
			h.Called(e)
		}
	case *ast.CompositeLit:
		h.elements(x, c)
	}
}

// beforeTarget collects the hazards of a part of a target that is evaluated before the targets are.
func (h *Hazards) beforeTarget(e ast.Expr, c *AtCall) {
	rank := h.Rank
	h.Rank, h.Target = h.Before, false
	h.Value(e, c)
	h.Rank, h.Target = rank, true
}

// index collects the hazards of an index expression.
func (h *Hazards) index(x *ast.IndexExpr, c *AtCall) {
	w := h.code
	t := w.Info.TypeOf(x.X)
	switch {
	case w.IsFunc(x.X):
	case gotypes.IsMap(t) && h.Target:
		h.beforeTarget(x, c)
	case gotypes.IsMap(t):
		h.rare(func() {
			h.Value(x.X, c)
			if w.KeyCopied(x) {
				h.first(func() { h.Value(x.Index, c) })
			} else {
				h.Value(x.Index, c)
			}
		})
		if gotypes.IsInterface(typeset.Core(t).(*types.Map).Key()) {
			h.Add(x, false, c)
		}
	case gotypes.IsSlice(t) || gotypes.IsArray(t) || gotypes.ArrayPointer(t) != nil:
		h.load(w.Place(x) == expr.PlaceShared, x, c)
	default:
		h.Value(x.X, c)
		h.Value(x.Index, c)
		if !w.IsConstant(x.X) || !w.IsConstant(x.Index) {
			h.Add(x, false, c)
		}
	}
}

// elements collects the hazards of a literal, whose elements are assigned one by one.
func (h *Hazards) elements(x *ast.CompositeLit, c *AtCall) {
	for _, elt := range x.Elts {
		h.rare(func() {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				if gotypes.StructOf(h.code.Info.TypeOf(x)) == nil {
					h.Value(kv.Key, c)
				}
				elt = kv.Value
			}
			h.Value(elt, c)
		})
	}
}

// lvalue reports whether the compiler leaves e as it is in a target (safeExpr of package walk).
func lvalue(e ast.Expr) bool {
	switch ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr:
		return true
	}
	return false
}

// rare collects the hazards of an exotic operand. The compiler evaluates it after the exotic
// operands in it (walkCall1 of package walk).
func (h *Hazards) rare(collect func()) {
	outer := h.own
	h.own = nil
	h.exotic++
	collect()
	h.exotic--
	for _, i := range h.own {
		x := &h.list[i]
		x.at += h.seen - x.found
		if x.by >= lateBy {
			x.by = lateBy + x.at
		}
		x.found = h.seen
		h.seen++
	}
	h.own = outer
}

// first collects the hazards of an operand that the compiler copies before it evaluates anything
// else of the statement.
func (h *Hazards) first(collect func()) {
	h.Rank -= 100
	collect()
	h.Rank += 100
}

func (h *Hazards) binary(x *ast.BinaryExpr, c *AtCall) {
	w := h.code
	both := func() {
		h.Value(x.X, c)
		h.Value(x.Y, c)
	}
	switch x.Op {
	case token.LAND, token.LOR:
		h.Called(x)
	case token.QUO, token.REM:
		both()
		if t, ok := typeset.Core(w.Info.TypeOf(x)).(*types.Basic); ok && t.Info()&types.IsInteger != 0 && !w.IsConstant(x.Y) {
			h.Add(x, false, c)
		}
	case token.SHL, token.SHR:
		both()
		if t, ok := typeset.Core(w.Info.TypeOf(x.Y)).(*types.Basic); ok && t.Info()&types.IsUnsigned == 0 && !w.IsConstant(x.Y) {
			h.Add(x, false, c)
		}
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		if oneWord(w.Info.TypeOf(x.X)) && oneWord(w.Info.TypeOf(x.Y)) {
			both()
			return
		}
		if !gotypes.IsString(w.Info.TypeOf(x.X)) && !gotypes.IsInterface(w.Info.TypeOf(x.X)) && !gotypes.IsInterface(w.Info.TypeOf(x.Y)) {
			for _, y := range []ast.Expr{x.X, x.Y} {
				if w.Place(y) == expr.PlaceValue {
					h.first(func() { h.Value(y, c) })
					continue
				}
				target, before := h.Target, h.Before
				h.Target, h.Before = true, h.Rank-50
				h.rare(func() { h.Value(y, c) })
				h.Target, h.Before = target, before
			}
			return
		}
		if gotypes.IsString(w.Info.TypeOf(x.X)) {
			h.rare(both)
		} else { // walkCompareInterface of package walk
			h.rare(func() {
				h.later++
				h.Value(x.X, c)
				h.later--
				h.Value(x.Y, c)
			})
		}
		if !gotypes.IsString(w.Info.TypeOf(x.X)) && !w.Info.Types[x.X].IsNil() && !w.Info.Types[x.Y].IsNil() {
			h.Add(x, false, c)
		}
	default:
		if gotypes.IsString(w.Info.TypeOf(x)) {
			h.rare(both)
		} else {
			both()
		}
	}
}

// oneWord reports whether values of type t are compared by the processor.
func oneWord(t types.Type) bool {
	switch u := typeset.Core(t).(type) {
	case *types.Basic:
		return u.Info()&types.IsString == 0
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature, *types.Slice:
		return true
	}
	return false
}
