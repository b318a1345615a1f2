package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// pending has the pairs that wait for Flush, in the order they came up, each with some of its instances.
type pending struct {
	pairs []waiting
	at    map[key]int
}

type waiting struct {
	instances []predict.Candidate
	by        []string // who proposed the pair, each once
	done      bool
	open      int    // instances without an answer
	note      string // why, for one of them
	at        retry  // which
}

// key is a pair of positions, as predict.Pairs tells them apart.
type key [2]trace.Event

func keyOf(c *predict.Candidate) key {
	position := func(ev *trace.Event) trace.Event {
		p := trace.Event{Kind: ev.Kind, Flags: ev.Flags & trace.FlagAtomic, Site: ev.Site}
		if ev.Site == 0 {
			p.Stack = ev.Stack
		}
		return p
	}
	a, b := position(&c.First.Ev), position(&c.Second.Ev)
	if b.Site < a.Site || b.Site == a.Site && (b.Stack < a.Stack || b.Stack == a.Stack && (b.Kind < a.Kind || b.Kind == a.Kind && b.Flags < a.Flags)) {
		a, b = b, a
	}
	return key{a, b}
}

// add keeps a candidate; false means that there is no room for another pair.
func (p *pending) add(c predict.Candidate, limit int) bool {
	k := keyOf(&c)
	i, ok := p.at[k]
	if !ok {
		if len(p.pairs) >= limit {
			return false
		}
		if p.at == nil {
			p.at = map[key]int{}
		}
		i = len(p.pairs)
		p.at[k] = i
		p.pairs = append(p.pairs, waiting{})
	}
	p.pairs[i].add(c)
	return true
}

// add keeps an instance, once for all who propose it.
func (w *waiting) add(c predict.Candidate) {
	if !slices.Contains(w.by, c.By) {
		w.by = append(w.by, c.By)
	}
	for _, old := range w.instances {
		if old.First.Seq == c.First.Seq && old.Second.Seq == c.Second.Seq {
			return
		}
	}
	w.instances = append(w.instances, c)
}

// givenUp notes why there is no answer about an instance. Of the reasons of several, one that more effort may help with is kept.
func (w *waiting) givenUp(reason string, c predict.Candidate, lo trace.Seq, atCut bool) {
	w.open++
	if !worthMore(w.note) {
		w.note, w.at = reason, retry{c.First.Seq, c.Second.Seq, lo, atCut}
	}
}

// maxSpan is how many events one Finder looks at, unless a single pair needs more.
const maxSpan = 1 << 20

// beyond is how many events after the second access a Finder gets: sections that are open there may have to end.
const beyond = 1 << 10

// Ended says that the run has no more events than the engine was given.
func (e *Engine) Ended() { e.ended = true }

// goesOn reports whether the run may have an event at seq or later.
func (e *Engine) goesOn(seq trace.Seq) bool { return !e.ended || seq < e.window.next() }

// Flush settles the pairs that wait: each instance is looked into until one has a witness.
func (e *Engine) Flush() {
	pairs := e.pending.pairs
	e.pending = pending{}
	type instance struct {
		pair int
		predict.Candidate
	}
	var all []instance
	for n := range pairs {
		w := &pairs[n]
		first := &w.instances[0]
		if e.observed.Seen(&first.First.Ev, &first.Second.Ev) > 0 {
			w.done = true
			continue
		}
		e.stats.Candidates++
		for _, c := range w.instances {
			all = append(all, instance{n, c})
		}
	}
	slices.SortStableFunc(all, func(a, b instance) int {
		if a.Second.Seq != b.Second.Seq {
			return int(int64(a.Second.Seq - b.Second.Seq))
		}
		return int(int64(a.First.Seq - b.First.Seq))
	})
	budget := e.cfg.FlushStates
	for len(all) > 0 {
		// A group of instances that one Finder serves: (lo, hi) covers them all.
		lo, atCut := e.start(all[0].First.Seq)
		hi, n := all[0].Second.Seq+1, 1
		for n < len(all) {
			l, cut := e.start(all[n].First.Seq)
			h := max(hi, all[n].Second.Seq+1)
			if e.fulls.since(lo) != e.fulls.since(l) {
				break
			}
			if cut != atCut || cut && l != lo || h-min(l, lo) > maxSpan {
				break
			}
			lo, hi, n = min(l, lo), h, n+1
		}
		var f *witness.Finder
		for _, c := range all[:n] {
			w := &pairs[c.pair]
			switch {
			case w.done:
				continue
			case c.First.Seq < e.window.first:
				w.givenUp(witness.OffWindow, c.Candidate, lo, atCut)
				continue
			case !e.clean(lo):
				w.givenUp(witness.RacyRead, c.Candidate, lo, atCut)
				continue
			case budget <= 0:
				w.givenUp(witness.Budget, c.Candidate, lo, atCut)
				continue
			}
			if !c.Ordered {
				budget -= int(c.Second.Seq-c.First.Seq) / witness.EventsPerState
				if !e.ordered(c.First.Seq, c.Second.Seq) {
					continue // (E1) has it, or what it knew of the first access is gone
				}
			}
			if f == nil {
				to := min(e.window.next(), hi+beyond)
				f = witness.New(e.window.copy(lo, to), witness.Options{
					Dropped: !e.cfg.Complete, Racy: e.racySince(lo), Midway: lo > 0 && !atCut, States: e.cfg.SearchStates,
					Before: lo > 0, After: e.goesOn(to),
				})
			}
			a := f.Find(int32(c.First.Seq-lo), int32(c.Second.Seq-lo))
			budget -= a.States + a.Events/witness.EventsPerState
			e.stats.States += uint64(a.States)
			switch a.Verdict {
			case witness.Feasible:
				w.done = true
				e.predicted(w, c.Candidate, f, a.Schedule)
			case witness.Unknown:
				w.givenUp(a.Reason, c.Candidate, lo, atCut)
			}
		}
		all = all[n:]
	}
	e.giveAway(pairs)
	for n := range pairs {
		if w := &pairs[n]; !w.done {
			e.undecided(w)
		}
	}
}

// ordered reports whether an event of the window happens before a later one.
func (e *Engine) ordered(first, second trace.Seq) bool {
	var ev trace.Event
	return hb.Before(int(second-first)+1, func(i int) *trace.Event {
		ev, _ = e.window.at(first + trace.Seq(i))
		return &ev
	})
}

// shown is the part of a schedule that a finding shows, and how many events come before it.
func shown(f *witness.Finder, schedule []int32) (events []trace.Event, skipped int) {
	skipped = max(0, len(schedule)-maxWitness)
	for _, i := range schedule[skipped:] {
		events = append(events, *f.Event(i))
	}
	return events, skipped
}

func (e *Engine) predicted(w *waiting, c predict.Candidate, f *witness.Finder, schedule []int32) {
	e.settled.Count(&c.First.Ev, &c.Second.Ev)
	e.stats.Predicted++
	events, skip := shown(f, schedule)
	e.sink(Finding{
		Verdict: report.Predicted, By: w.by,
		First: e.access(c.First), Second: e.access(c.Second),
		Witness: events, Skipped: skip,
	})
}

// undecided gives out a pair without a witness as possible, unless all of its instances are infeasible.
func (e *Engine) undecided(w *waiting) {
	c := w.instances[0]
	if w.note == "" {
		e.stats.Infeasible++
		return
	}
	e.stats.Unknown++
	if e.possible.Count(&c.First.Ev, &c.Second.Ev) > 1 {
		return
	}
	e.sink(Finding{
		Verdict: report.Possible, By: w.by,
		First: e.access(c.First), Second: e.access(c.Second),
		Note: notes[w.note],
	})
}

// notes say the reasons of package witness to the reader of a report.
var notes = map[string]string{
	witness.RacyRead:      "no witness: it would need a read whose value is uncertain, because the bytes were written at the same time",
	witness.Budget:        "no witness: the search was given up",
	witness.NotFound:      "no witness was found",
	witness.Rejected:      "no witness: the schedule that was found did not pass the check",
	witness.OffWindow:     "no witness: the first access is too long ago, its events are no longer kept",
	witness.UnknownBefore: "no witness: it would need to know more of what goroutines did before its first event",
	witness.UnknownAfter:  "no witness: it would need to know more of what goroutines did after it",
	witness.Repeats:       "no witness: it would need to know of accesses that were not recorded, because they repeat others",
	witness.TooLarge:      "no witness: too many events come before to search all schedules",
}
