package engine

import (
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// instance is a candidate with the state of its search.
type instance struct {
	of *waiting
	predict.Candidate
	near  trace.Seq   // the nearest beginning of schedules
	ends  trace.Seq   // the Finder gets the events up to there at least (end.go)
	from  []trace.Seq // the beginnings that were not tried yet, the nearest first
	spent int         // how many states its search has cost so far; other work counts as states
	tries int         // how many beginnings were tried
	note  string      // why there is no answer so far
	at    retry       // where a larger budget may find one
	never bool        // it is proven that there is no schedule
}

// goalOf is the goal of a candidate for a Finder with the run's events from lo on.
func goalOf(c *predict.Candidate, lo trace.Seq) goal.Goal {
	g := goal.Goal{Kind: c.Goal}
	for i := range c.Events {
		g.Events = append(g.Events, int32(c.Events[i].Seq-lo))
	}
	return g
}

// next is where its next schedule begins.
func (c *instance) next() trace.Seq { return c.from[0] }

// maxSpan is how many events one Finder gets, unless a single candidate needs more.
const maxSpan = 1 << 20

// goalShare is how many times Config.PairStates all instances of a goal may cost.
const goalShare = 8

// together is how many of the instances, which are in the order of their beginnings, use one
// Finder. These are those with the first one's beginning, and those whose own beginning is not much
// nearer.
func together(all []*instance) (n int) {
	lo := all[0].next()
	hi := all[0].Last().Seq
	for n = 1; n < len(all); n++ {
		l, h := all[n].next(), max(hi, all[n].Last().Seq)
		if apart(lo, l, all[n].near, h) {
			break
		}
		hi = h
	}
	return n
}

// apart reports whether schedules of a goal that may begin at l should not begin at lo, before
// that: its own part of the run, from l to end, is too short for the events in between, or all
// events up to hi would be too many.
func apart(lo, l, end, hi trace.Seq) bool {
	return l != lo && (l-lo > (end-l)/4 || hi-lo > maxSpan)
}

// affords reports whether a search that costs at least so much may be tried. Where the events of a
// goal lie far apart, one beginning takes most of the states; the second one may be hardly farther,
// and the first that has the beginning of all goroutines of the test.
func (c *instance) affords(share, states int) bool {
	return c.spent+share <= states || c.tries == 1 && share <= states
}

// find looks for schedules of the instances from the beginning of the first one on, and returns
// what that has cost in states.
func (e *Engine) find(all []*instance, budget int, goesOn bool) (spent int) {
	lo := all[0].next()
	to := lo
	for _, c := range all {
		c.from = c.from[1:]
		to = max(to, c.ends)
	}
	var f *witness.Finder
	for _, c := range all {
		w := c.of
		if w.done {
			continue
		}
		share := 2 * int(to-lo) / witness.EventsPerState / len(all) // to prepare a Finder
		if spent >= budget || e.cfg.PairStates > 0 && (!c.affords(share, e.cfg.PairStates) || w.spent+share > goalShare*e.cfg.PairStates) {
			from := lo
			if n := len(c.from); n > 0 {
				from = c.from[n-1] // more effort goes into the one that may find the most
			}
			c.unknown(witness.Budget, from)
			c.from = nil
			continue
		}
		if f == nil {
			evs := e.window.copy(lo, to)
			f = witness.New(evs, witness.Options{
				Dropped: !e.cfg.Complete, Uncertain: e.doubts(lo, evs, goesOn).of, Midway: lo > 0, States: e.cfg.SearchStates,
				Before: lo > 0, After: e.goesOn(to),
			})
		}
		a := f.Find(goalOf(&c.Candidate, lo))
		cost := share + a.States + a.Events/witness.EventsPerState
		c.spent += cost
		c.tries++
		w.spent += cost
		spent += cost
		e.stats.States += uint64(a.States)
		switch a.Verdict {
		case witness.Feasible:
			w.done = true
			e.predicted(w, c.Candidate, f, lo, a.Schedule)
		case witness.Unknown:
			c.unknown(a.Reason, lo)
			if a.Final {
				c.from = nil
			}
		case witness.Infeasible:
			c.never = true
		}
	}
	return spent
}

// unknown notes why there is no answer from a beginning on. Once a larger budget may help, the
// reason is kept, with that beginning, the nearest one.
func (c *instance) unknown(reason string, from trace.Seq) {
	if !worthMore(c.note) {
		c.note, c.at = reason, retry{c.Candidate, from, c.ends}
	}
}
