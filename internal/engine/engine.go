package engine

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// Config bounds the engine.
type Config struct {
	Window       int
	SearchStates int
}

// Stats are totals.
type Stats struct{ Candidates, Unknown, Evicted uint64 }

// Access is one access of a finding with what is known about its goroutine.
type Access struct {
	Seq   trace.Seq
	Ev    trace.Event
	Locks []trace.Event
	Fork  trace.Event
	Test  uint32
}

// Finding is a racing pair.
type Finding struct {
	Verdict       report.Verdict
	By            []string
	First, Second Access
	Witness       []trace.Event
	Note          string
}

// Engine for now only observes.
type Engine struct {
	p     *hb.Predictor
	n     trace.Seq
	forks map[trace.G]trace.Event
}

// New returns an engine.
func New(_ Config, sink func(Finding)) *Engine {
	e := &Engine{forks: make(map[trace.G]trace.Event)}
	e.p = hb.New(func(c predict.Candidate) {
		sink(Finding{Verdict: report.Observed, By: []string{hb.Name}, First: e.access(c.First), Second: e.access(c.Second)})
	})
	return e
}

func (e *Engine) access(a predict.Access) Access {
	return Access{Seq: a.Seq, Ev: a.Ev, Fork: e.forks[a.Ev.G]}
}

// Event takes in the next event.
func (e *Engine) Event(ev trace.Event) {
	if ev.Kind == trace.Fork {
		e.forks[trace.G(ev.Other)] = ev
	}
	e.p.Event(e.n, &ev)
	e.n++
}

// Flush settles what is pending.
func (e *Engine) Flush() {}

// Stats returns the totals.
func (e *Engine) Stats() Stats { return Stats{} }
