package oracle

import (
	"fmt"
	"slices"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/trace"
)

// Cycle is the key in Result.Deadlocks of a set of acquisitions, by their places in the trace.
func Cycle(events []int) string {
	events = slices.Clone(events)
	slices.Sort(events)
	return fmt.Sprint(events)
}

// Deadlock reports whether some correct reordering ends in a deadlock.
func (r *Result) Deadlock() bool { return len(r.Deadlocks) > 0 }

// Shows reports whether some correct reordering reaches a goal of that kind, whose events are these
// places in the trace.
func (r *Result) Shows(kind goal.Kind, events []int) bool {
	switch kind {
	case goal.Race:
		return r.Races[Pair{events[0], events[1]}]
	case goal.Deadlock:
		return r.Deadlocks[Cycle(events)]
	}
	panic(fmt.Sprintf("oracle: no rule for goals of kind %v", kind))
}

// cycles notes the cycles of goroutines that wait for each other in a state.
//
// A goroutine waits for another one if its next event takes a lock, not by an attempt, and the
// other one is in a section of the lock that excludes it. A goroutine that wants read mode also
// waits for one that waits for write mode.
func (w *world) cycles(s *state, r *Result) {
	next := make([]int, len(w.gs)) // acquisitions, -1 for none
	for k := range w.gs {
		next[k] = -1
		if e, ok := w.next(s, k); ok && w.evs[e].Kind.Spec().Opens && w.evs[e].Flags&trace.FlagTried == 0 && w.allDone(s, w.owes[e]) {
			next[k] = e
		}
	}
	var path []int
	var from func(k int)
	from = func(k int) {
		if i := slices.Index(path, k); i >= 0 {
			if k == slices.Min(path[i:]) {
				var events []int
				for _, g := range path[i:] {
					events = append(events, next[g])
				}
				if r.Deadlocks == nil {
					r.Deadlocks = map[string]bool{}
				}
				r.Deadlocks[Cycle(events)] = true
			}
			return
		}
		path = append(path, k)
		for o := range w.gs {
			if o != k && next[o] >= 0 && w.waitsFor(s, k, o, next) {
				from(o)
			}
		}
		path = path[:len(path)-1]
	}
	for k := range w.gs {
		if next[k] >= 0 {
			from(k)
		}
	}
}

func (w *world) waitsFor(s *state, k, o int, next []int) bool {
	mine, other := &w.evs[next[k]], &w.evs[next[o]]
	shared := mine.Kind.Spec().Shared
	if shared && !other.Kind.Spec().Shared && mine.Addr == other.Addr {
		return true
	}
	for i := range w.sections {
		c := &w.sections[i]
		if c.lock == mine.Addr && c.g == w.gs[o] && !(c.shared && shared) && c.acq >= 0 && w.isOpen(s, i) {
			return true
		}
	}
	return false
}
