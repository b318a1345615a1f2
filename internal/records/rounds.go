package records

import "github.com/racepred/racepred/internal/trace"

// A section may tell another goroutine something and later be told something by it. Then the
// section contains what that goroutine did in between (trace.Rounds). That goroutine does not hold
// the lock, and may have left out accesses, so the section counts as one with an Opaque (O4). What
// tells and what is told:
//
//	                                             tells   is told
//	releases, stores, the start of a goroutine   x
//	acquires, loads, what is found there                 x
//	sends, receives, other atomic operations     x       x         both in one
//	the end of a section that changed
//	something; the first look in one             x       x         at the lock
//	a TryLock that fails                                 x         that the other section holds the lock

// tells is called when the goroutine tells something at an object.
func (c *Converter) tells(g trace.G, object trace.Addr) {
	if own, any := c.telling(g); any {
		c.rounds.Tells(g, own, object)
	}
}

// leaves is called when the goroutine leaves a section in which something was changed.
func (c *Converter) leaves(g trace.G, lock trace.Addr) {
	if own, any := c.telling(g); any {
		c.rounds.Leaves(g, own, lock)
	}
}

// starts is called when the goroutine starts another one.
func (c *Converter) starts(g, started trace.G) {
	if own, any := c.telling(g); any {
		c.rounds.Starts(g, own, started)
	}
}

// telling begins to follow all sections that the goroutine is in. any is false if no section is
// followed at all.
func (c *Converter) telling(g trace.G) (own trace.Sections, any bool) {
	held := c.opaqueTokens.Of(g)
	for i := range held {
		c.follow(&held[i])
		own |= held[i].followed
	}
	return own, own != 0 || c.rounds.Any()
}

func (c *Converter) follow(h *opaqueToken) {
	if h.followed == 0 && !h.moved && !h.lost {
		h.followed = c.rounds.Follow()
		h.lost = h.followed == 0
	}
}

// hears is called when the goroutine is told something at an object.
func (c *Converter) hears(ev *trace.Event, object trace.Addr) {
	own, lost := c.toldIn(ev.G)
	c.holds(ev, c.rounds.Told(ev.G, own, object), lost)
}

// sees is called when the goroutine may see what others changed under a lock.
func (c *Converter) sees(ev *trace.Event, lock trace.Addr) {
	own, lost := c.toldIn(ev.G)
	c.holds(ev, c.rounds.Sees(ev.G, own, lock), lost)
}

// toldByAll is called when the goroutine is told of everything.
func (c *Converter) toldByAll(ev *trace.Event) {
	own, lost := c.toldIn(ev.G)
	c.holds(ev, c.rounds.ToldAll(ev.G, own), lost)
}

// toldIn are the followed sections that the goroutine is in. lost says that there are more, for
// which there was no number left.
func (c *Converter) toldIn(g trace.G) (own trace.Sections, lost bool) {
	for _, h := range c.opaqueTokens.Of(g) {
		own |= h.followed
		lost = lost || h.lost && !h.moved
	}
	return own, lost
}

// holds is (O4) for the sections found, and for the lost ones, if there are any.
func (c *Converter) holds(ev *trace.Event, found trace.Sections, lost bool) {
	if found == 0 && !lost {
		return
	}
	held := c.opaqueTokens.Of(ev.G)
	for i := range held {
		if h := &held[i]; !h.moved && (h.followed&found != 0 || h.lost) {
			c.opaqueToken(h, ev, leavesOut)
		}
	}
	c.pinned = trace.Event{G: ev.G, Stack: ev.Stack}
	c.emit(trace.Opaque, &c.pinned)
}
