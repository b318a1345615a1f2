package check

import (
	"fmt"

	"github.com/racepred/racepred/internal/trace"
)

// deadlocked is the rule of goal.Deadlock: each of the goroutines waits for another of them, so
// that none of them goes on.
func (r *replay) deadlocked(events []int32) error {
	for n, i := range events {
		e := &r.evs[i]
		if !e.Kind.Spec().Opens || e.Flags&trace.FlagTried != 0 {
			return fmt.Errorf("check: event %d (%v) waits for no lock", i, *e)
		}
		waits := false
		for m, j := range events {
			waits = waits || m != n && r.waitsFor(i, j)
		}
		if !waits {
			return fmt.Errorf("check: event %d (%v) waits for none of the others", i, *e)
		}
	}
	return nil
}

// waitsFor reports whether the goroutine of acquisition i waits for that of acquisition j; both are
// next. Either j's goroutine is in a section that excludes i's section, or it waits for write mode
// of the lock that i wants in read mode (documentation of sync.RWMutex). The section must be one
// that its own goroutine ends in the trace. If another goroutine ends it, the wait may be short.
// The memory of the lock must not have become another lock in the meantime.
func (r *replay) waitsFor(i, j int32) bool {
	mine, other := &r.sections[r.about[i]], &r.sections[r.about[j]]
	if r.g[i] == r.g[j] {
		return false
	}
	if mine.shared && !other.shared && mine.lock == other.lock && r.sameLock(i, j) {
		return true
	}
	for _, s := range *r.holding(mine.lock) {
		c := &r.sections[s]
		if c.g == r.g[j] && !(c.shared && mine.shared) && c.acq >= 0 && c.rel >= 0 && r.g[c.rel] == c.g && r.sameLock(c.acq, i) {
			return true
		}
	}
	return false
}

// sameLock reports whether the memory of a lock has no new life between two acquisitions.
func (r *replay) sameLock(i, j int32) bool {
	lo, hi := min(i, j), max(i, j)
	at := r.evs[lo].Addr
	return !r.newLife(at, at+1, lo, hi)
}
