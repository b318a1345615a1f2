package atomicity

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// keepOf is of how many calls a goroutine is known to be: what it does does not come between what they do. (T1)
const keepOf = 8

// starts has o be of the calls that g is in, and of those that g is of.
func (g *goroutine) starts(o *goroutine) {
	of := slices.Clip(g.of)
	for i := range g.calls {
		of = append(of, g.calls[i].no)
	}
	o.of = of[max(len(of)-keepOf, 0):]
}

// wait is (T6): what a goroutine did since it gave a lock back.
type wait struct {
	lock trace.Addr // 0: something else than wait
	done bool       // it waited
}

// ends takes in a synchronization event, and reports whether the lock is taken again with it.
func (w *wait) ends(ev *trace.Event, spec *trace.Spec) bool {
	switch {
	case spec.Closes:
		*w = wait{lock: ev.Addr}
	case spec.Takes && !spec.Gives:
		w.done = true
	default:
		ended := spec.Opens && w.done && w.lock == ev.Addr
		*w = wait{}
		return ended
	}
	return false
}
