package hb

import "github.com/racepred/racepred/internal/trace"

// Before reports whether the first of n > 0 events happens before the last; event returns the i-th.
// It goes over the events once, without clocks, and keeps which goroutines and objects are after
// the first one, until the last one's goroutine is.
func Before(n int, event func(i int) *trace.Event) bool {
	f := newFollower(event(0).G)
	return f.leads(n, event)
}

// Seen is Before, but a goroutine that observes an object comes after those that have changed it,
// too. The runtime's answers about all goroutines do not count.
func Seen(n int, event func(i int) *trace.Event) bool {
	f := newFollower(event(0).G)
	f.changed = map[trace.Addr]bool{}
	return f.leads(n, event)
}

func newFollower(g trace.G) follower {
	return follower{
		gs: map[trace.G]bool{g: true}, objects: map[trace.Addr]bool{},
		w: map[trace.Addr]bool{}, r: map[trace.Addr]bool{},
	}
}

func (f *follower) leads(n int, event func(i int) *trace.Event) bool {
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
	changed map[trace.Addr]bool // objects with a Change, for Seen; nil for Before
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
