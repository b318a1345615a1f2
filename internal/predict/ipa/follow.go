package ipa

import (
	"github.com/racepred/racepred/internal/predict/mustorder"
	"github.com/racepred/racepred/internal/trace"
)

// Follow has histories follow an order that takes in a trace: what the order's goroutines acquire and release goes into theirs. Sections flagged hard, which the
// order of time stamps keeps in their places, are left out.
type Follow struct {
	*Histories
	order *mustorder.Order
	seq   trace.Seq // of the present event
}

// NewFollow returns histories that follow the order from its first event on.
func NewFollow(limits Limits, order *mustorder.Order) *Follow {
	f := &Follow{Histories: New(limits, order.Pool(), order.Slots()), order: order}
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

// Event has the order take in the event at seq, which g does and which is no access.
func (f *Follow) Event(g *mustorder.Goroutine, seq trace.Seq, ev *trace.Event) {
	f.seq = seq
	before := g.Now()
	l := f.history(g)
	f.order.Event(g, ev)
	if now := g.Now(); now != before {
		f.Tick(l, seq, now, g.Known(), unblocking(ev))
	}
	if ev.Kind == trace.End {
		f.End(l)
	}
}

// Begins notes that there is a goroutine, which is about to do something.
func (f *Follow) Begins(g *mustorder.Goroutine) { f.history(g) }

// unblocking reports whether another goroutine may wait for the event.
func unblocking(ev *trace.Event) bool {
	return ev.Kind == trace.Fork || ev.Kind == trace.End || ev.Kind.Spec().Gives
}

func (f *Follow) history(g *mustorder.Goroutine) *History {
	l := f.Of(g.G(), g.Slot(), f.stamp(g))
	if g.Crowd() {
		l.lost = true
	}
	return l
}

func (f *Follow) stamp(g *mustorder.Goroutine) Stamp { return Stamp{g.Known(), g.Now()} }
