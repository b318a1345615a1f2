package witness

import "github.com/racepred/racepred/internal/trace"

// epoch is the part of an object's history from one seen Change to the next. change and next are -1
// if there is no such Change.
type epoch struct {
	change, next int32
	unseen       []int32 // its unseen Changes in the trace's order
}

// pin is what an Observe or Change found: the first n unseen Changes of an epoch.
type pin struct{ epoch, n int32 }

func (b *builder) pin(i int32, e *trace.Event) {
	k := b.epoch[e.Addr] - 1
	if k < 0 {
		k = b.newEpoch(e.Addr, -1)
	}
	b.aux[i] = int32(len(b.pins))
	b.pins = append(b.pins, pin{k, int32(len(b.epochs[k].unseen))})
	switch {
	case e.Kind == trace.Observe:
	case e.Unseen():
		b.epochs[k].unseen = append(b.epochs[k].unseen, i)
	default:
		b.epochs[k].next = i
		b.newEpoch(e.Addr, i)
	}
}

func (b *builder) newEpoch(a trace.Addr, change int32) int32 {
	b.epochs = append(b.epochs, epoch{change: change, next: -1})
	b.epoch[a] = int32(len(b.epochs))
	return int32(len(b.epochs) - 1)
}

// pinned is (P7) for an Observe or Change.
func (p *closure) pinned(i int32, e *trace.Event) {
	pin := p.pins[p.aux[i]]
	k := &p.epochs[pin.epoch]
	if k.change >= 0 {
		p.include(k.change)
	}
	if e.Kind == trace.Observe || !e.Unseen() {
		p.includeAll(k.unseen[:pin.n])
	}
}

// pinned reports whether an Observe or Change finds the same Changes as in the trace.
func (d *depthFirst) pinned(i int32, e *trace.Event) bool {
	pin := d.pins[d.aux[i]]
	k := &d.epochs[pin.epoch]
	if k.change >= 0 && !d.done(k.change) || k.next >= 0 && k.next != i && d.done(k.next) {
		return false
	}
	if e.Kind == trace.Change && e.Unseen() {
		return true
	}
	if d.changed[pin.epoch] != pin.n {
		return false
	}
	for _, c := range k.unseen[:pin.n] {
		if !d.done(c) {
			return false
		}
	}
	return true
}

// pinned is (R1) for an Observe or Change.
func (r *saturation) pinned(i int32, e *trace.Event) bool {
	pin := r.pins[r.aux[i]]
	k := &r.epochs[pin.epoch]
	if k.change >= 0 && !r.edge(k.change, i) {
		return false
	}
	if e.Kind == trace.Change && e.Unseen() {
		return true
	}
	if !r.edges(k.unseen[:pin.n], i) {
		return false
	}
	if e.Kind == trace.Change {
		return true
	}
	for _, j := range k.unseen[pin.n:] {
		if !r.edge(i, j) {
			return false
		}
	}
	return k.next < 0 || r.edge(i, k.next)
}
