package hb

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
		known.JoinStamp(&p.pool, vclock.Stamp{Vec: g.Known.Vec(), Slot: g.Slot, Time: g.last})
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
		}
		g.Known.Join(&p.pool, known)
		p.gs.Put(id, g)
		return g
	}
	g := &goroutine{}
	if n := len(p.spare); n > 0 {
		g, p.spare = p.spare[n-1], p.spare[:n-1]
	}
	*g = goroutine{Actor: shadow.Actor{Slot: slot, Now: now, Slots: &p.slots}, g: id, last: now, news: now}
	g.Known.Set(&p.pool, known.Hold())
	p.gs.Put(id, g)
	return g
}

// stamp is the clock of g's present event, for others to learn, and ends the epoch. The caller owns it.
func (p *Predictor) stamp(g *goroutine) vclock.Stamp {
	s := vclock.Stamp{Vec: g.Known.Share(), Slot: g.Slot, Time: g.Now}
	g.last = g.Now
	if g.Now < vclock.MaxTime {
		g.Now++
	}
	return s
}

// learn makes g know what the stamp knows.
func (p *Predictor) learn(g *goroutine, s vclock.Stamp) {
	if s.Time == 0 || p.knows(g, s) {
		return
	}
	p.learned++
	g.Known.JoinStamp(&p.pool, s)
	g.news = g.Now
}

// learnAll makes g know all of v.
func (p *Predictor) learnAll(g *goroutine, v *vclock.Vec) {
	if g.Known.Join(&p.pool, v) {
		g.news = g.Now
	}
}

func (p *Predictor) knows(g *goroutine, s vclock.Stamp) bool {
	return s.Slot == g.Slot && !p.slots.Stale(s.Slot, s.Time) || p.slots.Knows(g.Known.Vec(), s)
}

// (H1)
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
		p.gone.JoinStamp(&p.pool, vclock.Stamp{Vec: g.Known.Vec(), Slot: g.Slot, Time: g.last})
		p.gs.Delete(id)
		return
	}
	g.ended = true
	p.slots.Give(g.Slot, g.last, g.news)
	p.ended = append(p.ended, g.g)
	if len(p.ended) >= 2*keepEnded {
		for _, id := range p.ended[:keepEnded] {
			old := p.gs.Get(id)
			p.gone.JoinStamp(&p.pool, vclock.Stamp{Vec: old.Known.Vec(), Slot: old.Slot, Time: old.last})
			old.Known.Reset(&p.pool)
			p.gs.Delete(id)
			p.spare = append(p.spare, old)
		}
		p.ended = p.ended[:copy(p.ended, p.ended[keepEnded:])]
	}
}

// (H1)
func (p *Predictor) join(ev *trace.Event) {
	g, child := p.of(ev.G), p.gs.Get(trace.G(ev.Other))
	if child == nil {
		p.learnAll(g, p.gone.Vec())
		return
	}
	g.Known.JoinStamp(&p.pool, vclock.Stamp{Vec: child.Known.Vec(), Slot: child.Slot, Time: child.last})
	g.news = g.Now
	if !child.ended {
		p.end(trace.G(ev.Other))
	}
}
