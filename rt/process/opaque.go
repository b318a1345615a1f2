//go:build racepred_seam

package process

import "github.com/racepred/racepred/internal/trace"

// A section that calls code nobody records may touch there what any other
// section of its lock touches in recorded code, so it keeps its place among all sections of the
// lock that access anything. Both say so on an object of the lock's own (trace.GuardBit):
//
//	(O1) the first Opaque in a section is a Change of the object of each lock held;
//	(O2) the first access in a section is an Observe of them.
//
// Sections without opaque calls stay free among each other.

// guard is one lock that a goroutine holds.
type guard struct {
	lock            trace.Addr
	observed, moved bool // (O2), (O1) done
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

// guarded emits what (O1) or (O2) asks for before an Opaque or an access.
func (a *analysis) guarded(ev *trace.Event, opaque bool) {
	held := a.guards.Get(ev.G)
	if held == nil {
		return
	}
	for i := range *held {
		h := &(*held)[i]
		pin := &a.pinned
		*pin = trace.Event{G: ev.G, Addr: h.lock | trace.GuardBit, Stack: ev.Stack, Site: ev.Site}
		switch {
		case opaque && !h.moved:
			h.moved = true
			a.emit(trace.Change, pin)
		case !opaque && !h.observed && !h.moved:
			h.observed = true
			a.emit(trace.Observe, pin)
		}
	}
}
