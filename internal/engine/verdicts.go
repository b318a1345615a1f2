package engine

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// shown is the part of a schedule that a finding shows, and how many events come before it.
func shown(f *witness.Finder, schedule []int32) (events []trace.Event, skipped int) {
	skipped = max(0, len(schedule)-maxWitness)
	for _, i := range schedule[skipped:] {
		events = append(events, *f.Event(i))
	}
	return events, skipped
}

// predicted gives out a goal with the schedule of one of its instances.
func (e *Engine) predicted(w *waiting, c predict.Candidate, f *witness.Finder, schedule []int32) {
	e.settled[w.key] = true
	e.stats.Predicted++
	events, skip := shown(f, schedule)
	e.sink(Finding{Goal: c.Goal, Verdict: report.Predicted, By: w.by, Events: e.participants(&c), Witness: events, Skipped: skip, Unit: c.Unit})
}

// undecided gives out a goal without a witness as possible, unless all of its instances are infeasible, or the run shows them at other positions.
func (e *Engine) undecided(w *waiting) {
	switch {
	case w.note == "" && w.shown:
		e.stats.Candidates--
		return
	case w.note == "":
		e.stats.Infeasible++
		return
	}
	e.stats.Unknown++
	if e.possible[w.key] {
		return
	}
	e.possible[w.key] = true
	c := &w.instances[0]
	e.sink(Finding{Goal: c.Goal, Verdict: report.Possible, By: w.by, Events: e.participants(c), Note: notes[w.note], Unit: c.Unit})
}

// forgotten is a reason beside those of package witness.
const forgotten = "forgotten"

// notes say the reasons to the reader of a report.
var notes = map[string]string{
	forgotten:             "nothing in the run orders the two, but what happens-before knew of the first access had been forgotten when the second came",
	witness.RacyRead:      "no witness: it would need a read whose value is uncertain, because the bytes were written at the same time",
	witness.LostAccesses:  "no witness: it would need a read whose value is uncertain, because not all accesses of the bytes are remembered",
	witness.OpenSpan:      "no witness: it would need a goroutine that may have read something uncertain and has not synchronized since",
	witness.Budget:        "no witness: the search was given up",
	witness.NotFound:      "no witness was found",
	witness.Rejected:      "no witness: the schedule that was found did not pass the check",
	witness.OffWindow:     "no witness: the first access is too long ago, its events are no longer kept",
	witness.UnknownBefore: "no witness: it would need to know more of what goroutines did before its first event",
	witness.UnknownAfter:  "no witness: it would need to know more of what goroutines did after it",
	witness.Repeats:       "no witness: it would need to know of accesses that were not recorded, because they repeat others",
	witness.TooLarge:      "no witness: too many events come before to search all schedules",
}
