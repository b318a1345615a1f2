// Package lockset turns a trace into candidates by the locks held at the accesses (Eraser: Savage, Burrows, Nelson, Sobalvarro,
// Anderson, TOCS 1997), with threads' starts, joins and messages as happens-before (the hybrid of O'Callahan and Choi, PPoPP 2003).
//
// Two conflicting accesses are a candidate when
//
//	(L1) no common lock is held around both, at least once in write mode (package must, M8);
//	(L2) no fork, join, hard edge, hard section, hand-over or failed attempt orders them (package must, M1, M2, M4, M5).
//
// Eraser keeps one set of locks for a variable; here each pair is judged by its own two, so a variable may
// move from one lock to another. Every predictable race is a candidate, and many
// candidates are none, since what a read saw is not looked at: it is a filter, and needs a witness for each.
package lockset

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/must"
	"github.com/racepred/racepred/internal/trace"
)

// Name is what Candidate.By says.
const Name = "lockset"

// Config says how much to remember.
type Config struct {
	// PerClass is how many accesses of a class a word keeps; 0 means must.DefaultPerClass.
	PerClass int
	// PerWord is how many accesses a word keeps; 0 means must.DefaultPerWord.
	PerWord int
}

// Predictor is the lockset predictor.
type Predictor struct {
	sink  func(predict.Candidate)
	pairs predict.Pairs
	order *must.Order
	acc   *must.Records
}

// New returns a predictor that gives pairs to sink: each pair of positions as
// often as predict.Instance says.
func New(cfg Config, sink func(predict.Candidate)) *Predictor {
	p := &Predictor{sink: sink, order: must.New(must.Config{Loose: true})}
	p.acc = p.order.NewRecords(cfg.PerClass, cfg.PerWord)
	return p
}

// Name implements predict.Predictor.
func (p *Predictor) Name() string { return Name }

// Event implements predict.Predictor.
func (p *Predictor) Event(seq trace.Seq, ev *trace.Event) {
	if ev.Kind == trace.TestBegin || ev.Kind == trace.TestEnd {
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
	found := p.acc.Check(seq, ev, p.order, g)
	for i := range found {
		first := &found[i]
		if !predict.Instance(p.pairs.Count(&first.Ev, ev)) {
			continue
		}
		p.sink(predict.Candidate{
			First:   predict.Access{Seq: first.Seq, Ev: first.Ev},
			Second:  predict.Access{Seq: seq, Ev: *ev},
			By:      Name,
			Ordered: g.Shows(first.Slot, first.Time),
		})
	}
}

// Evicted counts what was forgotten for want of room.
func (p *Predictor) Evicted() uint64 { return p.acc.Evicted + p.acc.Lost + p.order.Evicted() }

// Rules implements predict.Counter.
func (p *Predictor) Rules() []predict.Rule { return p.order.Rules() }
