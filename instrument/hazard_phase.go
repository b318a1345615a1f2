package instrument

import "go/ast"

// A phase says when a recording call is done: where it stands, or with something that is evaluated later.
type phase int

const (
	phaseNow   phase = iota // where it stands, before the last call or receive of the region, and its mark
	phaseLast               // after that call (R2)
	phaseMark               // after the mark (P1)
	phaseAfter              // where it stands, after both
	phaseNever
)

// phaseOf says when a load is recorded (see walker.read).
func (w *walker) phaseOf(e ast.Expr) phase {
	switch {
	case w.copies || w.trying:
		return phaseNow
	case w.marked(e):
		return phaseMark
	case w.later(e) && w.region.attach && w.Pure(e) && !w.Early(e):
		return phaseLast
	case w.later(e):
		if _, _, _, ok := w.keepable(e); ok {
			return phaseLast
		} else if w.AddressLoads(e) {
			return phaseNever
		}
		return phaseNow
	case w.region.mark != nil && w.region.mark.Pos() >= e.End():
		if w.region.last != nil {
			return phaseLast
		}
		return phaseNow
	}
	return phaseAfter
}

// turn is the place of what is done now among all that the rewritten code does.
func (h *hazards) turn() int { return int(h.phase)*phaseBy + h.calls }

// load collects the hazards of a load that is recorded.
func (h *hazards) load(is bool, e ast.Expr, c *atCall) {
	if is && c == nil && !h.fixed && h.w.phaseOf(e) == phaseNever {
		h.address(e, e, nil)
		return
	}
	h.at(is && c == nil, e, func() { h.asCall(is, c, func(c *atCall) { h.address(e, e, c) }) })
}

// at collects what is recorded when a load of e would be.
func (h *hazards) at(is bool, e ast.Expr, collect func()) {
	outer := h.phase
	if is && !h.fixed {
		h.phase = h.w.phaseOf(e)
	}
	collect()
	h.phase = outer
}

// after collects what is recorded when all other operands have been evaluated.
func (h *hazards) after(collect func()) {
	phase, fixed := h.phase, h.fixed
	h.phase, h.fixed = phaseAfter, true
	collect()
	h.phase, h.fixed = phase, fixed
}

// called notes that e, which is evaluated by itself before anything that is not, could panic.
func (h *hazards) called(e ast.Expr) {
	if h.deep || h.merged {
		return
	}
	w, own := h.w, &hazards{w: h.w, deep: true}
	if w.AtOnce(e) && !w.HasPoint(e) {
		own.value(e, nil)
	} else {
		own.add(nil, false, nil)
	}
	phase := phaseAfter
	switch r := w.region; {
	case r.last != nil && e.Pos() <= r.last.Pos():
		phase = phaseNow
	case r.mark != nil && e.Pos() <= r.mark.Pos():
		phase = phaseLast
	}
	h.calls++
	for _, x := range own.list {
		h.list = append(h.list, hazard{at: apartAt + int(e.Pos()), by: int(phase)*phaseBy + h.calls, nil: x.nil, apart: true})
	}
}
