package engine

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// Midway is a Finder for the events of the engine's window from one place up to another. It is the
// one that Flush makes or, with goesOn, a search while the run goes on.
func (e *Engine) Midway(from, to trace.Seq, goesOn bool) *witness.Finder {
	evs := e.window.copy(from, to)
	return witness.New(evs, witness.Options{
		Dropped: !e.cfg.Complete, Uncertain: e.doubts(from, evs, goesOn).of, Midway: from > 0, States: e.cfg.SearchStates,
		Before: from > 0, After: e.goesOn(to),
	})
}

// FlushEach is Flush with one pair after the other, for which around is called.
func (e *Engine) FlushEach(around func(decide func())) {
	goals := e.pending.goals
	e.pending = pending{}
	for n := range goals {
		around(func() { e.decide(goals[n:n+1], e.cfg.FlushStates, false) })
	}
	for n := range e.deferred {
		e.cfg.Deferred(&e.deferred[n])
	}
	e.deferred, e.deferredEvents = nil, 0
}

// Propose is what a predictor says of two events of the run.
func (e *Engine) Propose(first, second trace.Seq, standing predict.Standing) {
	at := func(seq trace.Seq) predict.Event {
		ev, _ := e.window.at(seq)
		return predict.Event{Seq: seq, Ev: ev}
	}
	e.candidate(predict.RaceOf("test", at(first), at(second), standing))
}

// ChunkEvents is how often goals are decided because they leave the window.
const ChunkEvents = chunkEvents
