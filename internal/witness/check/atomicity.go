package check

import (
	"fmt"

	"github.com/racepred/racepred/internal/trace"
)

// splits is the rule of goal.Atomicity. There are two accesses of a goroutine, of which the second
// is its next event, and between them an access of another goroutine that conflicts with both. All
// three have a byte in common. goals.go checks the order of the two that were executed.
//
// Neither atomic operations nor appends are accesses of such a goal. An atomic operation is several
// events, and no event of another goroutine may come between them. An append that is not in place
// has its parts elsewhere.
func (r *replay) splits(events []int32) error {
	first, between, last := events[0], events[1], events[2]
	a, b, c := &r.evs[first], &r.evs[between], &r.evs[last]
	for _, i := range events {
		if _, part := r.header[i]; part || r.evs[i].Flags&trace.FlagAtomic != 0 {
			return fmt.Errorf("check: event %d (%v) is part of an operation", i, r.evs[i])
		}
	}
	if r.g[first] != r.g[last] || first >= last {
		return fmt.Errorf("check: event %d does not come after event %d in one goroutine", last, first)
	}
	if !trace.Conflict(a, b) || !trace.Conflict(b, c) {
		return fmt.Errorf("check: event %d is not in conflict with both others", between)
	}
	lo, hi := max(a.Addr, b.Addr, c.Addr), min(end(a), end(b), end(c))
	if lo >= hi || r.newLife(lo, hi, min(first, between), max(between, last)) {
		return fmt.Errorf("check: the accesses have no byte of one life in common")
	}
	return nil
}

func end(e *trace.Event) trace.Addr { return e.Addr + trace.Addr(e.Size) }
