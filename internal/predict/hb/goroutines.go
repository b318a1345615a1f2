package hb

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
		g = p.start(id, nil)
	case g.ended: // an event after its End: it continues in another slot
		var known vclock.Clock
		known.JoinStamp(&p.pool, g.final())
		p.ended.Remove(id)
		g = p.start(id, known.Vec())
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

// noSlot is the slot of a goroutine without accesses so far.
const noSlot = vclock.MaxSlots

// start makes the state of a goroutine that begins with this clock.
func (p *Predictor) start(id trace.G, known *vclock.Vec) *goroutine {
	g := p.free.Get()
	*g = goroutine{Actor: shadow.Actor{Slot: noSlot, Now: 1, Slots: &p.slots}, g: id, used: p.cells.Age}
	g.Known.Set(&p.pool, known.Hold())
	p.gs.Put(id, g)
	return g
}

// acts takes in the first access of g's present epoch, and returns g. At its first access of all, g gets a slot.
// If no slot is left, it returns the state of a shared slot, whose goroutines count as one: as if they ran one after the other, which finds too
// little rather than too much.
func (p *Predictor) acts(g *goroutine) *goroutine {
	if g.Slot == noSlot {
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
		c = &goroutine{Actor: shadow.Actor{Slot: p.slots.New(), Now: 1, Slots: &p.slots, Shared: true}, g: id}
		p.shared[id%sharedSlots] = c
	}
	c.Known.Join(&p.pool, g.Known.Vec())
	c.learned = true
	p.gs.Put(id, c)
	if p.latest == g {
		p.latest = nobody
	}
	g.Known.Reset(&p.pool)
	p.free.Put(g)
	return p.acts(c)
}

// stamp is the clock of g's present event, for an edge out of it. It ends the epoch if that has an access; an epoch without one is never looked
// up. The caller owns the stamp.
//
// All stamps with one time include the same. After g has learned something since the first of them, the next ones are whole.
func (p *Predictor) stamp(g *goroutine) vclock.Stamp {
	if g.acted == g.Now {
		g.learned = false
		if g.Now < vclock.MaxTime {
			g.Now++
		}
	}
	if g.learned {
		return vclock.Stamp{Vec: p.whole(g)}
	}
	return vclock.Stamp{Vec: g.Known.Share(), Slot: g.Slot, Time: g.acted}
}

// whole is the clock of g's present event as one vector without a time. The caller owns it. Goroutines without accesses pass it on as it is, so that
// all share one vector.
func (p *Predictor) whole(g *goroutine) *vclock.Vec {
	if g.acted == g.Now && g.Now < vclock.MaxTime {
		g.Now++
	}
	if g.acted != 0 {
		if g.told != g.acted {
			g.told = g.acted
			g.Known.Raise(&p.pool, g.Slot, g.acted)
		}
		g.learned = true
	}
	return g.Known.Share()
}

// final is the clock of a goroutine's End. The goroutine keeps owning it.
func (g *goroutine) final() vclock.Stamp {
	return vclock.Stamp{Vec: g.Known.Vec(), Slot: g.Slot, Time: g.acted}
}

// learn adds what a stamp includes to the clock of g.
func (p *Predictor) learn(g *goroutine, s vclock.Stamp) {
	if s.Time == 0 {
		p.learnAll(g, s.Vec)
	} else if !p.knowsAt(g, s) {
		p.learned++
		g.learned = true
		g.Known.JoinStamp(&p.pool, s)
	}
}

// learnAll adds v to the clock of g.
func (p *Predictor) learnAll(g *goroutine, v *vclock.Vec) {
	if g.Known.Join(&p.pool, v) {
		p.learned++
		g.learned = true
	}
}

// knows reports whether the clock of g includes the stamp.
func (p *Predictor) knows(g *goroutine, s vclock.Stamp) bool {
	if s.Time == 0 {
		return g.Known.Vec().Covers(s.Vec)
	}
	return p.knowsAt(g, s)
}

// knowsAt is knows for a stamp with a time: a goroutine that knows the time knows all that its stamps include. It may return false though g does.
func (p *Predictor) knowsAt(g *goroutine, s vclock.Stamp) bool {
	return s.Slot == g.Slot && !p.slots.Stale(s.Slot, s.Time) || p.slots.Knows(g.Known.Vec(), s)
}

// (H1)
func (p *Predictor) fork(ev *trace.Event) {
	g := p.of(ev.G)
	v := p.whole(g)
	if p.gs.Get(trace.G(ev.Other)) == nil { // else it ran before its Fork: this is no trace of one run
		p.start(trace.G(ev.Other), v)
	}
	p.pool.Drop(v)
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
	if g.Slot != noSlot { // nothing learned after the last access has an epoch, so the slot's next owner does not inherit it
		p.slots.Give(g.Slot, g.acted, g.acted)
	}
	for _, id := range p.ended.Add(g.g) {
		old := p.gs.Get(id)
		p.gone = true
		old.Known.Reset(&p.pool)
		p.gs.Delete(id)
		p.free.Put(old)
	}
}

// (H1)
func (p *Predictor) join(ev *trace.Event) {
	g, child := p.of(ev.G), p.gs.Get(trace.G(ev.Other))
	if child == nil {
		if p.gone {
			p.joinGone(g)
		}
		return
	}
	g.Known.JoinStamp(&p.pool, child.final())
	g.learned = true
	if !child.ended {
		p.end(trace.G(ev.Other))
	}
}

// joinGone is a Join of a goroutine whose End clock may be no longer kept: g learns all that has happened.
func (p *Predictor) joinGone(g *goroutine) {
	var all vclock.Clock
	p.happened(&all)
	for _, c := range p.shared { // whose goroutines may all have ended
		if c != nil {
			all.Raise(&p.pool, c.Slot, c.acted)
		}
	}
	p.learnAll(g, all.Vec())
	all.Reset(&p.pool)
}
