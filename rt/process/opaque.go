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

// guards are the locks that goroutines hold, found without a search for the one that did the last event.
type guards struct {
	by   map[trace.G]*[]guard
	of   trace.G
	held *[]guard // of's; nil when it holds none
}

// at is what g holds, nil for nothing.
func (gs *guards) at(g trace.G) *[]guard {
	if gs.of != g {
		gs.of, gs.held = g, gs.by[g]
	}
	return gs.held
}

func (gs *guards) forget(g trace.G) {
	delete(gs.by, g)
	if gs.of == g {
		gs.held = nil
	}
}

func (a *analysis) enter(ev *trace.Event) {
	held := a.guards.at(ev.G)
	if held == nil {
		held = new([]guard)
		a.guards.by[ev.G], a.guards.held = held, held
	}
	*held = append(*held, guard{lock: ev.Addr})
}

// leave ends the goroutine's newest section of the lock, or for a hand-over some other goroutine's.
func (a *analysis) leave(ev *trace.Event) {
	if a.drop(ev.G, ev.Addr) {
		return
	}
	for g := range a.guards.by {
		if a.drop(g, ev.Addr) {
			return
		}
	}
}

func (a *analysis) drop(g trace.G, lock trace.Addr) bool {
	held := a.guards.by[g]
	if held == nil {
		return false
	}
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
	if a.pace.partial {
		return
	}
	held := a.guards.at(ev.G)
	if held == nil {
		return
	}
	for i := range *held {
		h := &(*held)[i]
		pin := trace.Event{G: ev.G, Addr: h.lock | trace.GuardBit, Stack: ev.Stack, Site: ev.Site}
		switch {
		case opaque && !h.moved:
			h.moved = true
			a.emit(trace.Change, &pin)
		case !opaque && !h.observed && !h.moved:
			h.observed = true
			a.emit(trace.Observe, &pin)
		}
	}
}
