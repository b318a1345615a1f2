package wcp

import "github.com/racepred/racepred/internal/trace"

// pin is an object whose seen Changes keep their order, and whose Observes and unseen Changes stay between the same two
// seen Changes. An Observe comes after the earlier unseen Changes. Later unseen Changes need not come after it: a schedule may leave out the Observe.
type pin struct {
	change   stamp    // the last seen one
	observes object   // since then
	rest     *pinRest // nil means the zero pinRest
}

// pinRest is the part of a pin that few pins need.
type pinRest struct {
	unseen object // unseen Changes since the last seen one, (W9)

	// Of an opaque token that is changed in read mode, (W10):
	apart bool
	enter object // acquires of sections that observed since, releases of those in write mode
}

// resetPin makes the pin empty.
func (p *Predictor) resetPin(o *pin) {
	o.change.drop(&p.pool)
	p.reset(&o.observes)
	if o.rest != nil {
		p.reset(&o.rest.unseen)
		p.reset(&o.rest.enter)
	}
}

// rest is the pinRest of a pin, made if it has none.
func (p *Predictor) rest(o *pin) *pinRest {
	if o.rest == nil {
		o.rest = p.freeLists.rests.Get()
	}
	return o.rest
}

// dropPin frees a pin.
func (p *Predictor) dropPin(o *pin) {
	p.resetPin(o)
	if o.rest != nil {
		o.rest.apart = false
		p.freeLists.rests.Put(o.rest)
		o.rest = nil
	}
	p.freeLists.pins.Put(o)
	p.pins--
}

func (p *Predictor) newPin() *pin {
	p.pins++
	return p.freeLists.pins.Get()
}

// opaqueToken is the pin of a lock's opaque token, made if it has none.
func (p *Predictor) opaqueToken(l *lock) *pin {
	if l.opaqueToken == nil {
		l.opaqueToken = p.newPin()
		if p.cells.Faint.Has(l.addr) {
			p.revivePin(l.opaqueToken)
		}
	}
	return l.opaqueToken
}

// tokenUse is what a section did to its lock's opaque token.
type tokenUse uint8

const (
	observed tokenUse = 1 << iota
	changed
)

// pin is the pin of an address that is not of an opaque token.
func (p *Predictor) pin(a trace.Addr) *pin {
	at := p.cells.Of(a)
	if at.pin == nil {
		at.pin = p.newPin()
		if p.cells.Faint.Has(a) {
			p.revivePin(at.pin)
		}
	}
	return at.pin
}

func (p *Predictor) pinned(ev *trace.Event) {
	g := p.of(ev.G)
	var o *pin
	var in *section // (W10)
	if ev.Addr&trace.OpaqueTokenBit != 0 {
		l := p.lock(ev.Addr &^ trace.OpaqueTokenBit)
		o = p.opaqueToken(l)
		for _, s := range g.held {
			if s.lk == l && (!s.shared || ev.Kind == trace.Observe) && !s.hard && !ev.Unseen() {
				in = s
			}
		}
		if in == nil && ev.Kind == trace.Change && !ev.Unseen() {
			p.overtake(g, l)
		}
	} else {
		o = p.pin(ev.Addr)
	}
	p.mustStamp(g, &o.change)
	unseen := ev.Kind == trace.Change && ev.Unseen()
	switch {
	case ev.Kind != trace.Change, unseen:
	case in != nil || ev.Addr&trace.OpaqueTokenBit == 0:
		p.take(g, &o.observes)
	default:
		rest := p.rest(o)
		rest.apart = true
		p.take(g, &rest.enter)
	}
	if !unseen && o.rest != nil {
		p.take(g, &o.rest.unseen)
	}
	switch {
	case in != nil && ev.Kind == trace.Observe:
		in.opaqueToken |= observed
	case in != nil:
		in.opaqueToken |= changed
	case unseen:
		p.merge(g, &p.rest(o).unseen)
	case ev.Kind == trace.Observe:
		p.merge(g, &o.observes)
	default:
		p.resetPin(o)
		o.change = p.stamp(g)
	}
}

// overtake is (W10) for a Change in read mode, which comes after the acquires of open sections that observed.
func (p *Predictor) overtake(g *goroutine, l *lock) {
	for _, s := range l.open {
		if s.opaqueToken&observed != 0 {
			s.opaqueToken &^= observed
			s.asked = true
			if s.g != g.G {
				p.mustStamp(g, &s.enter)
			}
		}
	}
}

// leaveOpaqueToken is (W10) at g's release of s: the release replaces what s did to the opaque token.
func (p *Predictor) leaveOpaqueToken(g *goroutine, s *section) {
	o := p.opaqueToken(s.lk)
	switch {
	case s.opaqueToken&changed != 0:
		p.resetPin(o)
		o.change = s.leave.hold()
	case s.opaqueToken&observed != 0:
		p.add(g, &o.observes, s.leave.hold())
		switch {
		case o.rest == nil || !o.rest.apart:
		case s.shared:
			p.also(&o.rest.enter, s.enter.hold(), o.rest.enter.one.by == s.enter.by)
		default:
			p.add(g, &o.rest.enter, s.leave.hold())
		}
	}
}
