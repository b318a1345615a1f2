package wcp

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// pin is an object whose seen Changes keep their order, and whose Observes and unseen Changes stay between the same two of
// them. An Observe comes after the earlier unseen Changes. The later ones do not come after it: a schedule may do without it.
type pin struct {
	change   stamp  // the last seen one
	observes object // since then
	unseen   object // Changes since then, (W9)

	// Of a guard that is changed in read mode, (W10):
	apart bool
	enter object // acquires of sections that observed since, releases of those in write mode
}

func (o *pin) reset(pool *vclock.Pool) {
	o.change.drop(pool)
	o.observes.reset(pool)
	o.unseen.reset(pool)
	o.enter.reset(pool)
}

// guarded is what a section did to its lock's guard.
type guarded uint8

const (
	observed guarded = 1 << iota
	changed
)

// pin is that of an address that is not a guard's.
func (p *Predictor) pin(a trace.Addr) *pin {
	at := p.cell(a)
	if at.pin == nil {
		at.pin = p.unused.pins.Get()
		p.pins++
	}
	return at.pin
}

func (p *Predictor) pinned(ev *trace.Event) {
	g := p.of(ev.G)
	var o *pin
	var in *section // (W10)
	if ev.Addr&trace.GuardBit != 0 {
		l := p.lock(ev.Addr &^ trace.GuardBit)
		o = &l.guard
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
	case in != nil || ev.Addr&trace.GuardBit == 0:
		p.take(g, &o.observes)
	default:
		o.apart = true
		p.take(g, &o.enter)
	}
	if !unseen {
		p.take(g, &o.unseen)
	}
	switch {
	case in != nil && ev.Kind == trace.Observe:
		in.guard |= observed
	case in != nil:
		in.guard |= changed
	case unseen:
		p.merge(g, &o.unseen)
	case ev.Kind == trace.Observe:
		p.merge(g, &o.observes)
	default:
		o.reset(&p.pool)
		o.change = p.stamp(g)
	}
}

// overtake is (W10) for a Change in read mode, which comes after what open sections observed before.
func (p *Predictor) overtake(g *goroutine, l *lock) {
	for _, s := range l.open {
		if s.guard&observed != 0 {
			s.guard &^= observed
			s.asked = true
			if s.g != g.g {
				p.mustStamp(g, &s.enter)
			}
		}
	}
}

// leaveGuard is (W10) at g's release of s, which stands for what s did to the guard.
func (p *Predictor) leaveGuard(g *goroutine, s *section) {
	o := &s.lk.guard
	switch {
	case s.guard&changed != 0:
		o.reset(&p.pool)
		o.change = s.leave.hold()
	case s.guard&observed != 0:
		p.add(g, &o.observes, s.leave.hold())
		switch {
		case !o.apart:
		case s.shared:
			p.also(&o.enter, s.enter.hold(), o.enter.one.by == s.enter.by)
		default:
			p.add(g, &o.enter, s.leave.hold())
		}
	}
}
