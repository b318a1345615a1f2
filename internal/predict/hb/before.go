package hb

import "github.com/racepred/racepred/internal/trace"

// Before reports whether the first of n > 0 events happens before the last; event returns the i-th.
// It goes over the events once, without clocks, and keeps which goroutines and objects are after
// the first one, until the last one's goroutine is.
func Before(n int, event func(i int) *trace.Event) bool {
	f := follower{
		gs: map[trace.G]bool{event(0).G: true}, objects: map[trace.Addr]bool{},
		w: map[trace.Addr]bool{}, r: map[trace.Addr]bool{},
	}
	last := event(n - 1).G
	for i := 1; i < n-1 && !f.gs[last]; i++ {
		f.event(event(i))
	}
	return f.gs[last]
}

// follower has what is after one event: goroutines, objects, and the releases of locks in write and
// read mode.
type follower struct {
	gs      map[trace.G]bool
	objects map[trace.Addr]bool
	w, r    map[trace.Addr]bool
}

// forget drops the locks and objects in memory that is allocated anew.
func (f *follower) forget(m map[trace.Addr]bool, ev *trace.Event) {
	if int(ev.Size) < len(m) {
		for a := ev.Addr; a < ev.Addr+trace.Addr(ev.Size); a++ {
			delete(m, a)
		}
		return
	}
	for a := range m {
		if ev.Covers(a) {
			delete(m, a)
		}
	}
}
