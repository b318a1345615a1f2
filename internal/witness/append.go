package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// Unobserved appends to a list (internal/trace/append.go) are unseen Writes of the list that keep
// its last seen store. A read of the list finds them in the trace's order. An append is in place if
// it writes where it wrote in the trace, which depends on the schedule. The search uses only those
// facts about an append's parts that hold in any case; package check knows the rest (check/C14).

// noteParts notes the append that each part belongs to, if the append is in the trace.
func (b *builder) noteParts(i int32, e *trace.Event, g int32) {
	switch h, ok := b.latest[g]; {
	case e.Append():
		b.latest[g] = i
	case !ok:
	case e.AppendPart():
		b.header[i] = h
	default:
		delete(b.latest, g)
	}
}

// ofList reports whether event i is an append or a part of one.
func (f *facts) ofList(i int32) bool {
	_, part := f.header[i]
	return part || f.evs[i].Append()
}

// appended is (P12).
func (p *closure) appended(i int32, e *trace.Event) {
	if e.Kind == trace.Write && !e.Append() {
		return
	}
	if p.uncertain(i); p.why != "" {
		return
	}
	for _, part := range p.stores.Parts(i) {
		k := part.From
		if k >= 0 && (e.Append() || !p.certain && p.evs[k].Kind == trace.Write && !p.evs[k].AppendPart()) {
			p.include(k)
		}
	}
}

// racingPart is (P12) for a part that is one of the goal's events; h is its append.
func (p *closure) racingPart(h int32) {
	p.stores.writers(h, p.include, func(unseen []int32, _ int32) { p.includeAll(unseen) })
}

// inOrder keeps the appends among the unseen Writes that b finds in the trace's order, if b is in
// the box.
func (r *saturation) inOrder(unseen []int32, b int32) bool {
	if _, in := r.of[b]; !in {
		return true
	}
	for k := 1; k < len(unseen); k++ {
		if r.evs[unseen[k]].Append() && !r.edge(unseen[k-1], unseen[k]) {
			return false
		}
	}
	return true
}

// placed is (R1) for the list of a part that is one of the goal's events: the part is where it was
// in the trace only if its append is in place.
func (r *saturation) placed() bool {
	ok := true
	for _, i := range r.set.goal {
		if h, part := r.header[i]; part {
			r.stores.writers(h, func(int32) {}, func(unseen []int32, _ int32) {
				ok = ok && r.inOrder(unseen, h) && r.edge(unseen[len(unseen)-1], h)
			})
		}
	}
	return ok
}

// inTurn maps each append whose place among the appends of its list is fixed to the one before it.
// These are the appends that a Read of the box finds in the list, and those that a part among the
// goal's events depends on.
func (d *depthFirst) inTurn(all []int32) map[int32]int32 {
	turn := map[int32]int32{}
	note := func(i int32) {
		d.stores.writers(i, func(int32) {}, func(unseen []int32, _ int32) {
			for k := len(unseen) - 1; k > 0; k-- {
				if _, known := turn[unseen[k]]; known || !d.evs[unseen[k]].Append() {
					break
				}
				turn[unseen[k]] = unseen[k-1]
			}
		})
	}
	for _, i := range all {
		if d.evs[i].Kind == trace.Read && !d.ofList(i) {
			note(i)
		}
	}
	for _, i := range d.set.goal {
		if h, part := d.header[i]; part {
			note(h)
			d.stores.writers(h, func(int32) {}, func(unseen []int32, _ int32) { turn[h] = unseen[len(unseen)-1] })
		}
	}
	return turn
}

// listReady reports whether append i can be next, as far as the search can tell: it is its turn,
// and the list has the same seen stores as in the trace.
func (d *depthFirst) listReady(i int32) bool {
	if k, ok := d.turn[i]; ok && !d.done(k) {
		return false
	}
	r, found := d.contents.read(i)
	return slices.EqualFunc(d.holds[r.Lo:r.Hi], found, func(a, b content) bool { return a.last == b.last })
}
