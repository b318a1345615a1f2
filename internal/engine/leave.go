package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// A goal waits for Flush, since later events may show what is uncertain about it, and more
// instances of it. But the window moves on: a goal is decided at the latest before the events that
// its schedules may begin with leave the window. That happens in the middle of a run, so these
// searches have a budget of their own: each event of the run adds to it what one step of a search
// costs. Searches that exceed it go to Config.Deferred.

// leaving decides the goals whose events are about to leave the window; seq, the next event, is the
// first of a new chunk.
func (e *Engine) leaving(seq trace.Seq) {
	e.credit = min(e.credit+chunkEvents/witness.EventsPerState, 16*e.cfg.SearchStates)
	w := &e.window
	if !w.full() || len(e.pending.goals) == 0 {
		return
	}
	before := w.first + chunkEvents + min(reaches[len(reaches)-1], trace.Seq(w.limit/4))
	goals := e.pending.take(func(p *waiting) bool {
		return slices.ContainsFunc(p.instances, func(c predict.Candidate) bool { return c.First().Seq < before })
	})
	if len(goals) > 0 {
		e.credit -= e.decide(goals, max(e.credit, 0), true)
	}
}
