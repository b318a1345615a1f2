package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// chain is a sequence of edges by which the run orders a before b, an event of another goroutine.
// It is nil if there is none, or if it begins too far back. The search goes back from b. It reaches
// each goroutine at its latest event that an event on the way waited for:
//
//	(K1) an acquire of an object waits for the releases that the object holds;
//	(K2) an acquire of a lock waits for the release before it, in read mode only for one of a
//	     section in write mode;
//	(K3) a goroutine's first event waits for its Fork, and a Join for the goroutine's end.
func (s span) chain(a, b Placed) []Edge {
	c := chain{
		by: map[trace.G]Edge{b.Ev.G: {}}, first: map[trace.G]trace.Seq{}, ended: map[trace.G]trace.Seq{},
		objects: map[trace.Addr]trace.Seq{}, locks: map[trace.Addr]trace.Seq{}, shared: map[trace.Addr]trace.Seq{},
	}
	c.step(b.Seq, &b.Ev)
	for seq := min(b.Seq, s.hi); seq > max(s.lo, a.Seq); {
		seq--
		ev := s.at(seq)
		if c.step(seq, &ev); c.reached(a.Ev.G) {
			return c.edges(a.Ev.G, b.Ev.G, s.at)
		}
	}
	return nil
}

// chain is the state on the way back. In ended, objects, locks and shared, each value is the event
// that waits.
type chain struct {
	by                     map[trace.G]Edge      // how a goroutine was reached
	first                  map[trace.G]trace.Seq // of a goroutine that was reached, the earliest event so far
	ended                  map[trace.G]trace.Seq // of a goroutine that is joined
	objects, locks, shared map[trace.Addr]trace.Seq
}

func (c *chain) reached(g trace.G) bool { _, ok := c.by[g]; return ok }

func (c *chain) reach(g trace.G, from, to trace.Seq) {
	if !c.reached(g) {
		c.by[g] = Edge{from, to}
	}
}

// step goes back over an event.
func (c *chain) step(seq trace.Seq, ev *trace.Event) {
	spec := ev.Kind.Spec()
	was := c.reached(ev.G)                   // a HardSwap does not give what it takes
	if to, ok := c.ended[ev.G]; ok && !was { // (K3)
		c.reach(ev.G, seq, to)
		was = true
	}
	if to, ok := c.objects[ev.Addr]; ok && spec.Gives { // (K1)
		c.reach(ev.G, seq, to)
		if spec.Resets {
			delete(c.objects, ev.Addr)
		}
	}
	if spec.Closes { // (K2)
		to, ok := c.locks[ev.Addr]
		if r, reads := c.shared[ev.Addr]; !ok && reads && !spec.Shared {
			to, ok = r, true
		}
		if ok {
			c.reach(ev.G, seq, to)
		}
	}
	if begun, ok := c.first[trace.G(ev.Other)]; ok && ev.Kind == trace.Fork { // (K3)
		c.reach(ev.G, seq, begun)
	}
	if c.reached(ev.G) {
		c.first[ev.G] = seq
	}
	if !was {
		return
	}
	switch {
	case spec.Takes:
		c.objects[ev.Addr] = seq
	case spec.Opens && spec.Shared:
		c.shared[ev.Addr] = seq
	case spec.Opens:
		c.locks[ev.Addr] = seq
	case ev.Kind == trace.Join:
		c.ended[trace.G(ev.Other)] = seq
	}
}

// edges are the edges from a goroutine to another one.
func (c *chain) edges(from, to trace.G, at func(trace.Seq) trace.Event) (list []Edge) {
	for g := from; g != to && len(list) <= len(c.by); {
		e := c.by[g]
		list = append(list, e)
		ev := at(e.To)
		g = ev.G
	}
	return slices.Clip(list)
}
