package mustorder

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// Apart is a predictor of the pairs that neither the order nor a common lock (M8) keeps apart:
// syncrev with the whole order, lockset with the part of it that Config.Loose leaves.
type Apart struct {
	name  string
	sink  func(predict.Candidate)
	pairs predict.Pairs
	order *Order
	acc   *Records
}

// NewApart returns a predictor of that name that gives pairs to sink: each pair of positions as
// often as predict.Instance says.
func NewApart(name string, cfg Config, sink func(predict.Candidate)) *Apart {
	p := &Apart{name: name, sink: sink, order: New(cfg)}
	p.acc = p.order.NewRecords()
	return p
}

// Event implements predict.Predictor.
func (p *Apart) Event(seq trace.Seq, ev *trace.Event) {
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

func (p *Apart) access(g *Goroutine, seq trace.Seq, ev *trace.Event) {
	found := p.acc.Check(seq, ev, p.order, g)
	for i := range found {
		first := &found[i]
		if !predict.Instance(p.pairs.Count(&first.Ev, ev)) {
			continue
		}
		standing := predict.StandingOf(g.Shows(first.Slot, first.Time))
		p.sink(predict.RaceOf(p.name, predict.Event{Seq: first.Seq, Ev: first.Ev}, predict.Event{Seq: seq, Ev: *ev}, standing))
	}
}

// Stats implements predict.Predictor.
func (p *Apart) Stats() predict.Stats {
	s := p.order.Stats()
	s.Add(p.acc.Stats())
	return s
}

// Rules implements predict.Predictor.
func (p *Apart) Rules() []predict.Rule { return p.order.Rules(p.name) }
