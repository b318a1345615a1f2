package atomicity

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// keepOf is how many calls are kept that a goroutine was started in: its accesses do not violate
// their atomicity. (T1)
const keepOf = 8

// starts notes that g starts o: o belongs to the calls that g is in, and to those that g belongs
// to.
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

// ofProgram is the first address that an object of the program can have. The recorder has objects
// below that: a goroutine that acquires what all others did, such as that of finalizers, has them
// merge their clocks there, also while they wait.
const ofProgram = 1 << 12

// ends takes in a synchronization event, and reports whether the lock is taken again with it.
func (w *wait) ends(ev *trace.Event, spec *trace.Spec) bool {
	switch {
	case spec.Closes:
		*w = wait{lock: ev.Addr}
	case ev.Kind == trace.HardMerge && ev.Addr < ofProgram:
	case spec.Takes && !spec.Gives:
		w.done = true
	default:
		ended := spec.Opens && w.done && w.lock == ev.Addr
		*w = wait{}
		return ended
	}
	return false
}
