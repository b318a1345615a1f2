package gocapture

import (
	"go/ast"

	"github.com/racepred/racepred/analyzer/internal/flow"
)

// matches reports whether an acquire may come after a release because it waits for it. (G1)
func (c *checker) matches(r, q *flow.Event, strict bool) bool {
	if q.Op == flow.OpTimer {
		return false
	}
	if isReceive(r) { // only a send waits for the channel's receiver
		return q.Op == flow.OpChan && q.Sends && c.maySame(r, q)
	}
	switch {
	case r.Op == flow.OpCall:
		return true
	case q.Op == flow.OpCancel:
		return false
	case q.Op == flow.OpCall && (r.Op == flow.OpGroup || r.Op == flow.OpChan) && r.Path.Valid() && r.Path.Sel == "" && c.p.Unreached(r.Path.Root): // (G1)
		return false
	case q.Op == flow.OpCall, !strict && q.Op != flow.OpMutex && q.Op != flow.OpAtomic:
		return true
	case r.Op != q.Op:
		return false
	case q.Sends: // a send learns of receives
		return false
	}
	return c.maySame(r, q)
}

func isReceive(e *flow.Event) bool {
	if e.Op != flow.OpChan || !e.Sends {
		return false
	}
	_, send := e.Node.(*ast.SendStmt)
	return !send
}

// maySame reports whether two events may be of one channel, group or lock: unless both are
// variables of functions, under different names.
func (c *checker) maySame(r, q *flow.Event) bool {
	a, b := r.Path, q.Path
	if !a.Valid() || !b.Valid() || a.Root == b.Root {
		return !a.Valid() || !b.Valid() || a == b || !a.Known() || !b.Known()
	}
	return !(a.Sel == "" && b.Sel == "" && c.p.Own(a.Root) && c.p.Own(b.Root))
}

// gets reports whether a goroutine may get to its access without waiting for one of the releases.
// (G2) A lock does not count: the goroutine may take it first.
func (c *checker) gets(a *access, releases []*flow.Event) bool {
	return a.body.Reaches(a.begin, a.event, func(e *flow.Event) bool {
		if e.Kind != flow.Acquire || e.Op == flow.OpMutex {
			return false
		}
		parallel := a.spawn.Start == flow.Parallel // (G6)
		for _, r := range releases {
			if parallel && (e.Op == flow.OpCall || r.Op == flow.OpCall) {
				continue
			}
			if c.matches(r, e, true) {
				return true
			}
		}
		return false
	})
}

// protected reports whether one lock is held at both accesses, exclusively at one at least. (G3)
func protected(a, b map[flow.Path]flow.Mode) bool {
	for l, m := range a {
		if n := b[l]; n != 0 && (m|n)&flow.Exclusive != 0 {
			return true
		}
	}
	return false
}

// turns reports whether two goroutines may take turns by an atomic variable that both use. (G9)
func (c *checker) turns(a, b *access) bool {
	for _, r := range a.releases {
		if r.Op != flow.OpAtomic {
			continue
		}
		for e := range b.body.Events {
			if e.Kind == flow.Acquire && e.Op == flow.OpAtomic && b.spawn.Outside(e.Path) == a.spawn.Outside(r.Path) {
				return true
			}
		}
	}
	return false
}
