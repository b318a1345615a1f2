package hazard

import "go/ast"

// A Phase says when a recording call is done: where it stands, or together with an operand that is
// evaluated later.
type Phase int

const (
	PhaseNow   Phase = iota // where it stands, before the last call or receive of the region, and its mark
	PhaseLast               // after that call (instrument/R2)
	PhaseMark               // after the mark (instrument/P1)
	PhaseAfter              // where it stands, after that call and the mark
	PhaseNever
)

// turn orders the recording call at hand among all that the rewritten code does.
func (h *Hazards) turn() int { return int(h.phase)*phaseBy + h.calls }

// load collects the hazards of a load. is says whether it is recorded.
func (h *Hazards) load(is bool, e ast.Expr, c *AtCall) {
	if is && c == nil && !h.fixed && h.rewrite.PhaseOf(e) == PhaseNever {
		h.Address(e, e, nil)
		return
	}
	h.at(is && c == nil, e, func() { h.AsCall(is, c, func(c *AtCall) { h.Address(e, e, c) }) })
}

// at collects hazards in the phase of a load of e.
func (h *Hazards) at(is bool, e ast.Expr, collect func()) {
	outer := h.phase
	if is && !h.fixed {
		h.phase = h.rewrite.PhaseOf(e)
	}
	collect()
	h.phase = outer
}

// After collects the hazards of recording calls that are done when all other operands have been
// evaluated.
func (h *Hazards) After(collect func()) {
	phase, fixed := h.phase, h.fixed
	h.phase, h.fixed = PhaseAfter, true
	collect()
	h.phase, h.fixed = phase, fixed
}

// Called adds the hazards of e, an operand that is evaluated by itself, before all that are not.
func (h *Hazards) Called(e ast.Expr) {
	if h.Deep || h.Merged {
		return
	}
	w, own := h.code, h.within()
	own.Deep = true
	if w.AtOnce(e) && !w.HasPoint(e) {
		own.Value(e, nil)
	} else {
		own.Add(nil, false, nil)
	}
	phase := PhaseAfter
	switch r := h.run; {
	case r.Last != nil && e.Pos() <= r.Last.Pos():
		phase = PhaseNow
	case r.Mark != nil && e.Pos() <= r.Mark.Pos():
		phase = PhaseLast
	}
	h.calls++
	for _, x := range own.list {
		h.list = append(h.list, hazard{at: apartAt + int(e.Pos()), by: int(phase)*phaseBy + h.calls, nil: x.nil, apart: true})
	}
}
