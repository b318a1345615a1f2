package hb

import "github.com/racepred/racepred/internal/trace"

// Before reports whether the first of n > 0 events happens before the last; event returns the i-th. It follows all that comes
// after the first one, in time linear in the events, without clocks.
func Before(n int, event func(i int) *trace.Event) bool {
	f := follower{
		gs: map[trace.G]bool{event(0).G: true}, objects: map[trace.Addr]bool{},
		w: map[trace.Addr]bool{}, r: map[trace.Addr]bool{},
	}
	for i := 1; i < n-1; i++ {
		f.event(event(i))
	}
	return f.gs[event(n-1).G]
}

// follower knows who is after one event: goroutines, what objects hold, and the releases of locks in write and read mode.
type follower struct {
	gs      map[trace.G]bool
	objects map[trace.Addr]bool
	w, r    map[trace.Addr]bool
}

func (f *follower) event(ev *trace.Event) {
	after := f.gs[ev.G]
	learn := func(from bool) {
		if from && !after {
			f.gs[ev.G] = true
		}
	}
	give := func(m map[trace.Addr]bool) {
		if after {
			m[ev.Addr] = true
		}
	}
	switch ev.Kind {
	case trace.Acquire: // (H2)
		learn(f.w[ev.Addr] || f.r[ev.Addr])
	case trace.RAcquire:
		learn(f.w[ev.Addr])
	case trace.Release:
		give(f.w)
	case trace.RRelease:
		give(f.r)
	case trace.Fork: // (H1)
		if after {
			f.gs[trace.G(ev.Other)] = true
		}
	case trace.Join:
		learn(f.gs[trace.G(ev.Other)])
	case trace.HardAcquire: // (H3)
		learn(f.objects[ev.Addr])
	case trace.HardMerge:
		give(f.objects)
	case trace.HardRelease, trace.HardSwap:
		held := f.objects[ev.Addr]
		delete(f.objects, ev.Addr)
		give(f.objects)
		learn(held && ev.Kind == trace.HardSwap)
	case trace.Alloc:
		if len(f.objects)+len(f.w)+len(f.r) > 0 {
			for _, m := range []map[trace.Addr]bool{f.objects, f.w, f.r} {
				f.forget(m, ev)
			}
		}
	}
}

// forget drops what is known of locks or objects in memory with a new life.
func (f *follower) forget(m map[trace.Addr]bool, ev *trace.Event) {
	if int(ev.Size) < len(m) {
		for a := ev.Addr; a < ev.Addr+trace.Addr(ev.Size); a++ {
			delete(m, a)
		}
		return
	}
	for a := range m {
		if ev.Addr <= a && a < ev.Addr+trace.Addr(ev.Size) {
			delete(m, a)
		}
	}
}
