package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// This file has what an event of each kind means for a schedule, in the four places where the
// search asks. The rules are in files of their own: section.go, hard.go, join.go, pin.go,
// opaque.go, tryfail.go, reads.go. Only gather has a case for Fork. The other three apply a Fork's
// rule to the first event of its goroutine, which may be of any kind.

// gather notes the facts about an event.
func (b *builder) gather(i int32, e *trace.Event) {
	switch e.Kind {
	case trace.Acquire, trace.RAcquire:
		b.opens(i, e)
	case trace.Release, trace.RRelease:
		b.closes(i, e)
	case trace.HardAcquire, trace.HardRelease, trace.HardMerge, trace.HardSwap:
		b.hard(i, e)
	case trace.Fork:
		b.forked(i, e)
	case trace.Join:
		b.joins(i, e)
	case trace.Observe, trace.Change:
		b.pin(i, e)
	case trace.Opaque:
		b.opaques(i)
	case trace.TryFail:
		b.note(i, slices.Clone(b.open[b.lock(e.Addr)]))
	}
}

// needs adds to the set what has to come with one of its events: (P2) to (P8).
func (p *closure) needs(i int32, e *trace.Event) {
	switch e.Kind {
	case trace.Read:
		p.read(i)
	case trace.Acquire, trace.RAcquire:
		p.acquire(i)
	case trace.Release, trace.RRelease:
		p.release(i)
	case trace.HardAcquire, trace.HardSwap:
		p.takes(i, e)
	case trace.Join:
		p.join(i, e)
	case trace.Observe, trace.Change:
		p.pinned(i, e)
	case trace.Opaque: // (P7)
		for _, o := range p.lists[p.aux[i]] {
			p.include(o)
		}
	case trace.TryFail:
		p.tryFail(i, e)
	}
}

// after adds to the order what (R1) asks for event i. all are the box's events. False means a
// contradiction.
func (r *saturation) after(i int32, e *trace.Event, all []int32) bool {
	switch e.Kind {
	case trace.Read:
		return r.read(i)
	case trace.Acquire, trace.RAcquire:
		return r.acquire(i)
	case trace.Release, trace.RRelease:
		return r.release(i)
	case trace.HardAcquire, trace.HardSwap:
		return r.takes(i, e)
	case trace.Join:
		return r.join(i, e)
	case trace.Observe, trace.Change:
		return r.pinned(i, e)
	case trace.Opaque:
		return r.edges(r.lists[r.aux[i]], i) && (r.proof || r.opaquesAfter(all, i))
	case trace.TryFail:
		return r.tryFail(all, i, e)
	}
	return true
}

// ready reports whether event i can be next in the schedule so far.
func (d *depthFirst) ready(i int32, e *trace.Event) bool {
	switch e.Kind {
	case trace.Read:
		r, found := d.contents.read(i)
		return slices.Equal(d.holds[r.Lo:r.Hi], found)
	case trace.Acquire, trace.RAcquire:
		return d.acquire(i)
	case trace.Release, trace.RRelease:
		a := d.sections[d.aux[i]].acq
		return a < 0 || d.done(a)
	case trace.HardAcquire, trace.HardSwap:
		return d.takes(i, e)
	case trace.Join:
		return d.join(i, e)
	case trace.Observe, trace.Change:
		return d.pinned(i, e)
	case trace.Opaque:
		return d.allDone(d.lists[d.aux[i]])
	case trace.TryFail:
		return d.tryFail(i)
	}
	return true
}
