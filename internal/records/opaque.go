package records

import "github.com/racepred/racepred/internal/trace"

// A section that calls unrecorded code, or leaves out accesses, may access there whatever any other
// section of its lock accesses in recorded code. So it keeps its place among all sections of the
// lock that access anything. The stream says so by operations on two objects of the lock, its
// opaque token for reads (trace.OpaqueTokenBit) and one for writes (its second byte):
//
//	(O1) the first Opaque in a section is a Change of both objects of each lock held;
//	(O2) the first read in a section, atomic or not, is an Observe of the first object: a schedule
//	     that leaves out the section need not keep what it read. Package sync reads locks, so that
//	     their misuse is found; that is no read here;
//	(O3) the first write in a section is a Change of the second object that commutes with others of
//	     its kind: a later Opaque may have read what was written;
//	(O4) a section that contains what another goroutine does (rounds.go) counts as one with an
//	     Opaque;
//	(O7) a section that leaves out reads is an Observe of the second object: it keeps its place
//	     among sections that write, and among those with an Opaque, but not among others that leave
//	     out reads. It needs no (O2), since an Opaque changes the second object as well.
//
//	(O5) An Opaque that no section needs for (O1) is left out. While a section is open, no other
//	     goroutine has an Opaque in a write section of its lock. So a second Opaque in it comes
//	     after the same Opaques as the first, and other Opaques come after the section's end.
//	(O6) A section that is hard from the beginning keeps its place among all sections of its lock
//	     anyway, and needs none of this.
//
// Sections without opaque calls may trade places with each other.

// opaqueToken is one lock that a goroutine holds.
type opaqueToken struct {
	lock                           trace.Addr
	shared                         bool           // in read mode
	observed, missed, wrote, moved bool           // (O2), (O7), (O3), (O1) done
	followed                       trace.Sections // (O4): its number if it told something; 0 otherwise
	lost                           bool           // it told something, and there was no number left for it
}

func (c *Converter) enter(ev *trace.Event) {
	hard := ev.Flags&trace.FlagHard != 0
	c.opaqueTokens.Enter(ev.G, opaqueToken{lock: ev.Addr, shared: ev.Kind == trace.RAcquire, observed: hard, wrote: hard, moved: hard}) // (O6)
	if hard {
		c.sees(ev, ev.Addr)
	}
	c.entered(ev)
}

// forgetSections drops the sections of a goroutine that ended.
func (c *Converter) forgetSections(id trace.G) {
	c.joiner.Forget(id)
	c.opaqueTokens.Forget(id, func(h *opaqueToken) { c.rounds.Forget(h.followed) })
}

// leave ends a section of the lock, the goroutine's own or, in a hand-over, another's. It returns
// whether it was the goroutine's own.
func (c *Converter) leave(ev *trace.Event, shared bool) (own bool) {
	h, by := c.opaqueTokens.Leave(ev.G, ev.Addr, shared)
	if by == 0 {
		return false
	}
	c.rounds.Forget(h.followed)
	if h.wrote || h.moved {
		c.leaves(ev.G, h.lock)
	}
	return by == ev.G
}

// Like implements predict.Sections.
func (h *opaqueToken) Like(lock trace.Addr, shared bool) bool {
	return h.lock == lock && h.shared == shared
}

// deed is something that a section does.
type deed uint8

const (
	looks deed = iota
	leavesReads
	writes
	leavesOut
)

// useTokens emits the events of (O1) to (O3) and (O7) before a deed, and reports whether there were
// any.
func (c *Converter) useTokens(ev *trace.Event, what deed) (emitted bool) {
	held := c.opaqueTokens.Of(ev.G)
	for i := range held {
		emitted = c.opaqueToken(&held[i], ev, what) || emitted
	}
	return emitted
}

func (c *Converter) opaqueToken(h *opaqueToken, ev *trace.Event, what deed) (emitted bool) {
	if h.moved || what == writes && h.wrote || what == looks && h.observed || what == leavesReads && h.missed {
		return false
	}
	pin := func(k trace.Kind, object trace.Addr, flags trace.Flags) {
		c.pinned = trace.Event{G: ev.G, Addr: object, Stack: ev.Stack, Site: ev.Site, Flags: flags}
		c.emit(k, &c.pinned)
	}
	first := !h.observed && !h.moved
	switch what {
	case leavesOut:
		h.moved = true
		c.rounds.Forget(h.followed)
		pin(trace.Change, h.lock|trace.OpaqueTokenBit, 0)
		pin(trace.Change, h.lock+1, 0)
	case writes:
		h.wrote = true
		pin(trace.Change, h.lock+1, trace.FlagUnseen)
	case looks:
		h.observed = true
		pin(trace.Observe, h.lock|trace.OpaqueTokenBit, 0)
	case leavesReads:
		h.observed, h.missed = true, true
		pin(trace.Observe, h.lock+1, 0)
	}
	if what != writes && first {
		c.sees(ev, h.lock)
	}
	return true
}
