package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/trace"
)

// A schedule need not begin where the run began. It may execute the run's own events up to some place just as the
// run did and reorder the rest (UCG, Kahlon and Wang, CAV 2010, chops at the last causality barrier for
// the same reason): it gets short, and what raced before does not matter, provided that no race has one access
// before the place and one after it. A test's beginning is such a place when
//
//	(K1) every access before it happens before the test's goroutine at that point;
//	(K2) every race observed with an access after it is between goroutines that descend from the test's.
//
// By K1 nothing that these do races with anything before; by K2 nobody else raced.
type cut struct {
	at trace.Seq // the TestBegin
	g  trace.G
}

// maxCuts is how many beginnings of tests are remembered.
const maxCuts = 256

// mark remembers the beginning of a test on goroutine g if (K1) holds.
func (e *Engine) mark(at trace.Seq, g trace.G) {
	if !e.hb.Settled(g) {
		return
	}
	if len(e.cuts) == maxCuts {
		e.cuts = slices.Delete(e.cuts, 0, maxCuts/2)
	}
	e.cuts = append(e.cuts, cut{at, g})
}

// start is where the events begin that a witness may reorder, for a first access at seq: at the last cut
// before it, or Config.Reach events before it.
func (e *Engine) start(seq trace.Seq) (from trace.Seq, atCut bool) {
	far := max(e.window.first, e.fulls.since(seq))
	if reach := trace.Seq(e.cfg.Reach); seq > far+reach {
		far = seq - reach
	}
	for _, c := range slices.Backward(e.cuts) {
		if c.at < far {
			break
		}
		if c.at <= seq && e.holds(c) {
			return c.at, true
		}
	}
	return far, false
}

// holds is (K2).
func (e *Engine) holds(c cut) bool {
	return e.hb.Meetings(func(m hb.Meeting) bool {
		return m.Last < c.at || m.First >= c.at && e.gs.descends(m.A, c.g) && e.gs.descends(m.B, c.g)
	})
}

// clean reports whether no race has one access before from and one after it, as far as is known.
func (e *Engine) clean(from trace.Seq) bool {
	return from == 0 || e.cfg.Complete || e.hb.Meetings(func(m hb.Meeting) bool { return m.Last < from || m.First >= from })
}

// racySince tells a Finder of the events from on which reads are uncertain; nil means none.
func (e *Engine) racySince(from trace.Seq) func(trace.Addr, uint32) bool {
	if e.cfg.Complete { // then the trace's order of accesses is that of the run
		return nil
	}
	return func(a trace.Addr, size uint32) bool { return e.hb.Racy(a, size, from) }
}

// descends reports whether id is root or was forked by it or its descendants, as far as is remembered.
func (gs *goroutines) descends(id, root trace.G) bool {
	for id != root {
		g := gs.get(id)
		if g == nil || g.fork.Kind != trace.Fork {
			return false
		}
		id = g.fork.G
	}
	return true
}
