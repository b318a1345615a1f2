package records

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
func (l *acted) add(c *Converter, id uint32) {
	if len(l.list) == cap(l.list) {
		kept := l.list[:0]
		for _, id := range l.list {
			if c.touched[id]&l.bit != 0 {
				kept = append(kept, id)
			}
		}
		l.list = kept
	}
	l.list = append(l.list, id)
	c.touched[id] |= l.bit
}

// touch remembers who does something.
func (c *Converter) touch(id uint32) {
	for uint32(len(c.touched)) <= id {
		c.touched = append(c.touched, make([]uint8, len(c.touched)+64)...)
	}
	if c.touched[id] != sinceFinalizers|sinceTold {
		c.acts(id)
	}
}

func (c *Converter) acts(id uint32) {
	if c.touched[id]&sinceFinalizers == 0 {
		c.forFinalizers.add(c, id)
	}
	if c.touched[id]&sinceTold == 0 {
		c.forTold.add(c, id)
		if c.told {
			c.commute(trace.G(id), everything)
		}
	}
}

// commute emits a Change that commutes with its like.
func (c *Converter) commute(g trace.G, object trace.Addr) {
	c.pinned = trace.Event{G: g, Addr: object, Flags: trace.FlagUnseen}
	c.emit(trace.Change, &c.pinned)
}

// toldOfAll emits a look at everything. Those that ended said so by goroutines.
func (c *Converter) toldOfAll(ev *trace.Event) {
	c.told = true
	l := &c.forTold
	kept := l.list[:0]
	for _, id := range l.list {
		switch {
		case c.touched[id]&l.bit == 0:
		case trace.G(id) == ev.G:
			kept = append(kept, id)
		default:
			c.touched[id] &^= l.bit
			c.commute(trace.G(id), everything)
		}
	}
	l.list = kept
	for _, object := range [...]trace.Addr{goroutines, everything} {
		ev.Addr = object
		c.emit(trace.Observe, ev)
	}
}

// acquireAll synchronizes the finalizer goroutine with all.
func (c *Converter) acquireAll(ev *trace.Event) {
	l := &c.forFinalizers
	for _, id := range l.list {
		if c.touched[id]&l.bit == 0 {
			continue // ended, and merged then
		}
		c.touched[id] &^= l.bit
		if trace.G(id) != ev.G {
			c.pinned = trace.Event{G: trace.G(id), Addr: finalizers}
			c.emit(trace.HardMerge, &c.pinned)
		}
	}
	l.list = l.list[:0]
	ev.Addr = finalizers
	c.emit(trace.HardAcquire, ev)
}
