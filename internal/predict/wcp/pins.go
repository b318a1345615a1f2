package wcp

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// pin is an object whose seen Changes keep their order, and whose Observes and unseen Changes stay between the same two of
// them. An Observe keeps its order with the unseen Changes, too.
type pin struct {
	change   vclock.Stamp // the last seen one
	observes several      // since then
	unseen   several      // Changes since then, (W9)

	// Of a guard that is changed in read mode, (W10):
	apart bool
	enter several // acquires of sections that observed since, releases of those in write mode
}

// several are events of one or more goroutines. Those of one goroutine alone are nothing new to it: what comes before its
// events by its own order need not come before them by WCP.
type several struct {
	vclock.Clock
	by   trace.G // whose the first one is; 0 when there is none
	more bool    // there are others'
}

func (s *several) add(pool *vclock.Pool, g trace.G, e vclock.Stamp) {
	s.more = s.more || s.by != 0 && s.by != g
	s.by = g
	s.JoinStamp(pool, e)
}

func (s *several) reset(pool *vclock.Pool) {
	s.Reset(pool)
	s.by, s.more = 0, false
}

// mustAll is (W4) from all events of s.
func (p *Predictor) mustAll(g *goroutine, s *several) {
	if s.more || s.by != g.g {
		p.must(g, s.Vec())
	}
}

func (o *pin) reset(pool *vclock.Pool) {
	o.change.Drop(pool)
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
		if in == nil && ev.Kind == trace.Change {
			p.overtake(g, l)
		}
	} else if o = p.pins.Get(ev.Addr); o == nil {
		o = &pin{}
		p.pins.Put(ev.Addr, o)
	}
	p.mustStamp(g, o.change)
	unseen := ev.Kind == trace.Change && ev.Unseen()
	switch {
	case ev.Kind != trace.Change:
	case in != nil || ev.Addr&trace.GuardBit == 0:
		p.mustAll(g, &o.observes)
	default:
		o.apart = true
		p.mustAll(g, &o.enter)
	}
	if !unseen {
		p.mustAll(g, &o.unseen)
	}
	switch {
	case in != nil && ev.Kind == trace.Observe:
		in.guard |= observed
	case in != nil:
		in.guard |= changed
	case unseen:
		p.into(&o.unseen, g)
	case ev.Kind == trace.Observe:
		p.into(&o.observes, g)
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
				p.mustStamp(g, s.enter)
			}
		}
	}
}

// into adds g's present event to others.
func (p *Predictor) into(c *several, g *goroutine) {
	s := p.stamp(g)
	c.add(&p.pool, g.g, s)
	s.Drop(&p.pool)
}

// release is (W10) at the release of s, which stands for what s did to the guard.
func (o *pin) release(pool *vclock.Pool, s *section) {
	switch {
	case s.guard&changed != 0:
		o.reset(pool)
		o.change = vclock.Stamp{Vec: s.leave.Vec.Hold(), Slot: s.leave.Slot, Time: s.leave.Time}
	case s.guard&observed != 0:
		o.observes.add(pool, s.g, s.leave)
		switch {
		case !o.apart:
		case s.shared:
			o.enter.add(pool, s.g, s.enter)
		default:
			o.enter.add(pool, s.g, s.leave)
		}
	}
}
