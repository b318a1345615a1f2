package check

import "github.com/racepred/racepred/internal/trace"

// This file has what an event of each kind means for a schedule, in the three places where the
// checker asks. The rules are in files of their own: contents.go, section.go, hard.go, join.go,
// unseen.go, opaque.go, tryfail.go. Appends and their parts do not come here (append.go).

// gather notes the facts about an event.
func (b *building) gather(i int32, e *trace.Event) {
	switch e.Kind {
	case trace.Write:
		if e.Unseen() {
			for r := b.found.UnseenIn(b.found.Of(i)); r.Lo < r.Hi; r.Lo++ {
				b.merge(r.Lo, i, e)
			}
		}
	case trace.Alloc:
		b.allocs = append(b.allocs, i)
	case trace.Acquire, trace.RAcquire:
		b.opens(i, e)
	case trace.Release, trace.RRelease:
		b.closes(i, e)
	case trace.HardAcquire, trace.HardRelease, trace.HardMerge, trace.HardSwap:
		b.hard(i, e)
	case trace.Fork:
		b.forked(i, e)
	case trace.Observe, trace.Change:
		b.pin(i, e)
	case trace.Opaque:
		b.sees(i)
	case trace.TryFail:
		b.tries(i, e)
	}
}

// may returns nil if event i can be next in the schedule, else the reason why not.
func (r *replay) may(i int32, e *trace.Event) error {
	switch e.Kind {
	case trace.Read:
		return r.read(i, e)
	case trace.Write, trace.Alloc:
		return r.write(i, e)
	case trace.Acquire, trace.RAcquire:
		return r.acquire(i)
	case trace.Release, trace.RRelease:
		return r.release(i)
	case trace.HardAcquire, trace.HardSwap:
		return r.takes(i, e)
	case trace.Join:
		return r.join(e)
	case trace.Observe, trace.Change:
		return r.pinned(i, e)
	case trace.Opaque:
		return r.opaqueNext(i)
	case trace.TryFail:
		return r.tryFail(i, e)
	}
	return nil
}

// does notes what event i changes for later events.
func (r *replay) does(i int32, e *trace.Event) {
	switch e.Kind {
	case trace.Write, trace.Alloc:
		r.stores(i, e)
	case trace.Acquire, trace.RAcquire:
		r.entered(i)
	case trace.Release, trace.RRelease:
		r.left(i)
	case trace.Change:
		r.changed(i, e)
	case trace.Opaque:
		r.opaqueDone(i)
	}
}
