package oracle

import (
	"math/rand/v2"

	"github.com/racepred/racepred/internal/trace"
)

// Sections is a trace of about n events, in which goroutines hand values on from section to
// section. Most sections are of one lock. Some are inside of others and end late, or never. Now and
// then a goroutine accesses a variable that no lock protects. In these traces it is hard to prove
// that there is no schedule: the values that are read decide which sections have to end. Random's
// traces have a bit of everything instead.
func Sections(rng *rand.Rand, n int) []trace.Event {
	s := sections{rng: rng, inside: map[trace.G][]int{}}
	gs := 3 + rng.IntN(3)
	for tries := 0; len(s.evs) < n && tries < 8*n; tries++ {
		s.turn(1 + trace.G(rng.IntN(gs)))
	}
	if s.rng.IntN(2) == 0 {
		s.turned(1+trace.G(rng.IntN(gs)), 1+trace.G(rng.IntN(gs)))
	}
	for g := trace.G(1); int(g) <= gs; g++ {
		for len(s.inside[g]) > 0 && rng.IntN(4) > 0 {
			s.leave(g)
		}
	}
	return s.evs
}

type sections struct {
	rng    *rand.Rand
	evs    []trace.Event
	holder [3]trace.G // by lock
	inside map[trace.G][]int
	writer [3]trace.G // by value
	wrote  int        // the latest value
}

func (s *sections) put(k trace.Kind, g trace.G, a trace.Addr) {
	e := trace.Event{Kind: k, G: g, Addr: a, Site: trace.Site(len(s.evs) + 1)}
	if k.Spec().Access {
		e.Size = 8
	}
	s.evs = append(s.evs, e)
}

// turn lets goroutine g enter a section, do something in it, and mostly leave it.
func (s *sections) turn(g trace.G) {
	s.access(g, 6)
	lock := max(0, s.rng.IntN(6)-3)
	depth := len(s.inside[g])
	if s.holder[lock] == 0 && depth < 2 {
		s.enter(g, lock)
		for range s.rng.IntN(3) {
			s.access(g, 1)
		}
	}
	for len(s.inside[g]) > 0 && s.rng.IntN(5) > 0 {
		s.leave(g)
		s.access(g, 6)
	}
}

// turned adds a race that shows only if a section of goroutine h comes before one of goroutine g;
// some sections of others hand a value on to g before that.
func (s *sections) turned(g, h trace.G) {
	if s.holder[0] != 0 || g == h {
		return
	}
	for range s.rng.IntN(4) {
		other := 1 + trace.G(s.rng.IntN(5))
		s.enter(other, 0)
		from, to := s.wrote, (s.wrote+1)%len(s.writer)
		first := s.rng.IntN(2)
		for k := range 2 {
			if k == first {
				s.put(trace.Read, other, trace.Addr(0x1040+0x40*from))
			} else {
				s.put(trace.Write, other, trace.Addr(0x1040+0x40*to))
			}
		}
		s.wrote, s.writer[to] = to, other
		s.leave(other)
	}
	s.put(trace.Read, g, trace.Addr(0x1040+0x40*s.wrote))
	s.enter(g, 0)
	s.put(trace.Write, g, 0x1000)
	s.leave(g)
	s.enter(h, 0)
	s.leave(h)
	s.put(trace.Write, h, 0x1000)
}

// access does an access now and then, one time in times: of a value, which is read if another
// goroutine wrote it last, or of an unprotected variable.
func (s *sections) access(g trace.G, times int) {
	if s.rng.IntN(times) > 0 {
		return
	}
	value := s.wrote
	if s.rng.IntN(3) == 0 {
		value = s.rng.IntN(len(s.writer))
	}
	switch k := s.rng.IntN(6); {
	case k == 0:
		s.put([]trace.Kind{trace.Write, trace.Write, trace.Read}[s.rng.IntN(3)], g, 0x1000)
	case k < 4 && s.writer[value] != 0 && s.writer[value] != g:
		s.put(trace.Read, g, trace.Addr(0x1040+0x40*value))
	default:
		value = (s.wrote + 1 + s.rng.IntN(2)) % len(s.writer)
		s.writer[value], s.wrote = g, value
		s.put(trace.Write, g, trace.Addr(0x1040+0x40*value))
	}
}

func (s *sections) enter(g trace.G, lock int) {
	s.holder[lock], s.inside[g] = g, append(s.inside[g], lock)
	s.put(trace.Acquire, g, trace.Addr(0x10+8*lock))
}

func (s *sections) leave(g trace.G) {
	mine := s.inside[g]
	lock := mine[len(mine)-1]
	s.inside[g], s.holder[lock] = mine[:len(mine)-1], 0
	s.put(trace.Release, g, trace.Addr(0x10+8*lock))
}
