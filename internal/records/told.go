package records

import "github.com/racepred/racepred/internal/trace"

// finalizers is the synchronization object of the finalizer goroutine, which runs after all that
// all goroutines did before. It has no memory, nor have those of trace.Goroutines.
const finalizers trace.Addr = 1

// Package runtime calls those the same.
var _, _ = [1]struct{}{}[trace.Goroutines-rpGoroutines], [1]struct{}{}[trace.Everything-rpEverything]

// Bits of a goroutine: it did something since
const (
	sinceFinalizers = 1 << iota // the finalizer goroutine last synchronized with all
	sinceTold                   // some goroutine was last told of everything
)

// acted are the live goroutines that did something since some event: those in list that have the
// bit.
type acted struct {
	bit  uint8
	list []uint32
}

// add adds a goroutine. Now and then it removes from the list those without the bit.
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

// touch remembers that the goroutine of an event did something.
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
			c.commute(trace.G(id), trace.Everything)
		}
	}
}

// commute emits a Change that commutes with others of its kind.
func (c *Converter) commute(g trace.G, object trace.Addr) {
	c.pinned = trace.Event{G: g, Addr: object, Flags: trace.FlagUnseen}
	c.emit(trace.Change, &c.pinned)
}

// toldOfAll emits a look at everything. The ends of goroutines are changes of goroutines.
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
			c.commute(trace.G(id), trace.Everything)
		}
	}
	l.list = kept
	for _, object := range [...]trace.Addr{trace.Goroutines, trace.Everything} {
		ev.Addr = object
		c.emit(trace.Observe, ev)
	}
}

// acquireAll synchronizes the finalizer goroutine with all.
func (c *Converter) acquireAll(ev *trace.Event) {
	l := &c.forFinalizers
	for _, id := range l.list {
		if c.touched[id]&l.bit == 0 {
			continue // it ended, and its End merged it
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
