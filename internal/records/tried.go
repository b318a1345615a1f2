package records

import "github.com/racepred/racepred/internal/trace"

// A TryLock that fails shows that somebody has the lock. Mostly the trace has a section that is open then, and a schedule has the attempt in that section. Where it has
// none, somebody is about to take the lock, or about to have given it back: a writer that waits for readers keeps others from reading as if it had the lock, for as long as they read. What
// that one did before may be all that the attempt tells, so it is told of everything.
//
//	(Y1) an attempt in write mode needs an open section, one in read mode an open section in write mode; otherwise it is told of everything

// open is how many sections of a lock are open.
type open struct{ any, writing int32 }

// triedByte names, beside a lock, what a TryLock that fails is told at.
const triedByte = 2

// maxTried bounds the locks that this is known of. Whoever tries another one is told of everything.
const maxTried = 1 << 12

// tryFails is called where the goroutine is told that somebody holds a lock. From the first time on sections of that lock tell when they begin.
func (c *Converter) tryFails(ev *trace.Event) {
	n, known := c.tried[ev.Addr]
	if !known {
		n = c.firstTry(ev)
	}
	c.hears(ev, ev.Addr+triedByte)
	if ev.Size&rpTryRead != 0 && n.writing == 0 || n.any == 0 { // (Y1)
		c.toldByAll(ev)
		lock := ev.Addr
		c.toldOfAll(ev)
		ev.Addr = lock
	}
	ev.Size = 0
	c.emit(trace.TryFail, ev)
}

func (c *Converter) firstTry(ev *trace.Event) (n open) {
	c.opaqueTokens.All(func(held *[]opaqueToken) bool {
		for i := range *held {
			if h := &(*held)[i]; h.lock == ev.Addr {
				n.add(h.shared, 1)
				c.follow(h)
				c.rounds.Finds(ev.G, h.followed)
			}
		}
		return true
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
	n.any = max(0, n.any+by) // of the sections of goroutines that ended before the first attempt nobody knows
	if !shared {
		n.writing = max(0, n.writing+by)
	}
}
