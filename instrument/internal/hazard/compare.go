package hazard

import (
	"go/ast"
	"slices"
)

// Count is how many hazards were found.
func (h *Hazards) Count() int { return len(h.list) }

// Postpone moves the last hazard some ranks back in the compiler's order.
func (h *Hazards) Postpone(ranks int) { h.list[len(h.list)-1].at += ranks * rankAt }

// ButNil reports whether one of the hazards is not a nil pointer.
func (h *Hazards) ButNil() bool {
	return slices.ContainsFunc(h.list, func(x hazard) bool { return !x.nil })
}

// Mixed reports whether two hazards could panic in different ways.
func (h *Hazards) Mixed() bool {
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

// Order reports whether rewritten code comes to all hazards in the compiler's order, or would if
// the operands now were evaluated at once.
func (h *Hazards) Order(collect func(h *Hazards)) (now map[ast.Expr]bool, ok bool) {
	for range 8 {
		h := h.within()
		h.now = now
		collect(h)
		if !h.Mixed() {
			return now, true
		}
		inOrder := true
		for i, x := range h.list {
			for j, y := range h.list {
				if i == j || x.nil && y.nil || x.apart && y.apart || x.at >= y.at || x.by <= y.by {
					continue
				}
				inOrder = false
				if x.by < lateBy || x.e == nil || !h.rewrite.Pinnable(x.e) || h.run.Later(x.e) || h.run.Mark != nil && h.run.Mark.Pos() >= x.e.End() {
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
