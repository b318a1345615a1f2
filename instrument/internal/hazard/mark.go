package hazard

import (
	"go/ast"
	"go/token"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// MarkIn finds the mark of operands: the last one that is evaluated at once, has no call in it, and
// could panic in another way than the recording calls before it. There is none if the last call of
// their run comes after it.
func (h *Hazards) MarkIn(run expr.Run, es []ast.Expr) ast.Expr {
	var last ast.Expr
	for i := len(es) - 1; i >= 0 && last == nil; i-- {
		if es[i] != nil {
			last = h.lastAtOnce(es[i])
		}
	}
	if last == nil || run.Last != nil && run.Last.End() >= last.End() {
		return nil
	}
	all := h.within()
	all.Deep = true
	all.Value(last, nil)
	all.Deep, all.Merged = false, true
	all.Values(es...)
	if !all.Mixed() {
		return nil
	}
	return last
}

// lastAtOnce finds the last value in e that is evaluated at once and could panic.
func (h *Hazards) lastAtOnce(e ast.Expr) ast.Expr {
	w := h.code
	if w.Hoisted[e] != "" || w.IsConstant(e) {
		return nil
	}
	if w.AtOnce(e) {
		own := h.within()
		own.Deep = true
		if own.Value(e, nil); own.Count() == 0 || !w.SingleValue(e) || !w.Typed(e) {
			return nil
		}
		return e
	}
	switch x := e.(type) {
	case *ast.FuncLit:
		return nil
	case *ast.CallExpr:
		if w.CallKind(x) != gotypes.CallConversion {
			return nil
		}
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			return nil
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return nil
		}
	}
	parts := gotypes.Operands(e)
	for i := len(parts) - 1; i >= 0; i-- {
		if p := h.lastAtOnce(parts[i]); p != nil {
			return p
		}
	}
	return nil
}
