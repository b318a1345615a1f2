package oracle

import "github.com/racepred/racepred/internal/trace"

// ExploreInOrder is Explore for sync-preserving reorderings (Mathur, Pavlogiannis, Viswanathan,
// POPL 2021):
//
//	(O9) an acquire before all acquires of the lock that come after it in the trace, unless both are
//	     in read mode
func ExploreInOrder(evs []trace.Event, max int) Result {
	w := newWorld(evs)
	w.inOrder = true
	return w.explore(max)
}

// first is (O9) for the acquire i.
func (w *world) first(s *state, i int) bool {
	e := w.evs[i]
	for _, c := range w.sections {
		if c.lock == e.Addr && c.acq > i && !(c.shared && e.Kind == trace.RAcquire) && w.done(s, c.acq) {
			return false
		}
	}
	return true
}
