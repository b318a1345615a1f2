package gen

import "github.com/racepred/racepred/internal/trace"

// Round is a part of a run of eight workers that take turns in sections of five locks, for
// benchmarks that go over the same events again and again: it ends with all sections closed.
func Round() (evs []trace.Event) {
	for i := range 64 {
		g := trace.G(2 + i%8)
		l := trace.Addr(0x100 + 8*(i%5))
		evs = append(evs, trace.Event{Kind: trace.Acquire, G: g, Addr: l, Site: 1})
		for k := range 6 {
			e := trace.Event{Kind: trace.Read, G: g, Size: 8, Site: 2, Addr: 0x1_0000*l + 8*trace.Addr(k*i%50)}
			if k%3 == 0 {
				e.Kind, e.Site = trace.Write, 3
			}
			evs = append(evs, e)
		}
		evs = append(evs, trace.Event{Kind: trace.Release, G: g, Addr: l, Site: 4})
		evs = append(evs, trace.Event{Kind: trace.Write, G: g, Size: 4, Site: 5, Addr: 0x4000_0000 + trace.Addr(g)<<12})
	}
	return evs
}
