package records

import "github.com/racepred/racepred/internal/trace"

// A TryLock that fails shows that another goroutine has the lock. Mostly the trace has a section
// that is open then, and a schedule has the attempt in that section. If it has none, another
// goroutine is about to take the lock, or has just given it back. For instance, a writer that waits
// for readers keeps others from reading. The attempt may show all that the other goroutine did
// before, so it is told of everything.
//
//	(Y3) an attempt in write mode needs an open section, one in read mode an open section in write
//	     mode; otherwise it is told of everything

// open is how many sections of a lock are open.
type open struct{ any, writing int32 }

// triedByte is added to a lock's address to name the object at which a failed TryLock is told.
const triedByte = 2

// maxTried bounds the locks whose open sections are counted. A failed TryLock of any other one is
// told of everything.
const maxTried = 1 << 12

// tryFails is called when a TryLock fails. From the first time on, sections of that lock tell when
// they begin.
func (c *Converter) tryFails(ev *trace.Event) {
	n, known := c.tried[ev.Addr]
	if !known {
		n = c.firstTry(ev)
	}
	c.hears(ev, ev.Addr+triedByte)
	if ev.Size&rpTryRead != 0 && n.writing == 0 || n.any == 0 { // (Y3)
		c.toldByAll(ev)
		lock := ev.Addr
		c.toldOfAll(ev)
		ev.Addr = lock
	}
	ev.Size = 0
	c.emit(trace.TryFail, ev)
}

func (c *Converter) firstTry(ev *trace.Event) (n open) {
	c.opaqueTokens.Each(func(_ trace.G, h *opaqueToken) {
		if h.lock == ev.Addr {
			n.add(h.shared, 1)
			c.follow(h)
			c.rounds.Finds(ev.G, h.followed)
		}
	})
	if c.tried == nil {
		c.tried = map[trace.Addr]open{}
	}
	if len(c.tried) < maxTried {
		c.tried[ev.Addr] = n
		return n
	}
	return open{}
}

// entered is called where a section begins.
func (c *Converter) entered(ev *trace.Event) {
	if c.counts(ev.Addr, ev.Kind == trace.RAcquire, 1) {
		c.tells(ev.G, ev.Addr+triedByte)
	}
}

func (c *Converter) counts(lock trace.Addr, shared bool, by int32) (tried bool) {
	if len(c.tried) == 0 {
		return false
	}
	n, tried := c.tried[lock]
	if tried {
		n.add(shared, by)
		c.tried[lock] = n
	}
	return tried
}

func (n *open) add(shared bool, by int32) {
	n.any = max(0, n.any+by) // sections of goroutines that ended before the first attempt were not counted
	if !shared {
		n.writing = max(0, n.writing+by)
	}
}
