// Package shb turns a trace into the observed races that are also schedulable, by the order of
// schedulable happens-before (Mathur, Kini, Viswanathan, OOPSLA 2018): happens-before, and the last
// store of a byte before every Read of it.
//
// Happens-before is right about the first race of a run only: the second may depend on who won the
// first. What SHB leaves unordered can meet: the events before the two accesses, in the trace's
// order, are a schedule. For that to hold of Go's events, too, the order has all of package
// mustorder's rules, mustorder/M1 to mustorder/M7, which is more than the memory model's
// happens-before.
package shb

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/mustorder"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
)

// Name is what Candidate.By says.
const Name = "shb"

// Predictor is the schedulable happens-before predictor.
type Predictor struct {
	sink  func(predict.Candidate)
	pairs predict.Pairs
	order *mustorder.Order
	acc   shadow.Accesses
}

// New returns a predictor that gives each racing pair of positions to sink, once, as
// predict.Schedulable.
func New(cfg predict.Config, sink func(predict.Candidate)) *Predictor {
	p := &Predictor{sink: sink, order: mustorder.New(mustorder.Config{Config: cfg, InTurn: true})}
	p.acc.Arena = cfg.Arena
	if cfg.Memory > 0 {
		p.acc.Limit = p.order.AccessMemory() / shadow.RecordBytes
	}
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
	}
	p.order.Event(g, ev)
}

func (p *Predictor) access(g *mustorder.Goroutine, seq trace.Seq, ev *trace.Event) {
	races := p.acc.Check(seq, ev, &shadow.Actor{Slot: g.Slot(), Now: g.Now(), Known: g.Known().Clock(), Slots: p.order.Slots(), Shared: g.Shared()})
	for i := range races {
		r := &races[i]
		if p.pairs.Count(&r.Ev, ev) == 1 {
			p.sink(predict.RaceOf(Name, predict.Event{Seq: r.Seq, Ev: r.Ev}, predict.Event{Seq: seq, Ev: *ev}, predict.Schedulable))
		}
	}
}

// Stats implements predict.Predictor.
func (p *Predictor) Stats() predict.Stats {
	s := p.order.Stats()
	s.Add(predict.Stats{Evicted: p.acc.Evicted + p.acc.Lost, Memory: p.acc.Bytes(), Heap: p.acc.Heap()})
	return s
}

// Rules implements predict.Predictor.
func (p *Predictor) Rules() []predict.Rule { return p.order.Rules(Name) }
