package wcp

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// own reports whether the stamp is g's, or of an earlier owner of its slot, and so known by the goroutine's order.
func (p *Predictor) own(g *goroutine, s vclock.Stamp) bool {
	return s.Slot == g.Slot && s.Time != 0 && !p.slots.Stale(s.Slot, s.Time)
}

// mustStamp is (W4): an edge that no reordering breaks, from the stamp to g's present event.
func (p *Predictor) mustStamp(g *goroutine, s vclock.Stamp) {
	if s.Time == 0 || p.own(g, s) || p.slots.Knows(g.Known.Vec(), s) {
		return
	}
	p.fired.edges++
	g.news = g.Now
	g.h.JoinStamp(&p.pool, s)
	g.Known.JoinStamp(&p.pool, s)
}

// must is (W4) from all that v includes.
func (p *Predictor) must(g *goroutine, v *vclock.Vec) {
	h, all := g.h.Join(&p.pool, v), g.Known.Join(&p.pool, v)
	if h || all {
		g.news = g.Now
	}
}

// object is what a synchronization object holds: nothing, one release, or one and more.
type object struct {
	one  vclock.Stamp
	more vclock.Clock
}

func (p *Predictor) hard(ev *trace.Event) {
	g, o := p.of(ev.G), p.objects.Get(ev.Addr)
	if o == nil {
		if ev.Kind == trace.HardAcquire {
			return
		}
		o = &object{}
		p.objects.Put(ev.Addr, o)
	}
	switch ev.Kind {
	case trace.HardAcquire:
		if !ev.Unseen() { // (W9)
			p.take(g, o)
		}
	case trace.HardRelease:
		o.one.Drop(&p.pool)
		o.more.Reset(&p.pool)
		o.one = p.stamp(g)
	case trace.HardMerge:
		switch {
		case o.one.Time == 0:
			o.one = p.stamp(g)
		case p.own(g, o.one) || p.slots.Knows(g.Known.Vec(), o.one):
			o.one.Drop(&p.pool)
			o.one = p.stamp(g)
		default:
			s := p.stamp(g)
			o.more.JoinStamp(&p.pool, s)
			s.Drop(&p.pool)
		}
	case trace.HardSwap:
		own, held := p.stamp(g), *o
		*o = object{one: own}
		if !ev.Unseen() { // (W9)
			p.take(g, &held)
		}
		held.one.Drop(&p.pool)
		held.more.Reset(&p.pool)
	}
}

func (p *Predictor) take(g *goroutine, o *object) {
	p.mustStamp(g, o.one)
	p.must(g, o.more.Vec())
}
