package engine

import "github.com/racepred/racepred/internal/trace"

// (F4) A goroutine that was running when the events of a schedule begin may execute accesses that are not among them, because
// an earlier access of its stands for them until it synchronizes. If its first synchronization, and all that came after that
// in the run, keep their order in the schedule, then these accesses have nothing to do with it: of those that others made
// before it, one in conflict would race with the earlier access, and such races are observed (clean); those after it find
// what they found in the run.

// unknownBefore is the note of a pair whose schedules do not keep to (F4).
const unknownBefore = "unknown before"

// firsts are the events that (F4) is about, of the events of [lo, hi), by their places behind lo and in their order.
func (e *Engine) firsts(lo, hi trace.Seq) (list []int32) {
	if lo == 0 {
		return nil
	}
	known := map[trace.G]bool{} // forked in [lo, hi), or with a first synchronization there
	for seq := lo; seq < hi; seq++ {
		ev, _ := e.window.at(seq)
		if ev.Kind.Spec().EndsSpan && !known[ev.G] {
			known[ev.G] = true
			list = append(list, int32(seq-lo))
		}
		if ev.Kind == trace.Fork {
			known[trace.G(ev.Other)] = true
		}
	}
	return list
}

// keepsFirsts is (F4) for a schedule.
func keepsFirsts(firsts, schedule []int32) bool {
	if len(firsts) == 0 {
		return true
	}
	first := map[int32]bool{}
	for _, i := range firsts {
		first[i] = true
	}
	done := map[int32]bool{}
	for _, i := range schedule {
		for len(firsts) > 0 && done[firsts[0]] {
			firsts = firsts[1:]
		}
		if len(firsts) > 0 && i > firsts[0] {
			return false
		}
		if first[i] {
			done[i] = true
		}
	}
	return true
}
