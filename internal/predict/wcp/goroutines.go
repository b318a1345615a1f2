package wcp

import (
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// of is the goroutine's state. A goroutine without a Fork knows nothing at first.
func (p *Predictor) of(id trace.G) *goroutine {
	if g := p.latest; g.g == id && !g.ended {
		return g
	}
	return p.find(id)
}

func (p *Predictor) find(id trace.G) *goroutine {
	g := p.gs.Get(id)
	switch {
	case g == nil:
		g = p.start(id, nil, nil, nil)
	case g.ended: // an event after its End: it continues in another slot
		var known vclock.Clock
		known.JoinStamp(&p.pool, g.final())
		p.ended.Remove(id)
		g = p.start(id, known.Vec(), known.Vec(), nil)
		known.Reset(&p.pool)
	}
	g.used = p.cells.Age
	if !g.Shared {
		p.latest = g
	}
	return g
}

// sharedSlots is how many slots there are for all goroutines that get none of their own.
const sharedSlots = 16

// sharedNames is the name of the first shared slot. It is no goroutine's name, since a goroutine may end while sections of others that share the slot are open.
const sharedNames = ^trace.G(0) - sharedSlots + 1

// holder is the goroutine that holds an open section; nil if it ended.
func (p *Predictor) holder(s *section) *goroutine {
	if s.g >= sharedNames {
		return p.shared[s.g-sharedNames]
	}
	if g := p.gs.Get(s.g); g != nil && !g.ended {
		return g
	}
	return nil
}

// noSlot is the slot of a goroutine without accesses and soft sections so far.
const noSlot = vclock.MaxSlots

// nobody is the value of Predictor.latest for none.
var nobody = &goroutine{ended: true}

// start makes the state of a goroutine that begins with these H, P and W.
func (p *Predictor) start(id trace.G, h, known, w *vclock.Vec) *goroutine {
	g := p.free.Get()
	*g = goroutine{Actor: shadow.Actor{Slot: noSlot, Now: 1, Slots: &p.slots}, g: id, held: g.held[:0], used: p.cells.Age}
	g.h.Set(&p.pool, h.Hold())
	g.Known.Set(&p.pool, known.Hold())
	g.w.Set(&p.pool, w.Hold())
	p.gs.Put(id, g)
	p.enlist(g)
	return g
}

// acts takes in the first event of g's present epoch that rules look up (C1), and returns g. At the first such event of all, g gets a slot.
// If no slot is left, it returns the state of a shared slot. The goroutines of a shared slot count as one, as if they ran one after the
// other. So races are missed, and none is invented.
func (p *Predictor) acts(g *goroutine) *goroutine {
	if g.Slot == noSlot {
		// The events of the slot's last owner count as g's own, so P must include them, not just H.
		slot, now, ok := p.slots.Take(g.Known.Vec())
		if !ok {
			return p.takeShared(g)
		}
		g.Slot, g.Now = slot, now
	}
	g.acted = g.Now
	return g
}

// takeShared makes g one of the goroutines with a shared slot.
func (p *Predictor) takeShared(g *goroutine) *goroutine {
	p.SharedSlots++
	id := g.g
	c := p.shared[id%sharedSlots]
	if c == nil {
		c = &goroutine{Actor: shadow.Actor{Slot: p.slots.New(), Now: 1, Slots: &p.slots, Shared: true}, g: sharedNames + id%sharedSlots}
		p.shared[id%sharedSlots] = c
		p.enlist(c)
	}
	c.h.Join(&p.pool, g.h.Vec())
	c.Known.Join(&p.pool, g.Known.Vec())
	c.w.Join(&p.pool, g.w.Vec())
	c.learned = true
	for _, s := range g.held {
		s.g = c.g
	}
	c.held = append(c.held, g.held...)
	p.gs.Put(id, c)
	if p.latest == g {
		p.latest = nobody
	}
	p.delist(g)
	p.forgetClocks(g)
	p.free.Put(g)
	return p.acts(c)
}

// enlist puts g into live.
func (p *Predictor) enlist(g *goroutine) {
	g.place = len(p.live)
	p.live = append(p.live, g)
}

// delist takes g out of live.
func (p *Predictor) delist(g *goroutine) {
	n := len(p.live) - 1
	last := p.live[n]
	p.live[g.place], last.place = last, g.place
	p.live[n] = nil
	p.live = p.live[:n]
}

// final is the clock of a goroutine's End. The goroutine keeps owning it.
func (g *goroutine) final() vclock.Stamp {
	return vclock.Stamp{Vec: g.h.Vec(), Slot: g.Slot, Time: g.acted}
}

// fork is (W4) for a Fork.
func (p *Predictor) fork(ev *trace.Event) {
	g := p.of(ev.G)
	s := p.whole(g)
	if p.gs.Get(trace.G(ev.Other)) == nil { // else it ran before its Fork: this is no trace of one run
		p.start(trace.G(ev.Other), s.Vec, s.p, s.w)
	}
	s.drop(&p.pool)
}

// end frees the slot and keeps the clock for a Join.
func (p *Predictor) end(id trace.G) {
	g := p.of(id)
	if g.Shared {
		p.gone = true
		p.gs.Delete(id)
		return
	}
	g.ended = true
	p.delist(g)
	g.held = g.held[:0]   // its sections stay open; another goroutine may release them
	if g.Slot != noSlot { // nothing learned after the last epoch has one, so the slot's next owner does not inherit it
		p.slots.Give(g.Slot, g.acted, g.acted)
	}
	for _, id := range p.ended.Add(g.g) {
		old := p.gs.Get(id)
		p.gone = true
		p.forgetClocks(old)
		p.gs.Delete(id)
		p.free.Put(old)
	}
}

// join is (W4) for a Join.
func (p *Predictor) join(ev *trace.Event) {
	g, child := p.of(ev.G), p.gs.Get(trace.G(ev.Other))
	if child == nil {
		if p.gone {
			p.joinGone(g)
		}
		return
	}
	s := child.final()
	if more := p.mustOrder(g, s.Vec, child.Known.Vec(), child.w.Vec()); more || s.Time != 0 && !p.slots.Knows(g.Known.Vec(), s) { // the vector may have more than the time says
		p.fired.edges++
	}
	if s.Time != 0 {
		p.raise(g, s.Slot, s.Time)
	}
	if !child.ended {
		p.end(trace.G(ev.Other))
	}
}

// forgetClocks drops the vectors of a goroutine.
func (p *Predictor) forgetClocks(g *goroutine) {
	g.h.Reset(&p.pool)
	g.Known.Reset(&p.pool)
	g.w.Reset(&p.pool)
}

// toAll reports whether every live goroutine did e itself or comes after it. The goroutine that did not know the last such event is looked at first.
func (p *Predictor) toAll(e vclock.Stamp) bool {
	for i, g := range p.live {
		if !p.ownSlot(g, &e) && !p.slots.Knows(g.Known.Vec(), e) {
			first := p.live[0]
			p.live[0], p.live[i] = g, first
			g.place, first.place = 0, i
			return false
		}
	}
	return true
}

// joinGone is a Join of a goroutine whose End clock may be no longer kept: g comes after all that has happened.
func (p *Predictor) joinGone(g *goroutine) {
	var all vclock.Clock
	p.happened(&all)
	for _, c := range p.shared { // whose goroutines may all have ended
		if c != nil {
			all.Raise(&p.pool, c.Slot, c.acted)
		}
	}
	p.mustAll(g, all.Vec())
	all.Reset(&p.pool)
}
