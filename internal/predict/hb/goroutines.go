package hb

import (
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// of is the goroutine's state; one that was never forked starts knowing nothing.
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
	case g.ended: // an event after its End: it goes on in another slot
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

// sharedSlots is how many slots the goroutines share for which none of their own is left.
const sharedSlots = 16

// noSlot is that of a goroutine that has not accessed anything.
const noSlot = vclock.MaxSlots

// start lets a goroutine know what is known.
func (p *Predictor) start(id trace.G, known *vclock.Vec) *goroutine {
	g := p.free.Get()
	*g = goroutine{Actor: shadow.Actor{Slot: noSlot, Now: 1, Slots: &p.slots}, g: id, used: p.cells.Age}
	g.Known.Set(&p.pool, known.Hold())
	p.gs.Put(id, g)
	return g
}

// acts takes in that g does an access in its present epoch, the first one, and returns who does it: with the first one of all it gets a slot.
// When too many goroutines have one, those that come on top are taken for one of a few: as if they came after each other, which finds too
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

// takeShared gives g, for which no slot is left, one that it shares.
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

// stamp is the clock of g's present event, for others to learn, and ends the epoch if there was an access in it: an epoch that nobody can race
// with needs no name. The caller owns it.
//
// All stamps with one time know the same. When the goroutine has learned something since the first of them, the next ones are whole.
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

// whole is the clock of g's present event as one vector, with a count for the caller. Goroutines that do not access anything pass it on as it is, so that
// all come to know the same vector.
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

// final is the clock of an ended goroutine, or of one at its end. The goroutine keeps it.
func (g *goroutine) final() vclock.Stamp {
	return vclock.Stamp{Vec: g.Known.Vec(), Slot: g.Slot, Time: g.acted}
}

// learn makes g know what the stamp knows.
func (p *Predictor) learn(g *goroutine, s vclock.Stamp) {
	if s.Time == 0 {
		p.learnAll(g, s.Vec)
	} else if !p.knowsAt(g, s) {
		p.learned++
		g.learned = true
		g.Known.JoinStamp(&p.pool, s)
	}
}

// learnAll makes g know all of v.
func (p *Predictor) learnAll(g *goroutine, v *vclock.Vec) {
	if g.Known.Join(&p.pool, v) {
		p.learned++
		g.learned = true
	}
}

// knows reports whether g knows all that the stamp knows.
func (p *Predictor) knows(g *goroutine, s vclock.Stamp) bool {
	if s.Time == 0 {
		return g.Known.Vec().Covers(s.Vec)
	}
	return p.knowsAt(g, s)
}

// knowsAt is knows for a stamp with a time, which may say false when g does: whoever knows of the time knows all that stamps with it do.
func (p *Predictor) knowsAt(g *goroutine, s vclock.Stamp) bool {
	return s.Slot == g.Slot && !p.slots.Stale(s.Slot, s.Time) || p.slots.Knows(g.Known.Vec(), s)
}

// (H1)
func (p *Predictor) fork(ev *trace.Event) {
	g := p.of(ev.G)
	v := p.whole(g)
	if p.gs.Get(trace.G(ev.Other)) == nil { // else it has run already: not a trace of one run
		p.start(trace.G(ev.Other), v)
	}
	p.pool.Drop(v)
}

// end frees the slot and keeps the clock for a Join.
func (p *Predictor) end(id trace.G) {
	g := p.of(id)
	if g.Shared {
		p.gone.JoinStamp(&p.pool, g.final())
		p.gs.Delete(id)
		return
	}
	g.ended = true
	if g.Slot != noSlot { // nothing learned after the last access has an epoch, so the slot's next owner does not inherit it
		p.slots.Give(g.Slot, g.acted, g.acted)
	}
	for _, id := range p.ended.Add(g.g) {
		old := p.gs.Get(id)
		p.gone.JoinStamp(&p.pool, old.final())
		old.Known.Reset(&p.pool)
		p.gs.Delete(id)
		p.free.Put(old)
	}
}

// (H1)
func (p *Predictor) join(ev *trace.Event) {
	g, child := p.of(ev.G), p.gs.Get(trace.G(ev.Other))
	if child == nil {
		p.learnAll(g, p.gone.Vec())
		return
	}
	g.Known.JoinStamp(&p.pool, child.final())
	g.learned = true
	if !child.ended {
		p.end(trace.G(ev.Other))
	}
}
