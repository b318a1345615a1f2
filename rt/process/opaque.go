//go:build racepred_seam

package process

import "github.com/racepred/racepred/internal/trace"

// A section that calls code nobody records, or leaves out accesses, may touch there what any other
// section of its lock touches in recorded code, so it keeps its place among all sections of the
// lock that access anything. They say so on two objects of the lock's own, one for reads (trace.GuardBit) and one for writes (its second byte):
//
//	(O1) the first Opaque in a section is a Change of both objects of each lock held;
//	(O2) the first read in a section, atomic ones are some, is an Observe of the first: whoever does without the section need not mind what it read;
//	(O3) the first write in a section is a Change of the second that commutes with its like: an Opaque behind it may have read what was written;
//	(O4) what others do between something that the goroutine gave in the section and something that it took later there, as who is started and
//	     waited for in it, is in the section, too. They do not hold the lock, so whatever they left out is not known: the section is taken
//	     for one with an Opaque. Most atomic operations are no messages: they give
//	     nothing here, and take only in sections that started a goroutine.
//
// Sections without opaque calls stay free among each other.

// guard is one lock that a goroutine holds.
type guard struct {
	lock                   trace.Addr
	observed, wrote, moved bool // (O2), (O3), (O1) done
	gave, started          bool // (O4)
}

func (a *analysis) enter(ev *trace.Event) {
	held := a.guards.Make(ev.G, &a.unheld)
	*held = append(*held, guard{lock: ev.Addr})
}

// forgetGuards lets go of what a goroutine holds, which ended.
func (a *analysis) forgetGuards(id trace.G) {
	if held := a.guards.Delete(id); held != nil {
		*held = (*held)[:0]
		a.unheld.Put(held)
	}
}

// leave ends the goroutine's newest section of the lock, or for a hand-over some other goroutine's.
func (a *analysis) leave(ev *trace.Event) {
	if held := a.guards.Get(ev.G); held != nil && drop(held, ev.Addr) {
		return
	}
	a.guards.All(func(held *[]guard) bool { return !drop(held, ev.Addr) })
}

func drop(held *[]guard, lock trace.Addr) bool {
	for i := len(*held) - 1; i >= 0; i-- {
		if (*held)[i].lock == lock {
			*held = append((*held)[:i], (*held)[i+1:]...)
			return true
		}
	}
	return false
}

// deed is what is done in a section.
type deed uint8

const (
	looks deed = iota
	writes
	leavesOut
)

// guarded emits what (O1) to (O3) ask for before something is done.
func (a *analysis) guarded(ev *trace.Event, what deed) {
	held := a.guards.Get(ev.G)
	if held == nil {
		return
	}
	for i := range *held {
		a.guard(&(*held)[i], ev, what)
	}
}

func (a *analysis) guard(h *guard, ev *trace.Event, what deed) {
	if h.moved || what == writes && h.wrote || what == looks && h.observed {
		return
	}
	pin := func(k trace.Kind, object trace.Addr, flags trace.Flags) {
		a.pinned = trace.Event{G: ev.G, Addr: object, Stack: ev.Stack, Site: ev.Site, Flags: flags}
		a.emit(k, &a.pinned)
	}
	switch what {
	case leavesOut:
		h.moved = true
		pin(trace.Change, h.lock|trace.GuardBit, 0)
		pin(trace.Change, h.lock+1, 0)
	case writes:
		h.wrote = true
		pin(trace.Change, h.lock+1, trace.FlagUnseen)
	case looks:
		h.observed = true
		pin(trace.Observe, h.lock|trace.GuardBit, 0)
	}
}

// gives notes for (O4) that the goroutine lets others know something, or starts one.
func (a *analysis) gives(g trace.G, starts bool) {
	if held := a.guards.Get(g); held != nil {
		for i := range *held {
			h := &(*held)[i]
			h.gave, h.started = true, h.started || starts
		}
	}
}

// takes is (O4) where the goroutine gets to know something, by an atomic operation or in another way.
func (a *analysis) takes(ev *trace.Event, atomic bool) {
	held := a.guards.Get(ev.G)
	if held == nil {
		return
	}
	marked := false
	for i := range *held {
		if h := &(*held)[i]; h.gave && !h.moved && (h.started || !atomic) {
			a.guard(h, ev, leavesOut)
			marked = true
		}
	}
	if marked {
		a.pinned = trace.Event{G: ev.G, Stack: ev.Stack}
		a.emit(trace.Opaque, &a.pinned)
	}
}
