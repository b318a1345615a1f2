//go:build racepred_seam

package process

import "github.com/racepred/racepred/internal/trace"

// A section that is told what others did since it told them something holds what they did there (trace.Rounds). They do not hold the lock, and what they left
// out is not known, so the section is taken for one with an Opaque (O4). What tells and what is told:
//
//	                                             tells   is told
//	releases, stores, the start of a goroutine   x
//	acquires, loads, what is found there                 x
//	sends, receives, other atomic operations     x       x         without anything in between
//	the end of a section in which something
//	was changed; the first look in one           x       x         at the lock
//	a TryLock that fails                                 x         that the other section holds the lock

// tells is called where the goroutine tells something at an object.
func (a *analysis) tells(g trace.G, object trace.Addr) {
	if own, any := a.telling(g); any {
		a.rounds.Tells(g, own, object)
	}
}

// leaves is called where the goroutine leaves a section in which something was changed.
func (a *analysis) leaves(g trace.G, lock trace.Addr) {
	if own, any := a.telling(g); any {
		a.rounds.Leaves(g, own, lock)
	}
}

// starts is called where the goroutine starts another one.
func (a *analysis) starts(g, started trace.G) {
	if own, any := a.telling(g); any {
		a.rounds.Starts(g, own, started)
	}
}

// telling follows all sections that the goroutine is in. any is not set if nobody tells anything of any section.
func (a *analysis) telling(g trace.G) (own trace.Sections, any bool) {
	if held := a.guards.Get(g); held != nil {
		for i := range *held {
			h := &(*held)[i]
			a.follow(h)
			own |= h.followed
		}
	}
	return own, own != 0 || a.rounds.Any()
}

func (a *analysis) follow(h *guard) {
	if h.followed == 0 && !h.moved && !h.lost {
		h.followed = a.rounds.Follow()
		h.lost = h.followed == 0
	}
}

// hears is called where the goroutine is told something at an object.
func (a *analysis) hears(ev *trace.Event, object trace.Addr) {
	own, lost := a.toldIn(ev.G)
	a.holds(ev, a.rounds.Told(ev.G, own, object), lost)
}

// sees is called where the goroutine may see what others changed under a lock.
func (a *analysis) sees(ev *trace.Event, lock trace.Addr) {
	own, lost := a.toldIn(ev.G)
	a.holds(ev, a.rounds.Sees(ev.G, own, lock), lost)
}

// toldByAll is called where the goroutine is told of everything.
func (a *analysis) toldByAll(ev *trace.Event) {
	own, lost := a.toldIn(ev.G)
	a.holds(ev, a.rounds.ToldAll(ev.G, own), lost)
}

// toldIn are the sections that the goroutine is in and that are followed. lost says that there are others, which would be if there were room.
func (a *analysis) toldIn(g trace.G) (own trace.Sections, lost bool) {
	if held := a.guards.Get(g); held != nil {
		for i := range *held {
			own |= (*held)[i].followed
			lost = lost || (*held)[i].lost && !(*held)[i].moved
		}
	}
	return own, lost
}

// holds is (O4) for the sections found, and for those that are lost, if there are any.
func (a *analysis) holds(ev *trace.Event, found trace.Sections, lost bool) {
	if found == 0 && !lost {
		return
	}
	held := a.guards.Get(ev.G)
	for i := range *held {
		if h := &(*held)[i]; !h.moved && (h.followed&found != 0 || h.lost) {
			a.guard(h, ev, leavesOut)
		}
	}
	a.pinned = trace.Event{G: ev.G, Stack: ev.Stack}
	a.emit(trace.Opaque, &a.pinned)
}

// triedByte names, beside a lock, what a TryLock that fails is told at.
const triedByte = 2

// maxTried bounds the locks that this is known of.
const maxTried = 1 << 12

// tryFails is called where the goroutine is told that somebody holds a lock. From the first time on sections of that lock tell when they begin.
func (a *analysis) tryFails(ev *trace.Event) {
	if !a.tried[ev.Addr] {
		if a.tried == nil {
			a.tried = map[trace.Addr]bool{}
		}
		if len(a.tried) < maxTried {
			a.tried[ev.Addr] = true
		}
		a.guards.All(func(held *[]guard) bool {
			for i := range *held {
				if h := &(*held)[i]; h.lock == ev.Addr {
					a.follow(h)
					a.rounds.Finds(ev.G, h.followed)
				}
			}
			return true
		})
	}
	a.hears(ev, ev.Addr+triedByte)
}
