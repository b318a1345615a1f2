package engine

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/trace"
)

// lookedNote is the note of an observed race of which a goroutine may have seen that the first
// access was over, as a check for leaked goroutines between two tests does.
const lookedNote = "between the two, and before the second one, a goroutine asked the runtime for the number of goroutines, for stacks, a profile or statistics: it may have waited until the first one was over, but that orders nothing in the memory model of Go"

// seenNote is the note of an observed race whose second access comes after the first by what
// goroutines saw of each other.
const seenNote = "in this run the second one came after the first, since goroutines saw what others had done, as by the length of a channel, a TryLock that fails, or the time in a bubble of testing/synctest; but that orders nothing in the memory model of Go"

// whyApart is the note of an observed race of which something else than happens-before may have kept
// the accesses apart; "" if nothing is known.
func (e *Engine) whyApart(first, second predict.Event) string {
	switch {
	case e.looked(first, second):
		return lookedNote
	case first.Seq < e.window.first || second.Seq-first.Seq > seenWithin:
		return ""
	case hb.Seen(int(second.Seq-first.Seq)+1, e.window.from(first.Seq)):
		return seenNote
	}
	return ""
}

// seenWithin is how many events apart two accesses may be for seenNote. A run may have hundreds of
// races whose accesses are far apart.
const seenWithin = 1 << 16

// looked reports whether a goroutine asked the runtime about the others after the first of two
// accesses, and before the second in the order of the run. The first one may lie before the window:
// checks between tests come again and again, and one of the last will do.
func (e *Engine) looked(first, second predict.Event) bool {
	asked := map[trace.G]bool{} // a goroutine's later looks come after its first
	for at := max(first.Seq+1, e.window.first); at < second.Seq; at++ {
		ev, _ := e.window.at(at)
		if ev.Kind != trace.Observe || ev.Addr != trace.Goroutines && ev.Addr != trace.Everything || ev.G == first.Ev.G || asked[ev.G] {
			continue
		}
		asked[ev.G] = true
		if e.ordered(at, second.Seq) {
			return true
		}
	}
	return false
}
