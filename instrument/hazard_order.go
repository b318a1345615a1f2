package instrument

import "go/ast"

// mixed says whether two hazards could panic in different ways.
func (h *hazards) mixed() bool {
	if len(h.list) < 2 {
		return false
	}
	for _, x := range h.list {
		if !x.nil {
			return true
		}
	}
	return false
}

// safe says whether evaluating e cannot panic, but in a call.
func (w *walker) safe(e ast.Expr) bool {
	h := &hazards{w: w, deep: true}
	h.value(e, nil)
	return len(h.list) == 0
}

// order says whether rewritten code comes to all hazards in the compiler's order, or could if those operands were evaluated at
// once that it returns.
func (w *walker) order(collect func(h *hazards)) (now map[ast.Expr]bool, ok bool) {
	for range 8 {
		h := &hazards{w: w, now: now}
		collect(h)
		if !h.mixed() {
			return now, true
		}
		inOrder := true
		for i, x := range h.list {
			for j, y := range h.list {
				if i == j || x.nil && y.nil || x.apart && y.apart || x.at >= y.at || x.by <= y.by {
					continue
				}
				inOrder = false
				if x.by < lateBy || x.e == nil || !w.pinnable(x.e) || w.later(x.e) || w.region.mark != nil && w.region.mark.Pos() >= x.e.End() {
					return nil, false
				}
				if now == nil {
					now = map[ast.Expr]bool{}
				}
				now[x.e] = true
			}
		}
		if inOrder {
			return now, true
		}
	}
	return nil, false
}
