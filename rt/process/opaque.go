//go:build racepred_seam

package process

import "github.com/racepred/racepred/internal/trace"

// A section that calls code nobody records may touch there what any other
// section of its lock touches in recorded code, so it keeps its place among all sections of the
// lock that access anything. Both say so on an object of the lock's own:
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

// guardBit makes a lock's address the name of its object: no address of a process has it.
const guardBit = 1 << 47

func (a *analysis) enter(ev *trace.Event) {
	a.guards[ev.G] = append(a.guards[ev.G], guard{lock: ev.Addr})
}

// leave ends the goroutine's newest section of the lock, or for a hand-over some other goroutine's.
func (a *analysis) leave(ev *trace.Event) {
	if a.drop(ev.G, ev.Addr) {
		return
	}
	for g := range a.guards {
		if a.drop(g, ev.Addr) {
			return
		}
	}
}

func (a *analysis) drop(g trace.G, lock trace.Addr) bool {
	held := a.guards[g]
	for i := len(held) - 1; i >= 0; i-- {
		if held[i].lock == lock {
			held = append(held[:i], held[i+1:]...)
			if len(held) == 0 {
				delete(a.guards, g)
			} else {
				a.guards[g] = held
			}
			return true
		}
	}
	return false
}

// guarded emits what (O1) or (O2) asks for before an Opaque or an access.
func (a *analysis) guarded(ev *trace.Event, opaque bool) {
	if len(a.guards) == 0 || a.pace.partial {
		return
	}
	held := a.guards[ev.G]
	for i := range held {
		h := &held[i]
		pin := trace.Event{G: ev.G, Addr: h.lock | guardBit, Stack: ev.Stack, Site: ev.Site}
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
