package witness

import (
	"errors"
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// A trace that begins in the middle of a run (Options.Midway) may lack accesses of goroutines that
// were running then. The recorder drops an access that repeats an earlier one of the same span, and
// the earlier one may lie before the trace. So
//
//	(P10) the first synchronization of a goroutine that was not forked in the trace comes before all
//	      events that came after it in the run; a Join of the goroutine counts if it has no other
//
// Then a missing access does not matter. A conflicting access of another goroutine before that
// synchronization races with the earlier one, and Options.Uncertain knows of such races. A
// conflicting access after it finds what it found in the run.

// findFirsts lists the first synchronizations of (P10), in the trace's order.
func findFirsts(evs []trace.Event) (list []int32) {
	known := map[trace.G]bool{} // forked in the trace, or with a first synchronization there
	for i := range evs {
		ev := &evs[i]
		if g := trace.G(ev.Other); ev.Kind == trace.Join && !known[g] { // the goroutine has no synchronization of its own in the trace
			known[g] = true
			list = append(list, int32(i))
		}
		if ev.Kind.Spec().EndsSpan && !known[ev.G] {
			known[ev.G] = true
			if n := len(list); i > 0 && (n == 0 || list[n-1] != int32(i)) { // nothing comes before the trace's first event anyway
				list = append(list, int32(i))
			}
		}
		if ev.Kind == trace.Fork {
			known[trace.G(ev.Other)] = true
		}
	}
	return list
}

// firstBefore is the newest first synchronization before event i, -1 none. The older ones come
// before that one.
func (f *Finder) firstBefore(i int32) int32 {
	n, _ := slices.BinarySearch(f.firsts, i)
	if n == 0 {
		return -1
	}
	return f.firsts[n-1]
}

var errFirsts = errors.New("it does not keep to what was before it")

// keepsFirsts reports whether a schedule keeps to (P10), which package check does not know.
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
