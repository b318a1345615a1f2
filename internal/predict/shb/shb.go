// Package shb turns a trace into the observed races that are also schedulable, by the order of schedulable happens-before
// (Mathur, Kini, Viswanathan, OOPSLA 2018): happens-before, and the last store of a byte before every Read of it.
//
// Happens-before is right about the first race of a run only: the second may depend on who won the first. What SHB leaves unordered
// can meet: the events before the two accesses, in the trace's order, are a schedule. For that to hold of Go's events, too, the
// order has all of package must's rules, (M1) to (M7), which is more than the memory model's happens-before.
package shb

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/must"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
)

// Name is what Candidate.By says.
const Name = "shb"

// Config says what the trace is like. The zero Config is for recordings.
type Config struct {
	// Complete is set for traces that have every access; see must.Config.
	Complete bool
}

// Predictor is the schedulable happens-before predictor.
type Predictor struct {
	sink  func(predict.Candidate)
	pairs predict.Pairs
	order *must.Order
	acc   shadow.Accesses
}

// New returns a predictor that gives each racing pair of positions to sink, once.
func New(cfg Config, sink func(predict.Candidate)) *Predictor {
	return &Predictor{sink: sink, order: must.New(must.Config{Complete: cfg.Complete, InTurn: true})}
}

// Name implements predict.Predictor.
func (p *Predictor) Name() string { return Name }

// Event implements predict.Predictor.
func (p *Predictor) Event(seq trace.Seq, ev *trace.Event) {
	if ev.Kind == trace.TestBegin {
		return
	}
	g := p.order.Of(ev.G)
	switch ev.Kind {
	case trace.Read, trace.Write:
		p.access(g, seq, ev)
	case trace.Alloc:
		p.acc.Forget(ev.Addr, ev.Size)
	}
	p.order.Event(g, ev)
}

func (p *Predictor) access(g *must.Goroutine, seq trace.Seq, ev *trace.Event) {
	races := p.acc.Check(seq, ev, &shadow.Actor{Slot: g.Slot(), Now: g.Now(), Known: g.Known().Clock(), Slots: p.order.Slots(), Many: g.Crowd()})
	for i := range races {
		r := &races[i]
		if p.pairs.Count(&r.Ev, ev) == 1 {
			p.sink(predict.Candidate{
				First:   predict.Access{Seq: r.Seq, Ev: r.Ev},
				Second:  predict.Access{Seq: seq, Ev: *ev},
				By:      Name,
				Ordered: g.Shows(r.Slot, r.Time),
			})
		}
	}
}

// Evicted counts what was forgotten for want of room.
func (p *Predictor) Evicted() uint64 { return p.acc.Evicted + p.acc.Lost + p.order.Evicted() }

// Rules implements predict.Counter.
func (p *Predictor) Rules() []predict.Rule { return p.order.Rules() }
