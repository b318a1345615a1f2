// Package syncp turns a trace into candidates for races that show without turning any lock's
// sections round (sync-preserving: Mathur, Pavlogiannis, Viswanathan, POPL 2021). WCP orders some
// of these, and finds some that are none of these.
//
// Two accesses are a candidate when the smallest set of events has neither of the two that
//
//	(S1) has the events before each of them, and with every event what comes before it in every
//	     schedule (package mustorder);
//	(S2) of two sections of a lock that both begin in it and cannot overlap, has the earlier one's
//	     release.
//
// In the trace's order that set is then a schedule after which both are next. The set is a vector
// time, since it has of every goroutine the first events; the sections are looked up in it by their
// acquires' epochs. In traces that have every access, and as far as the bounds of package
// mustorder's records and of sections.go go, these are the sync-preserving races and nothing else.
package syncp

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/mustorder"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Name is what Candidate.By says.
const Name = "syncp"

// Predictor is the sync-preserving predictor.
type Predictor struct {
	sink     func(predict.Candidate)
	pairs    predict.Pairs // given out
	asked    predict.Pairs // closures computed
	order    *mustorder.Order
	acc      *mustorder.Records
	sections sections
	closure  vclock.Clock // under way

	closures, rounds, refused uint64
}

// New returns a predictor that gives pairs to sink: each pair of positions as
// often as predict.Instance says.
func New(cfg predict.Config, sink func(predict.Candidate)) *Predictor {
	p := &Predictor{sink: sink, order: mustorder.New(mustorder.Config{Config: cfg})}
	p.acc = p.order.NewRecords()
	p.acc.Vectors = true
	p.sections.pool, p.sections.most = p.order.Pool(), maxSections
	if cfg.Memory > 0 {
		p.sections.most = min(maxSections, cfg.Memory/8/entryBytes)
	}
	p.order.Opened, p.order.Closed = p.sections.opened, p.sections.closed
	return p
}

// Event implements predict.Predictor.
func (p *Predictor) Event(seq trace.Seq, ev *trace.Event) {
	if ev.Kind.Spec().Note {
		return
	}
	g := p.order.Of(ev.G)
	switch ev.Kind {
	case trace.Read, trace.Write:
		p.access(g, seq, ev)
	case trace.Alloc:
		p.acc.Forget(ev.Addr, ev.Size)
	case trace.Acquire, trace.RAcquire:
		p.sections.seq = seq
	}
	p.order.Event(g, ev)
}

// askAlways is how many closures a pair of positions is worth; then one at each doubling of its
// instances.
const askAlways = 64

func (p *Predictor) access(g *mustorder.Goroutine, seq trace.Seq, ev *trace.Event) {
	found := p.acc.Check(seq, ev, p.order, g)
	for i := range found {
		first := &found[i]
		if n := p.asked.Count(&first.Ev, ev); n > askAlways && n&(n-1) != 0 {
			continue
		}
		if !p.close(first, g) || !predict.Instance(p.pairs.Count(&first.Ev, ev)) {
			continue
		}
		standing := predict.StandingOf(g.Shows(first.Slot, first.Time))
		p.sink(predict.RaceOf(Name, predict.Event{Seq: first.Seq, Ev: first.Ev}, predict.Event{Seq: seq, Ev: *ev}, standing))
	}
}

// Stats implements predict.Predictor.
func (p *Predictor) Stats() predict.Stats {
	s := p.order.Stats()
	s.Add(p.acc.Stats())
	s.Add(p.sections.stats())
	return s
}

// Rules implements predict.Predictor.
func (p *Predictor) Rules() []predict.Rule {
	return append(p.order.Rules(Name),
		predict.Rule{By: Name, Name: "closures", Fired: p.closures},
		predict.Rule{By: Name, Name: "closures that reach an access", Fired: p.refused},
		predict.Rule{By: Name, Name: "releases by lock order", Fired: p.rounds})
}
