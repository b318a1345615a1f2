//go:build racepred_seam

package process

import "github.com/racepred/racepred/internal/trace"

// Objects that are nowhere in memory.
const (
	// finalizers is the synchronization object of the finalizer goroutine, which runs after everything that any goroutine did before.
	finalizers trace.Addr = 1
	// goroutines is how many there are. Each start and each end changes it, and which of them came first cannot be told from a number.
	goroutines trace.Addr = rpGoroutines
	// everything is what stacks, profiles and statistics show. Whoever did something changes it before and after each look of somebody else, and
	// commutes with the others. So a schedule with the look in it has it after the same steps as in the run; one that does without it, say between two goroutines
	// that a third one watches, is free.
	everything trace.Addr = rpEverything
)

// What a goroutine did something since.
const (
	sinceFinalizers = 1 << iota // the finalizer goroutine last synchronized with all
	sinceTold                   // somebody was last told of everything
)

// acted are the goroutines that did something since some event, of those that did not end. It is the goroutines in list that have the bit.
type acted struct {
	bit  uint8
	list []uint32
}

// add adds a goroutine, and now and then drops what is in the list no more.
func (l *acted) add(a *analysis, id uint32) {
	if len(l.list) == cap(l.list) {
		kept := l.list[:0]
		for _, id := range l.list {
			if a.touched[id]&l.bit != 0 {
				kept = append(kept, id)
			}
		}
		l.list = kept
	}
	l.list = append(l.list, id)
	a.touched[id] |= l.bit
}

// touch remembers who does something.
func (a *analysis) touch(id uint32) {
	for uint32(len(a.touched)) <= id {
		a.touched = append(a.touched, make([]uint8, len(a.touched)+64)...)
	}
	if a.touched[id] != sinceFinalizers|sinceTold {
		a.acts(id)
	}
}

func (a *analysis) acts(id uint32) {
	if a.touched[id]&sinceFinalizers == 0 {
		a.forFinalizers.add(a, id)
	}
	if a.touched[id]&sinceTold == 0 {
		a.forTold.add(a, id)
		if a.told {
			a.commute(trace.G(id), everything)
		}
	}
}

// commute emits a Change that commutes with its like.
func (a *analysis) commute(g trace.G, object trace.Addr) {
	a.pinned = trace.Event{G: g, Addr: object, Flags: trace.FlagUnseen}
	a.emit(trace.Change, &a.pinned)
}

// toldOfAll emits a look at everything. Those that ended said so by goroutines.
func (a *analysis) toldOfAll(ev *trace.Event) {
	a.told = true
	l := &a.forTold
	kept := l.list[:0]
	for _, id := range l.list {
		switch {
		case a.touched[id]&l.bit == 0:
		case trace.G(id) == ev.G:
			kept = append(kept, id)
		default:
			a.touched[id] &^= l.bit
			a.commute(trace.G(id), everything)
		}
	}
	l.list = kept
	for _, object := range [...]trace.Addr{goroutines, everything} {
		ev.Addr = object
		a.emit(trace.Observe, ev)
	}
}

// acquireAll synchronizes the finalizer goroutine with all.
func (a *analysis) acquireAll(ev *trace.Event) {
	l := &a.forFinalizers
	for _, id := range l.list {
		if a.touched[id]&l.bit == 0 {
			continue // ended, and merged then
		}
		a.touched[id] &^= l.bit
		if trace.G(id) != ev.G {
			a.pinned = trace.Event{G: trace.G(id), Addr: finalizers}
			a.emit(trace.HardMerge, &a.pinned)
		}
	}
	l.list = l.list[:0]
	ev.Addr = finalizers
	a.emit(trace.HardAcquire, ev)
}
