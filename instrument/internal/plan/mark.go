package plan

import (
	"go/ast"
	"go/token"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// mark looks for the last of what is evaluated at once, without a call in it, that could panic in another way than what is
// recorded before it.
func (w *walker) mark(r *region, es []ast.Expr) {
	var last ast.Expr
	for i := len(es) - 1; i >= 0 && last == nil; i-- {
		if es[i] != nil {
			last = w.lastAtOnce(es[i])
		}
	}
	if last == nil || r.Last != nil && r.Last.End() >= last.End() {
		return
	}
	h := w.hazards()
	h.Deep = true
	h.Value(last, nil)
	h.Deep, h.Merged = false, true
	h.Values(es...)
	if h.Mixed() {
		r.Mark = last
	}
}

// lastAtOnce finds the last value in e that is evaluated at once and could panic.
func (w *walker) lastAtOnce(e ast.Expr) ast.Expr {
	if w.Hoisted[e] != "" || w.IsConstant(e) {
		return nil
	}
	if w.AtOnce(e) {
		h := w.hazards()
		h.Deep = true
		if h.Value(e, nil); h.Count() == 0 || !w.SingleValue(e) || !w.Typed(e) {
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
		if p := w.lastAtOnce(parts[i]); p != nil {
			return p
		}
	}
	return nil
}

// marked says whether the recording of e has to wait for the mark of e's region, and can.
func (w *walker) marked(e ast.Expr) bool {
	return w.region.Mark != nil && !w.copies && w.region.Mark.Pos() >= e.End() && w.Pure(e) && !w.Early(e)
}
