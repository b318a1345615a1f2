package witness

import (
	"errors"
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// A trace that begins in the middle of a run (Options.Midway) lacks accesses of goroutines that were running then, because an earlier
// access of theirs takes their place until they synchronize:
//
//	(P10) after a goroutine's first synchronization, which may be that somebody joins it, when the goroutine was not forked in the trace, all that came after it in the run comes
//	      after it in the schedule, too.
//
// Then what is missing has nothing to do with the schedule: of the accesses that others made before that synchronization, one in conflict would
// race with the earlier access, and Options.Uncertain has such races; those after it find what they found in the run.

// findFirsts lists the events that (P10) is about in the trace's order.
func findFirsts(evs []trace.Event) (list []int32) {
	known := map[trace.G]bool{} // forked in the trace, or with a first synchronization there
	for i := range evs {
		ev := &evs[i]
		if g := trace.G(ev.Other); ev.Kind == trace.Join && !known[g] { // it has nothing else in the trace
			known[g] = true
			list = append(list, int32(i))
		}
		if ev.Kind.Spec().EndsSpan && !known[ev.G] {
			known[ev.G] = true
			if n := len(list); i > 0 && (n == 0 || list[n-1] != int32(i)) { // what is missing before the trace's first event came before it
				list = append(list, int32(i))
			}
		}
		if ev.Kind == trace.Fork {
			known[trace.G(ev.Other)] = true
		}
	}
	return list
}

// firstBefore is the newest of them before event i, which comes after the older ones; -1 none.
func (f *Finder) firstBefore(i int32) int32 {
	n, _ := slices.BinarySearch(f.firsts, i)
	if n == 0 {
		return -1
	}
	return f.firsts[n-1]
}

var errFirsts = errors.New("it does not keep to what was before it")

// keepsFirsts is (P10) for a whole schedule.
func (f *Finder) keepsFirsts(schedule []int32) bool {
	if len(f.firsts) == 0 {
		return true
	}
	done := map[int32]bool{}
	for _, i := range schedule {
		if k := f.firstBefore(i); k >= 0 && !done[k] { // the older ones come before k
			return false
		}
		if _, first := slices.BinarySearch(f.firsts, i); first {
			done[i] = true
		}
	}
	return true
}
