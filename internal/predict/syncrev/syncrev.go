// Package syncrev turns a trace into candidates for races that may need sections turned round: the sync-reversal extension of
// SyncP (Shi, Mathur, Pavlogiannis, ICSE 2024, is the first of these; theirs is another algorithm).
//
// Two accesses are a candidate when neither what every schedule keeps (package must) nor a common lock keeps them apart. That is
// as weak as an order can be that a vector time expresses: all predictable races are candidates, up to the bounds of
// package must's records and, of locks that are handed over, those whose release may come before the access. In which order sections
// have to go is left to package witness, which turns round only those that have to be (its reversal.go), and searches where that fails.
package syncrev

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/must"
	"github.com/racepred/racepred/internal/trace"
)

// Name is what Candidate.By says.
const Name = "syncrev"

// Config says what the trace is like and how much to remember. The zero Config is for recordings.
type Config struct {
	// Complete is set for traces that have every access; see must.Config.
	Complete bool
	// PerClass is how many accesses of a class a word keeps; 0 means must.DefaultPerClass.
	PerClass int
	// PerWord is how many accesses a word keeps; 0 means must.DefaultPerWord.
	PerWord int
}

// Predictor is the predictor of races in any order of sections.
type Predictor struct {
	sink  func(predict.Candidate)
	pairs predict.Pairs
	order *must.Order
	acc   *must.Records
}

// New returns a predictor that gives pairs to sink: each pair of positions as
// often as predict.Instance says.
func New(cfg Config, sink func(predict.Candidate)) *Predictor {
	p := &Predictor{sink: sink, order: must.New(must.Config{Complete: cfg.Complete})}
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
