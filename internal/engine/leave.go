package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// A goal waits for Flush, since later events may show what is uncertain about it, and more instances of it. But the window moves on: a goal is settled at the latest
// before the events that its schedules may begin with are gone. That happens in the middle of a run, so it has an effort of its own: each event of
// the run earns as much as to look at one, and what that does not suffice for goes to Config.Unsettled.

// leaving settles the goals whose events are about to leave the window; seq, the next event, is the first of a new chunk.
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
		e.credit -= e.settle(goals, max(e.credit, 0), true)
	}
}
