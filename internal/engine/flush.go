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
func (w *waiting) givenUp(c *instance) {
	w.open++
	if !worthMore(w.note) {
		w.note, w.at = c.note, c.at
	}
}

// instance is a pair of accesses under way.
type instance struct {
	pair int // of positions
	predict.Candidate
	near  trace.Seq   // where the nearest schedules begin
	from  []trace.Seq // where others may begin that were not tried yet
	spent int         // states, and what costs as much
	note  string      // why there is no answer so far, and
	at    retry       // where one may be with more effort
	never bool        // there is no schedule
}

// next is where its next schedule begins.
func (c *instance) next() trace.Seq { return c.from[0] }

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
	e.settle(pairs, e.cfg.FlushStates, false)
	for n := range e.deferred {
		e.cfg.Unsettled(&e.deferred[n])
	}
	e.deferred, e.deferredEvents = nil, 0
}

// settle looks for schedules of the pairs with a budget of states, and returns how many of them it used. If the run goes on, more may be known later of what there are
// no events of yet.
func (e *Engine) settle(pairs []waiting, budget int, goesOn bool) (spent int) {
	var all []*instance
	for n := range pairs {
		w := &pairs[n]
		first := &w.instances[0]
		if e.observed.Seen(&first.First.Ev, &first.Second.Ev) > 0 {
			w.done = true
			continue
		}
		e.stats.Candidates++
		for _, c := range w.instances {
			in := &instance{pair: n, Candidate: c, from: e.beginnings(&c)}
			if in.from == nil {
				in.note = witness.OffWindow
				w.givenUp(in)
				continue
			}
			in.near = in.from[0]
			if !c.Ordered {
				in.spent = int(c.Second.Seq-c.First.Seq) / witness.EventsPerState
				if !e.ordered(c.First.Seq, c.Second.Seq) {
					continue // (E1) has it, or what it knew of the first access is gone
				}
			}
			all = append(all, in)
		}
	}
	for ; len(all) > 0; all = left(pairs, all) {
		slices.SortStableFunc(all, func(a, b *instance) int { return int(int64(a.next() - b.next())) })
		for rest := all; len(rest) > 0; {
			n := together(rest)
			spent += e.find(pairs, rest[:n], budget-spent, goesOn)
			rest = rest[n:]
		}
	}
	e.giveAway(pairs, goesOn)
	for n := range pairs {
		if w := &pairs[n]; !w.done {
			e.undecided(w)
		}
	}
	return spent
}

// left are the instances that are not settled and have another beginning to try. Of the others it is noted why they are not.
func left(pairs []waiting, all []*instance) (more []*instance) {
	for _, c := range all {
		switch w := &pairs[c.pair]; {
		case w.done || c.never:
		case len(c.from) > 0:
			more = append(more, c)
		default:
			w.givenUp(c)
		}
	}
	return more
}

// together is how many of the instances, in the order of their beginnings, one Finder serves: those who begin where the first one does, and those
// for which it is not much farther.
func together(all []*instance) (n int) {
	lo := all[0].next()
	hi := all[0].Second.Seq
	for n = 1; n < len(all); n++ {
		l, h := all[n].next(), max(hi, all[n].Second.Seq)
		if l != lo && (l-lo > (all[n].near-l)/4 || h-lo > maxSpan) {
			break
		}
		hi = h
	}
	return n
}

// find looks for schedules of the instances from the beginning of the first one on, and returns what that has cost in states.
func (e *Engine) find(pairs []waiting, all []*instance, budget int, goesOn bool) (spent int) {
	lo := all[0].next()
	hi := lo
	for _, c := range all {
		c.from = c.from[1:]
		hi = max(hi, c.Second.Seq+1)
	}
	var f *witness.Finder
	for _, c := range all {
		w := &pairs[c.pair]
		if w.done {
			continue
		}
		share := 2 * int(hi-lo) / witness.EventsPerState / len(all) // to prepare a Finder
		if spent >= budget || e.cfg.PairStates > 0 && c.spent+share > e.cfg.PairStates {
			from := lo
			if n := len(c.from); n > 0 {
				from = c.from[n-1] // more effort goes into the one that may find the most
			}
			c.unknown(witness.Budget, from)
			c.from = nil
			continue
		}
		if f == nil {
			to := min(e.until(), hi+beyond)
			evs := e.window.copy(lo, to)
			f = witness.New(evs, witness.Options{
				Dropped: !e.cfg.Complete, Uncertain: e.doubts(lo, evs, goesOn).of, Midway: lo > 0, States: e.cfg.SearchStates,
				Before: lo > 0, After: e.goesOn(to),
			})
		}
		a := f.Find(int32(c.First.Seq-lo), int32(c.Second.Seq-lo))
		cost := share + a.States + a.Events/witness.EventsPerState
		c.spent += cost
		spent += cost
		e.stats.States += uint64(a.States)
		switch a.Verdict {
		case witness.Feasible:
			w.done = true
			e.predicted(w, c.Candidate, f, a.Schedule)
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

// unknown notes why there is no answer from a beginning on. What a larger budget may help with is kept, and the nearest beginning of these.
func (c *instance) unknown(reason string, from trace.Seq) {
	if !worthMore(c.note) {
		c.note, c.at = reason, retry{c.First.Seq, c.Second.Seq, from}
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
