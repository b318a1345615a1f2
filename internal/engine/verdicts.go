package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// shown is the part of a schedule that a finding shows, and how many events come before it. The
// Finder's events begin at lo.
func shown(f *witness.Finder, lo trace.Seq, schedule []int32) (events []Placed, skipped int) {
	skipped = max(0, len(schedule)-maxWitness)
	for _, i := range schedule[skipped:] {
		events = append(events, Placed{lo + trace.Seq(i), *f.Event(i)})
	}
	return events, skipped
}

// predicted gives out a goal with the schedule of one of its instances, among the events from lo
// on.
func (e *Engine) predicted(w *waiting, c predict.Candidate, f *witness.Finder, lo trace.Seq, schedule []int32) {
	e.witnessed[w.key] = true
	e.stats.Predicted++
	out := Finding{Goal: c.Goal, Verdict: report.Predicted, By: w.by, Events: e.participants(&c), Unit: c.Unit}
	out.Witness, out.Skipped = shown(f, lo, schedule)
	out.Around = e.window.span().around(out.Events, out.Witness)
	e.sink(out)
}

// undecided gives out a goal without a witness as possible, unless all of its instances are
// infeasible, or the run shows them at other positions.
func (e *Engine) undecided(w *waiting) {
	abstract := predictors.Abstract(w.by)
	switch {
	case w.note == "" && w.shown:
		e.stats.Candidates--
		return
	case w.note == "":
		e.stats.Infeasible++
		if abstract {
			e.worthARun(w, valuesRead)
		}
		return
	}
	e.stats.Unknown++
	if abstract {
		e.worthARun(w, w.note)
		return
	}
	if e.possible[w.key] {
		return
	}
	e.possible[w.key] = true
	if w.note == witness.OffWindow {
		e.stats.TooFar++
	}
	c := &w.instances[0]
	e.sink(Finding{Goal: c.Goal, Verdict: report.Possible, By: w.by, Events: e.participants(c), Note: notes[w.note], Unit: c.Unit})
}

// worthARun gives a goal to Config.Directed. Some order of the locks may reach a goal of rank 1 or
// 2; rank 1 means that the predictor is certain. Ranks 3 and 4 are the same, but every schedule of
// this run would change what a read finds.
func (e *Engine) worthARun(w *waiting, why string) {
	if e.cfg.Directed == nil || e.directed[w.key] || len(e.directed) >= maxDirected {
		return
	}
	e.directed[w.key] = true
	best, rank := 0, 1
	if i := slices.IndexFunc(w.instances, func(c predict.Candidate) bool { return c.Certain }); i >= 0 {
		best = i
	} else {
		rank++
	}
	if why == valuesRead {
		rank += 2
	}
	c := &w.instances[best]
	e.cfg.Directed(Finding{Goal: c.Goal, Verdict: report.Reachable, By: w.by, Events: e.participants(c), Note: notes[why], Rank: rank})
}

// maxDirected is how many pairs an engine gives to Config.Directed.
const maxDirected = 256

// valuesRead is a reason of what Config.Directed gets.
const valuesRead = "values"

// forgotten is a reason, in addition to those of package witness.
const forgotten = "forgotten"

// notes are the reasons in the words of a report.
var notes = map[string]string{
	valuesRead:            "every schedule of this run orders the two, or changes what a read sees",
	forgotten:             "nothing in the run orders the two, but what happens-before knew of the first access had been forgotten when the second came",
	handedBack:            "no witness: one of the goroutines waits for a lock that was given back by another goroutine than the one that had taken it, so the wait may be short",
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
