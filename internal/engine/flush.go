package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// Ended says that the run has no more events than the engine was given.
func (e *Engine) Ended() { e.ended = true }

// goesOn reports whether the run may have an event at seq or later.
func (e *Engine) goesOn(seq trace.Seq) bool { return !e.ended || seq < e.window.next() }

// Flush decides the goals that wait: it searches for a schedule of each instance until one has a
// witness.
func (e *Engine) Flush() {
	goals := e.pending.goals
	e.pending = pending{}
	e.decide(goals, e.cfg.FlushStates, false)
	for n := range e.deferred {
		e.cfg.Deferred(&e.deferred[n])
	}
	e.deferred, e.deferredEvents = nil, 0
}

// decide looks for schedules of the goals with a budget of states, and returns how many states it
// used. goesOn says that the run has more events, which may show what is not known yet.
func (e *Engine) decide(goals []waiting, budget int, goesOn bool) (spent int) {
	var all []*instance
	for n := range goals {
		w := &goals[n]
		if e.observed[w.key] {
			w.done = true
			continue
		}
		e.stats.Candidates++
		for n := 0; n < len(w.instances) && !w.done; n++ {
			if in := e.instance(w, w.instances[n]); in != nil {
				all = append(all, in)
			}
		}
	}
	for ; len(all) > 0; all = left(all) {
		slices.SortStableFunc(all, func(a, b *instance) int { return int(int64(a.next() - b.next())) })
		for rest := all; len(rest) > 0; {
			n := together(rest)
			spent += e.find(rest[:n], budget-spent, goesOn)
			rest = rest[n:]
		}
	}
	e.deferSearches(goals, goesOn)
	for n := range goals {
		if w := &goals[n]; !w.done {
			e.undecided(w)
		}
	}
	return spent
}

// instance is a candidate with what a search for its schedule needs, or nil when no search is
// needed.
func (e *Engine) instance(w *waiting, c predict.Candidate) *instance {
	in := &instance{of: w, Candidate: c, from: e.beginnings(&c)}
	if in.from == nil {
		in.note = witness.OffWindow
		w.givenUp(in)
		return nil
	}
	in.near = in.from[0]
	if in.ends, in.note = e.end(&c); in.note != "" {
		w.givenUp(in)
		return nil
	}
	if c.Standing == predict.InOrder && e.inOrder(&c) {
		w.done = true
		e.stats.Candidates--
		e.observe(c)
		return nil
	}
	if c.Standing == predict.Unordered {
		first, last := c.First(), c.Last()
		in.spent = int(last.Seq-first.Seq) / witness.EventsPerState
		if !e.ordered(first.Seq, last.Seq) {
			e.unordered(w, in)
			return nil
		}
	}
	return in
}

// inOrder reports whether each of the candidate's events happens before the next one.
func (e *Engine) inOrder(c *predict.Candidate) bool {
	for n := 1; n < len(c.Events); n++ {
		if !e.ordered(c.Events[n-1].Seq, c.Events[n].Seq) {
			return false
		}
	}
	return true
}

// unordered is for an instance that the run itself shows, though (E1) did not give it out. Mostly
// (E1) gave out another race of the later access in its place (shadow/A1). If not, happens-before
// had forgotten the first access, and there is no answer.
func (e *Engine) unordered(w *waiting, in *instance) {
	a, b := &in.First().Ev, &in.Last().Ev
	lo, hi := max(a.Addr, b.Addr), min(a.Addr+trace.Addr(a.Size), b.Addr+trace.Addr(b.Size))
	if lo < hi && e.hb.Racy(lo, uint32(hi-lo), in.Last().Seq) == hb.Raced {
		w.shown = true
		return
	}
	in.note = forgotten
	w.givenUp(in)
}

// left are the instances without an answer that have another beginning to try. Of those without a
// beginning it notes why there is no answer.
func left(all []*instance) (more []*instance) {
	for _, c := range all {
		switch {
		case c.of.done || c.never:
		case len(c.from) > 0:
			more = append(more, c)
		default:
			c.of.givenUp(c)
		}
	}
	return more
}

// ordered reports whether an event of the window happens before a later one.
func (e *Engine) ordered(first, second trace.Seq) bool {
	return hb.Before(int(second-first)+1, e.window.from(first))
}
