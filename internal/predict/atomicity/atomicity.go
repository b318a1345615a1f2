// Package atomicity turns a trace into candidates for violations of atomicity: two accesses of a
// unit, which is meant to be atomic, and an access of another goroutine in conflict with both. If
// it comes between them, no order of whole units has the same results (Kahlon, Wang, CAV 2010; the
// five patterns are those of Wang, Limaye, Ganai, Gupta, TACAS 2010).
//
//	(T1) a unit has the events of a goroutine in a call of a marked function: from its UnitBegin to
//	     its UnitEnd. Events of goroutines that the unit starts are not part of it, and do not
//	     violate it. A unit within a unit is a part of the outer one;
//	(T2) in other calls that are announced, where a lock is taken in several places, an access in a
//	     section and one in the next section of that lock are a unit: a read, and a write that does
//	     not come after a second read of the same bytes in its section; or two reads if both
//	     sections are in read mode. There is none if the first section writes the bytes, too, or if
//	     a loop began a turn between the two;
//	(T3) the two accesses have a byte in common and are of different spans: of one span, the other
//	     goroutine's would race with them;
//	(T4) the other goroutine's access has a byte in common with both, is in conflict with both, and
//	     is in no section of a lock that is held from the first of them to the second, unless both
//	     read. In (T2) it is a write in a section of the lock;
//	(T5) a write that comes before the second access comes before a read of the same bytes in that
//	     one's section, too. With that one it is proposed;
//	(T6) a goroutine that gives a lock back, does nothing but wait for others, and takes the lock
//	     again (sync.Cond) begins a new unit: it waits for others to come between.
//
// A triple whose access came between in the run itself is proposed as predict.InOrder. Whether a
// schedule brings the others between is not asked here. The predictor remembers accesses to words
// that some unit accessed, and nothing before the first unit begins.
package atomicity

import (
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// Name is what Candidate.By says.
const Name = "atomicity"

// Predictor finds triples.
type Predictor struct {
	sink  func(predict.Candidate)
	any   bool // a unit began
	gs    predict.ByG[goroutine]
	free  predict.FreeList[goroutine]
	held  predict.Sections[section, *section]
	units uint64 // that began
	words words
	given map[triple]uint32 // how often the positions came up
	pairs uint64            // that units made
	count uint64            // triples that were given out
	lost  uint64            // positions that there was no room for
}

// maxTriples is how many triples of positions are told apart.
const maxTriples = 1 << 14

// New returns a predictor that gives triples to sink, each as often as predict.Instance says of its
// positions.
func New(cfg predict.Config, sink func(predict.Candidate)) *Predictor {
	return &Predictor{sink: sink, words: newWords(cfg.Memory), given: map[triple]uint32{}}
}

// Event implements predict.Predictor.
func (p *Predictor) Event(seq trace.Seq, ev *trace.Event) {
	if !p.any {
		if ev.Kind != trace.UnitBegin {
			return
		}
		p.any = true
	}
	spec := ev.Kind.Spec()
	switch {
	case spec.Access:
		p.access(seq, ev)
		return
	case ev.Kind == trace.Alloc:
		p.words.forget(ev.Addr, ev.Size)
		return
	case ev.Kind == trace.End:
		if g := p.gs.Delete(ev.G); g != nil {
			g.reset()
			p.free.Put(g)
		}
		p.held.End(ev.G)
		return
	}
	g := p.gs.Make(ev.G, &p.free)
	if spec.EndsSpan {
		g.span++
		if g.wait.ends(ev, spec) {
			for i := range g.calls {
				p.units++
				g.calls[i].no = p.units
			}
		}
	}
	switch {
	case spec.Opens:
		p.held.Enter(ev.G, g.section(seq, ev, spec.Shared))
		g.kept = nil
	case spec.Closes:
		if _, by := p.held.Leave(ev.G, ev.Addr, spec.Shared); by != 0 {
			if g := p.gs.Get(by); g != nil {
				g.kept = nil
			}
		}
	case ev.Kind == trace.Fork:
		if len(g.calls)+len(g.of) > 0 {
			g.starts(p.gs.Make(trace.G(ev.Other), &p.free))
		}
	case ev.Kind == trace.UnitBegin:
		p.units++
		g.begin(p.units, ev)
	case ev.Kind == trace.UnitEnd:
		g.end()
	case ev.Kind == trace.UnitTurn:
		g.turn()
	}
}

// triple are the positions of a candidate.
type triple [3]position

type position struct {
	site  trace.Site
	stack trace.Stack // without a site
	kind  trace.Kind
}

func positionOf(ev *trace.Event) position {
	at := position{site: ev.Site, kind: ev.Kind}
	if ev.Site == 0 {
		at.stack = ev.Stack
	}
	return at
}

// propose gives out a triple.
func (p *Predictor) propose(u *pair, between *predict.Event) {
	standing := predict.Hidden
	if u.first.Seq < between.Seq && between.Seq < u.last.Seq {
		standing = predict.InOrder
	} else if (u.first.Ev.Flags|between.Ev.Flags|u.last.Ev.Flags)&trace.FlagAtomic != 0 {
		return // no schedule turns atomic operations round
	}
	k := triple{positionOf(&u.first.Ev), positionOf(&between.Ev), positionOf(&u.last.Ev)}
	n := p.given[k]
	if n == 0 && len(p.given) == maxTriples {
		p.lost++
		return
	}
	p.given[k] = n + 1
	if !predict.Instance(n + 1) {
		return
	}
	p.count++
	p.sink(predict.Candidate{Goal: goal.Atomicity, Events: []predict.Event{u.first, *between, u.last}, By: Name, Standing: standing, Unit: *u.unit})
}

// Stats implements predict.Predictor.
func (p *Predictor) Stats() predict.Stats {
	heap := p.gs.Bytes() + p.free.Bytes() + p.held.Bytes() + p.words.bytes() + len(p.given)*tripleBytes
	return predict.Stats{Evicted: p.words.gone + p.lost, Memory: heap, Heap: heap}
}

// tripleBytes is about what a triple takes in Predictor.given.
const tripleBytes = 96

// Rules implements predict.Predictor.
func (p *Predictor) Rules() []predict.Rule {
	return []predict.Rule{{By: Name, Name: "units", Fired: p.units}, {By: Name, Name: "pairs", Fired: p.pairs}, {By: Name, Name: "triples", Fired: p.count}}
}
