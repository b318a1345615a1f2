package engine

import "github.com/racepred/racepred/internal/trace"

// (F4) A goroutine that was running when the events of a schedule begin may execute accesses that are not among them, because
// an earlier access of its stands for them until it synchronizes. If its first synchronization, and all that came after that
// in the run, keep their order in the schedule, then these accesses have nothing to do with it: of those that others made
// before it, one in conflict would race with the earlier access, and such races are observed (clean); those after it find
// what they found in the run.

// unknownBefore is the note of a pair whose schedules do not keep to (F4).
const unknownBefore = "unknown before"

// keepsFirsts is (F4) for a schedule of the events of [lo, hi), by their places behind lo.
func (e *Engine) keepsFirsts(lo, hi trace.Seq, schedule []int32) bool {
	if lo == 0 {
		return true
	}
	known := map[trace.G]bool{} // forked in [lo, hi), or with a first synchronization there
	first := map[int32]bool{}
	var firsts []int32
	for seq := lo; seq < hi; seq++ {
		ev, _ := e.window.at(seq)
		if ev.Kind.Spec().EndsSpan && !known[ev.G] {
			known[ev.G] = true
			first[int32(seq-lo)] = true
			firsts = append(firsts, int32(seq-lo))
		}
		if ev.Kind == trace.Fork {
			known[trace.G(ev.Other)] = true
		}
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
