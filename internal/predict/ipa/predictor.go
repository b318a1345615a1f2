package ipa

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/mustorder"
	"github.com/racepred/racepred/internal/trace"
)

// Name is what Candidate.By says.
const Name = "ipa"

// Predictor is the predictor without others: it takes the pairs that no hard order and no common
// lock keeps apart (mustorder/M1, M2, M4, M5, M8), and proposes those that strategy I does not find
// unreachable.
type Predictor struct {
	sink    func(predict.Candidate)
	pairs   predict.Pairs
	order   *mustorder.Order
	acc     *mustorder.Records
	hist    *Follow
	answers [3]uint64
}

// New returns a predictor that gives pairs to sink: each pair of positions as often as
// predict.Instance says.
func New(cfg predict.Config, sink func(predict.Candidate)) *Predictor {
	p := &Predictor{sink: sink, order: mustorder.New(mustorder.Config{Config: cfg, Loose: true})}
	p.acc = p.order.NewRecords()
	p.hist = NewFollow(Limits{Memory: cfg.Memory / 8}, p.order)
	return p
}

// Event implements predict.Predictor.
func (p *Predictor) Event(seq trace.Seq, ev *trace.Event) {
	if ev.Kind == trace.TestBegin {
		return
	}
	g := p.order.Of(ev.G)
	if !ev.Kind.Spec().Access {
		if ev.Kind == trace.Alloc {
			p.acc.Forget(ev.Addr, ev.Size)
		}
		p.hist.Event(g, seq, ev)
		return
	}
	p.hist.Begins(g)
	found := p.acc.Check(seq, ev, p.order, g)
	for i := range found {
		first := &found[i]
		if !predict.Instance(p.pairs.Count(&first.Ev, ev)) {
			continue
		}
		a, b := Access{first.Ev.G, first.Seq}, Access{ev.G, seq}
		answer := p.hist.Reach(StrategyI, a, b)
		p.answers[answer]++
		if answer == Unreachable {
			continue
		}
		standing := predict.StandingOf(g.Shows(first.Slot, first.Time))
		c := predict.RaceOf(Name, predict.Event{Seq: first.Seq, Ev: first.Ev}, predict.Event{Seq: seq, Ev: *ev}, standing)
		c.Certain = p.hist.Reach(StrategyII, a, b) == Reachable
		p.sink(c)
	}
}

// Stats implements predict.Predictor.
func (p *Predictor) Stats() predict.Stats {
	s := p.order.Stats()
	s.Add(p.acc.Stats())
	s.Add(predict.Stats{Evicted: p.hist.Evicted, Memory: p.hist.Bytes(), Heap: p.hist.Bytes()})
	return s
}

// Rules implements predict.Predictor.
func (p *Predictor) Rules() []predict.Rule { return rules(&p.hist.Counters, &p.answers) }

// rules are the counters, and the number of questions with each answer.
func rules(c *Counters, answers *[3]uint64) (list []predict.Rule) {
	for _, r := range []predict.Rule{
		{Name: "queries", Fired: c.Queries}, {Name: "calls", Fired: c.Calls}, {Name: "potential calls", Fired: c.Potential}, {Name: "branches", Fired: c.Branches},
		{Name: "unreachable", Fired: answers[Unreachable]}, {Name: "reachable", Fired: answers[Reachable]}, {Name: "unknown", Fired: answers[Unknown]},
	} {
		r.By = Name
		list = append(list, r)
	}
	return list
}
