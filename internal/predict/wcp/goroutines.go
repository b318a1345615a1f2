package wcp

import (
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// keepEnded is how many ended goroutines can be joined exactly. Joining one that ended
// before them joins all of those, which orders too much rather than too little.
const keepEnded = 1 << 10

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
		known.JoinStamp(&p.pool, vclock.Stamp{Vec: g.h.Vec(), Slot: g.Slot, Time: g.last})
		p.forget(id)
		g = p.start(id, known.Vec())
		known.Reset(&p.pool)
	}
	if !g.Many {
		p.latest = g
	}
	return g
}

// forget takes one goroutine out of the list of ended ones.
func (p *Predictor) forget(id trace.G) {
	for i, e := range p.ended {
		if e == id {
			p.ended = append(p.ended[:i], p.ended[i+1:]...)
			return
		}
	}
}

// crowds is how many goroutines stand for all those that are too many.
const crowds = 16

// start gives a goroutine a slot and lets it know what is known. When too many goroutines are alive, those that come
// on top are taken for one of a few: as if they came after each other, which finds too little rather than too much.
func (p *Predictor) start(id trace.G, known *vclock.Vec) *goroutine {
	slot, now, ok := p.slots.Take(known)
	if !ok {
		p.Crowded++
		g := p.crowd[id%crowds]
		if g == nil {
			g = &goroutine{Actor: shadow.Actor{Slot: p.slots.New(), Now: 1, Slots: &p.slots, Many: true}, g: id, last: 1}
			p.crowd[id%crowds] = g
			p.enlist(g)
		}
		g.h.Join(&p.pool, known)
		g.Known.Join(&p.pool, known)
		p.gs.Put(id, g)
		return g
	}
	g := &goroutine{}
	if n := len(p.spare); n > 0 {
		g, p.spare = p.spare[n-1], p.spare[:n-1]
	}
	*g = goroutine{Actor: shadow.Actor{Slot: slot, Now: now, Slots: &p.slots}, g: id, last: now, news: now, held: g.held[:0]}
	g.h.Set(&p.pool, known.Hold())
	g.Known.Set(&p.pool, known.Hold())
	p.gs.Put(id, g)
	p.enlist(g)
	return g
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

// stamp is the clock of g's present event, for others to learn, and ends the epoch. The caller owns it.
func (p *Predictor) stamp(g *goroutine) vclock.Stamp {
	s := vclock.Stamp{Vec: g.h.Share(), Slot: g.Slot, Time: g.Now}
	g.last = g.Now
	if g.Now < vclock.MaxTime {
		g.Now++
	}
	return s
}

// (W4)
func (p *Predictor) fork(ev *trace.Event) {
	g := p.of(ev.G)
	s := p.stamp(g)
	if p.gs.Get(trace.G(ev.Other)) != nil {
		s.Drop(&p.pool) // it has run already: not a trace of one run
		return
	}
	var known vclock.Clock
	known.JoinStamp(&p.pool, s)
	s.Drop(&p.pool)
	p.start(trace.G(ev.Other), known.Vec())
	known.Reset(&p.pool)
}

// end frees the slot and keeps the clock for a Join.
func (p *Predictor) end(id trace.G) {
	g := p.of(id)
	if g.Many {
		p.gone.JoinStamp(&p.pool, vclock.Stamp{Vec: g.h.Vec(), Slot: g.Slot, Time: g.last})
		p.gs.Delete(id)
		return
	}
	g.ended = true
	p.delist(g)
	g.Known.Reset(&p.pool)
	g.held = g.held[:0] // what is still held stays open; another goroutine may release it
	p.slots.Give(g.Slot, g.last, g.news)
	p.ended = append(p.ended, g.g)
	if len(p.ended) >= 2*keepEnded {
		for _, id := range p.ended[:keepEnded] {
			old := p.gs.Get(id)
			p.gone.JoinStamp(&p.pool, vclock.Stamp{Vec: old.h.Vec(), Slot: old.Slot, Time: old.last})
			old.h.Reset(&p.pool)
			p.gs.Delete(id)
			p.spare = append(p.spare, old)
		}
		p.ended = p.ended[:copy(p.ended, p.ended[keepEnded:])]
	}
}

// (W4)
func (p *Predictor) join(ev *trace.Event) {
	g, child := p.of(ev.G), p.gs.Get(trace.G(ev.Other))
	if child == nil {
		p.must(g, p.gone.Vec())
		return
	}
	p.mustStamp(g, vclock.Stamp{Vec: child.h.Vec(), Slot: child.Slot, Time: child.last})
	if !child.ended {
		p.end(trace.G(ev.Other))
	}
}

// toAll reports whether every live goroutine did e itself or knows it by WCP. Who did not know the last one is asked first.
func (p *Predictor) toAll(e vclock.Stamp) bool {
	for i, g := range p.live {
		if !p.own(g, e) && !p.slots.Knows(g.Known.Vec(), e) {
			first := p.live[0]
			p.live[0], p.live[i] = g, first
			g.place, first.place = 0, i
			return false
		}
	}
	return true
}
