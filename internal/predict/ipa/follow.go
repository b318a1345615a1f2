package ipa

import (
	"github.com/racepred/racepred/internal/predict/mustorder"
	"github.com/racepred/racepred/internal/trace"
)

// Follow has histories of a trace and the order that their time stamps are of. The acquires and
// releases of the order's goroutines go into the histories. Sections flagged hard do not: the order
// keeps them in their places.
type Follow struct {
	*Histories
	order *mustorder.Order
	seq   trace.Seq // of the present event
}

// NewFollow returns histories that follow the order from its first event on.
func NewFollow(limits Limits, order *mustorder.Order) *Follow {
	f := &Follow{Histories: newHistories(limits, order.Pool(), order.Slots()), order: order}
	order.Opened = func(g *mustorder.Goroutine, s *mustorder.Section) {
		if !s.Hard() {
			f.Acquire(f.history(g), f.seq, Lock(s.Lock()), s.Shared(), f.stamp(g))
		}
	}
	order.Closed = func(g *mustorder.Goroutine, s *mustorder.Section) {
		if !s.Hard() {
			f.Release(f.history(g), s.G(), f.seq, Lock(s.Lock()), s.Shared(), f.stamp(g))
		}
	}
	return f
}

// Event takes in the event at seq, which g does and which is no access, for the order and the
// histories.
func (f *Follow) Event(g *mustorder.Goroutine, seq trace.Seq, ev *trace.Event) {
	f.seq = seq
	before := g.Now()
	l := f.history(g)
	if ev.Kind.Spec().Closes && l.unknown > 0 && !f.order.Ends(g, ev) { // it began before all that the order has taken in
		l.unknown--
		f.Leave(l, seq, f.stamp(g))
		return
	}
	var joined *History // that has not said that it ends
	if ev.Kind == trace.Join {
		if joined = f.of.Get(trace.G(ev.Other)); joined != nil && !joined.ended {
			f.order.Of(joined.g) // it may have had accesses in its last epoch
		} else {
			joined = nil
		}
	}
	f.order.Event(g, ev)
	if joined != nil {
		f.End(joined)
	}
	if now := g.Now(); now != before {
		f.Tick(l, seq, now, g.Known(), unblocking(ev))
	}
	if ev.Kind == trace.End {
		f.End(l)
	}
}

// Begins notes a goroutine that is about to do its first event.
func (f *Follow) Begins(g *mustorder.Goroutine) { f.history(g) }

// Midway is Begins for a trace whose beginning the order does not have: if the goroutine is new, it
// is in depth sections of which nothing else is known.
func (f *Follow) Midway(g trace.G, depth int) {
	if f.of.Get(g) == nil {
		l := f.history(f.order.Of(g))
		l.midway, l.unknown = int32(depth), int32(depth)
	}
}

// unblocking reports whether another goroutine may wait for the event.
func unblocking(ev *trace.Event) bool {
	return ev.Kind == trace.Fork || ev.Kind == trace.End || ev.Kind.Spec().Gives
}

func (f *Follow) history(g *mustorder.Goroutine) *History {
	l := f.Of(g.G(), g.Slot(), f.stamp(g))
	if g.Shared() {
		l.lost = true
	}
	return l
}

func (f *Follow) stamp(g *mustorder.Goroutine) Stamp { return Stamp{g.Known(), g.Now()} }
