package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// keepEnded is how many ended goroutines findings can still tell about.
const keepEnded = 1 << 16

// maxLookBack bounds the search for the locks held at an access.
const maxLookBack = 1 << 20

// goroutines knows of each goroutine what a finding says about it.
type goroutines struct {
	predict.ByG[goroutine]
	ended []trace.G // oldest first
}

type goroutine struct {
	fork  trace.Event
	held  []trace.Event // acquires of open sections, outermost first
	first trace.Seq     // its first event that entered or left a section; only with some
	last  trace.Seq     // the last one
	some  bool          // there is one
	tests []testFrom
}

// testFrom says which test runs from an event on.
type testFrom struct {
	seq  trace.Seq
	test uint32
}

func (gs *goroutines) of(id trace.G) *goroutine {
	g := gs.Get(id)
	if g == nil {
		g = &goroutine{}
		gs.Put(id, g)
	}
	return g
}

// test is what runs on the goroutine at seq.
func (g *goroutine) test(seq trace.Seq) uint32 {
	for _, t := range slices.Backward(g.tests) {
		if t.seq <= seq {
			return t.test
		}
	}
	return 0
}

// event takes in the event at seq. When it enters or leaves a section, it returns how many its goroutine is in then.
func (gs *goroutines) event(seq trace.Seq, ev *trace.Event) (depth int) {
	switch ev.Kind {
	case trace.Acquire, trace.RAcquire:
		g := gs.of(ev.G)
		g.held = append(g.held, *ev)
		return g.section(seq)
	case trace.Release, trace.RRelease:
		g := gs.of(ev.G)
		g.release(ev)
		return g.section(seq)
	case trace.Fork:
		child := gs.of(trace.G(ev.Other))
		child.fork = *ev
		if t := gs.of(ev.G).test(seq); t != 0 {
			child.tests = append(child.tests, testFrom{seq, t})
		}
	case trace.TestBegin:
		g := gs.of(ev.G)
		g.tests = append(g.tests, testFrom{seq, ev.Other})
	case trace.TestEnd:
		g := gs.of(ev.G)
		g.tests = append(g.tests, testFrom{seq, g.outside(ev.Other)})
	case trace.End:
		gs.ended = append(gs.ended, ev.G)
		if len(gs.ended) >= 2*keepEnded {
			for _, id := range gs.ended[:keepEnded] {
				gs.Delete(id)
			}
			gs.ended = gs.ended[:copy(gs.ended, gs.ended[keepEnded:])]
		}
	}
	return 0
}

// section notes that the goroutine entered or left a section.
func (g *goroutine) section(seq trace.Seq) (depth int) {
	if !g.some {
		g.some, g.first = true, seq
	}
	g.last = seq
	return len(g.held)
}

// outside is the test that ran before test began on the goroutine.
func (g *goroutine) outside(test uint32) uint32 {
	for i, t := range slices.Backward(g.tests) {
		if t.test == test && i > 0 {
			return g.tests[i-1].test
		}
	}
	return 0
}

// release ends the newest own section of that lock and mode. A section of another goroutine's stays in
// that one's list, which the report may then call held: the window does not know better.
func (g *goroutine) release(ev *trace.Event) {
	for i := len(g.held) - 1; i >= 0; i-- {
		if h := &g.held[i]; h.Addr == ev.Addr && (h.Kind == trace.RAcquire) == (ev.Kind == trace.RRelease) {
			g.held = append(g.held[:i], g.held[i+1:]...)
			return
		}
	}
}

// access adds to an access what is known about its goroutine.
func (e *Engine) access(a predict.Access) Access {
	out := Access{Seq: a.Seq, Ev: a.Ev, Locks: e.locksAt(a.Seq, a.Ev.G)}
	if g := e.gs.Get(a.Ev.G); g != nil {
		out.Fork = g.fork
		out.Test = g.test(a.Seq)
	}
	return out
}

// locksAt goes back in the window to the acquires of the sections that goroutine g is in at seq.
func (e *Engine) locksAt(seq trace.Seq, g trace.G) []trace.Event {
	if known := e.gs.Get(g); known != nil {
		if !known.some || seq < known.first {
			return nil
		}
		seq = min(seq, known.last) // it did the same in between
	}
	if seq < e.window.first {
		return nil
	}
	depth := -1 // not known yet
	var locks []trace.Event
	ended := map[trace.Event]int{} // releases on the way, by lock and mode
	mode := func(ev *trace.Event) trace.Event {
		return trace.Event{Addr: ev.Addr, Size: map[bool]uint32{true: 1}[ev.Kind.Spec().Shared]}
	}
	for n := 0; depth != 0 && n < maxLookBack; n++ {
		ev, d := e.window.at(seq)
		if spec := ev.Kind.Spec(); ev.G == g && (spec.Opens || spec.Closes) {
			if depth < 0 {
				if depth = d; depth == 0 {
					break
				}
			}
			k := mode(&ev)
			switch {
			case spec.Closes:
				ended[k]++
			case ended[k] > 0:
				ended[k]--
			default:
				locks = append(locks, ev)
				depth--
			}
		}
		if seq == e.window.first {
			break
		}
		seq--
	}
	slices.Reverse(locks)
	return locks
}
