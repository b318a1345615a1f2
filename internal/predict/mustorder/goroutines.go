package mustorder

import "github.com/racepred/racepred/internal/trace"

// of is the goroutine's state. A goroutine without a Fork knows nothing at first.
func (p *Order) of(id trace.G) *Goroutine {
	g := p.gs.Get(id)
	if g == nil {
		return p.start(id, &object{})
	}
	if g.ended { // an event after its End: it continues in another slot
		var known object
		known.add(&p.pool, g.end())
		p.ended.Remove(id)
		g = p.start(id, &known)
		known.reset(&p.pool)
	}
	return g
}

// sharedSlots is how many slots there are for all goroutines that get none of their own.
const sharedSlots = 16

// start makes the state of a goroutine, with a slot and these clocks. If no slot is left, the
// goroutine gets a shared slot, whose goroutines count as one: as if they ran one after the other,
// which finds too little rather than too much.
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
		return // it ran before its Fork: this is no trace of one run
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
	g.held = g.held[:0] // its sections stay open; another goroutine may release them
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
