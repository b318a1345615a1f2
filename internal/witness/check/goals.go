package check

import (
	"fmt"
	"slices"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/trace"
)

// goals has the rule of each kind of goal for its events. It holds at the end of a schedule, which
// executes some of them and leaves the others as the next ones of their goroutines.
var goals = [len(goal.Specs)]func(r *replay, events []int32) error{
	goal.Race:      (*replay).racing,
	goal.Deadlock:  (*replay).deadlocked,
	goal.Atomicity: (*replay).splits,
}

// reaches is (C10): it checks what all kinds have in common, and then the rule of the goal's kind.
func (r *replay) reaches(g goal.Goal, schedule []int32) error {
	at := -1
	for _, i := range g.Executed() {
		n := slices.Index(schedule, i)
		if n <= at {
			return fmt.Errorf("check: event %d (%v) is not executed, or not in its turn", i, r.evs[i])
		}
		at = n
	}
	for _, i := range g.Next() {
		e, g := &r.evs[i], r.g[i]
		if r.pos[g] != r.place[i] {
			return fmt.Errorf("check: event %d (%v) is not its goroutine's next", i, *e)
		}
		if f := r.fork[g]; f >= 0 && !r.done(f) {
			return fmt.Errorf("check: g%d is not forked", e.G)
		}
		if err := r.begun(i); err != nil {
			return fmt.Errorf("check: event %d (%v): %w", i, *e, err)
		}
	}
	return goals[g.Kind](r, g.Events)
}

// racing is the rule of goal.Race: two accesses conflict, in memory of one life.
func (r *replay) racing(events []int32) error {
	for _, i := range events {
		if h, part := r.header[i]; part && !r.placed(h) {
			return fmt.Errorf("check: event %d is part of an append that is not in place", i)
		}
	}
	lo, hi := min(events[0], events[1]), max(events[0], events[1])
	a, b := &r.evs[lo], &r.evs[hi]
	if !trace.Conflict(a, b) {
		return fmt.Errorf("check: events %d and %d do not conflict", lo, hi)
	}
	if !r.newLife(max(a.Addr, b.Addr), min(a.Addr+trace.Addr(a.Size), b.Addr+trace.Addr(b.Size)), lo, hi) {
		return nil
	}
	return fmt.Errorf("check: the memory of event %d was allocated anew before event %d", lo, hi)
}
