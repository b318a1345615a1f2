package mustorder

import "github.com/racepred/racepred/internal/trace"

// of is the goroutine's state; one that was never forked starts knowing nothing.
func (p *Order) of(id trace.G) *Goroutine {
	g := p.gs.Get(id)
	if g == nil {
		return p.start(id, &object{})
	}
	if g.ended { // an event after its End: it goes on in another slot
		var known object
		known.add(&p.pool, g.end())
		p.ended.Remove(id)
		g = p.start(id, &known)
		known.reset(&p.pool)
	}
	return g
}

// sharedSlots is how many slots the goroutines share for which none of their own is left.
const sharedSlots = 16

// start gives a goroutine a slot and lets it know what is known. When too many goroutines are alive, those that come
// on top are taken for one of a few: as if they came after each other, which finds too little rather than too much.
func (p *Order) start(id trace.G, known *object) *Goroutine {
	slot, now, ok := p.slots.Take(known.p.Vec())
	if !ok {
		p.SharedSlots++
		g := p.shared[id%sharedSlots]
		if g == nil {
			g = &Goroutine{g: id, slot: p.slots.New(), now: 1, last: 1, shared: true}
			p.shared[id%sharedSlots] = g
		}
		p.take(g, ruleFork, known)
		p.gs.Put(id, g)
		return g
	}
	g := p.free.Get()
	*g = Goroutine{g: id, slot: slot, now: now, last: now, held: g.held[:0]}
	p.take(g, ruleFork, known)
	p.gs.Put(id, g)
	return g
}

// (M1)
func (p *Order) fork(g *Goroutine, ev *trace.Event) {
	if p.gs.Get(trace.G(ev.Other)) != nil {
		return // it has run already: not a trace of one run
	}
	s := g.stamp()
	var known object
	known.add(&p.pool, s)
	s.drop(&p.pool)
	p.start(trace.G(ev.Other), &known)
	known.reset(&p.pool)
}

// end frees the slot and keeps the clocks for a Join.
func (p *Order) end(g *Goroutine) {
	if g.shared {
		p.gone.add(&p.pool, g.end())
		return
	}
	g.ended = true
	g.held = g.held[:0] // what is still held stays open; another goroutine may release it
	p.slots.Give(g.slot, g.last, g.last)
	for _, id := range p.ended.Add(g.g) {
		old := p.gs.Get(id)
		p.gone.add(&p.pool, old.end())
		old.h.Reset(&p.pool)
		old.p.Reset(&p.pool)
		p.gs.Delete(id)
		p.free.Put(old)
	}
}

// (M1)
func (p *Order) join(g *Goroutine, ev *trace.Event) {
	child := p.gs.Get(trace.G(ev.Other))
	if child == nil {
		p.take(g, ruleJoin, &p.gone)
		return
	}
	var last object
	last.add(&p.pool, child.end())
	p.take(g, ruleJoin, &last)
	last.reset(&p.pool)
	if !child.ended {
		p.end(child)
	}
}
