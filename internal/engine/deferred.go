package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// DeferredSearch is a part of the run with goals whose search for a schedule was given up. It has
// all that a search needs, so that a process with more time than the tested one can continue it.
type DeferredSearch struct {
	trace.Deferred
	Events []trace.Event
}

// retry is an instance of a goal whose search was given up.
type retry struct {
	predict.Candidate
	lo   trace.Seq // where its schedules begin
	ends trace.Seq // as an instance has it
}

// worthMore reports whether a larger budget may answer a search that was given up for this reason.
func worthMore(reason string) bool { return reason == witness.Budget || reason == witness.TooLarge }

// maxDeferred is how many events of deferred searches may wait for Flush.
const maxDeferred = 3 << 19

// deferSearches gives the goals that only a larger budget may answer to Config.Deferred, grouped by
// where their schedules may begin. Most of their cost here is that events are copied and written,
// so goals with beginnings a little later than the group's share its events. While the run goes on
// they wait for Flush: the goroutine that feeds the engine has no time for them.
func (e *Engine) deferSearches(goals []waiting, goesOn bool) {
	if e.cfg.Deferred == nil {
		return
	}
	var open []*waiting
	for n := range goals {
		if w := &goals[n]; !w.done && worthMore(w.note) && !e.possible[w.key] {
			open = append(open, w)
		}
	}
	slices.SortStableFunc(open, func(a, b *waiting) int { return int(int64(a.at.lo) - int64(b.at.lo)) })
	for len(open) > 0 {
		r, n := open[0].at, 1
		to := r.ends
		for ; n < len(open); n++ {
			at := &open[n].at
			hi := max(to, at.ends)
			if apart(r.lo, at.lo, at.ends, hi) {
				break
			}
			to = hi
		}
		if goesOn && e.deferredEvents+int(to-r.lo) > maxDeferred {
			e.stats.Evicted++
			open = open[n:]
			continue
		}
		u := DeferredSearch{
			trace.Deferred{Complete: e.cfg.Complete, Midway: r.lo > 0, Before: r.lo > 0, After: e.goesOn(to)}, e.window.copy(r.lo, to),
		}
		e.doubts(r.lo, u.Events, goesOn).list(&u.Deferred)
		for _, w := range open[:n] {
			u.Goals = append(u.Goals, trace.DeferredGoal{Goal: goalOf(&w.at.Candidate, r.lo), Alone: w.open == 1, By: w.by})
		}
		if goesOn {
			e.deferred = append(e.deferred, u)
			e.deferredEvents += len(u.Events)
		} else {
			e.cfg.Deferred(&u)
		}
		open = open[n:]
	}
}

// Effort is how much Search does for each goal, see witness.Options.
type Effort struct {
	States, Box int
	Stop        func() bool
}

// Search looks for schedules of the goals again and calls answer for each goal that it can answer:
// with a predicted Finding, or with a possible one if no schedule reaches the goal.
func (u *DeferredSearch) Search(with Effort, answer func(n int, f *Finding)) {
	why := map[int32]string{}
	for _, i := range u.Racy {
		why[i] = witness.RacyRead
	}
	for _, i := range u.Still {
		why[i] = witness.OpenSpan
	}
	f := witness.New(u.Events, witness.Options{
		Dropped: !u.Complete, Midway: u.Midway, Before: u.Before, After: u.After,
		Uncertain: func(i int32) string { return why[i] },
		States:    with.States, Box: with.Box, Stop: with.Stop,
	})
	for n := range u.Goals {
		g := &u.Goals[n]
		if with.Stop != nil && with.Stop() {
			return
		}
		switch a := f.Find(g.Goal); a.Verdict {
		case witness.Infeasible:
			answer(n, u.finding(g, report.Possible))
		case witness.Feasible:
			found := u.finding(g, report.Predicted)
			found.Witness, found.Skipped = shown(f, 0, a.Schedule)
			run := span{func(s trace.Seq) trace.Event { return u.Events[s] }, 0, trace.Seq(len(u.Events))}
			found.Around = run.around(found.Events, found.Witness)
			answer(n, found)
		}
	}
}

// finding is a goal as it is given out. The locks, tests and creations of its goroutines are not
// known here.
func (u *DeferredSearch) finding(g *trace.DeferredGoal, v report.Verdict) *Finding {
	f := &Finding{Goal: g.Kind, Verdict: v, By: g.By}
	for _, i := range g.Events {
		f.Events = append(f.Events, Participant{Seq: trace.Seq(i), Ev: u.Events[i]})
	}
	return f
}
