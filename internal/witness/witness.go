// Package witness turns a goal into a schedule: a correct reordering of the trace after which the
// goal's events are the next ones of their goroutines. For a race these are two accesses. Package
// check knows what else a kind of goal asks of its events.
//
// The steps of a search:
//
//  1. It collects the events that every such schedule has (closure.go).
//  2. If the set can keep every lock's sections in the trace's order, and has none of the goal's next events, then the set in the trace's
//     order is the schedule (Mathur, Pavlogiannis, Viswanathan, POPL 2021, call the race sync-preserving).
//  3. If the orders that every schedule keeps contradict each other, there is no schedule (impossible.go).
//  4. Otherwise sections change places only where they have to (saturation.go).
//  5. If that fails, a bounded depth-first search tries any order of sections (search.go).
//
// Package check accepts or refuses every schedule that is found.
//
// Words of this package:
//
//   - the set: the events collected so far, a prefix of each goroutine's events (closure.go);
//   - the box: the set that steps 4 and 5 put in order (B1);
//   - a section stays open: its acquire is in the box, and its release cannot be;
//   - unit: events that step 4 orders as one (order.go);
//   - part: a piece of an append's memory accesses, see internal/trace/append.go.
package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness/check"
)

// Verdict is one of three answers.
type Verdict uint8

// The answers. Unknown comes with a reason.
const (
	Unknown Verdict = iota
	Infeasible
	Feasible
)

func (v Verdict) String() string { return [...]string{"unknown", "infeasible", "feasible"}[v] }

// The reasons for Unknown.
const (
	RacyRead      = "racy read"      // a schedule needs a read of bytes that were written at the same time
	LostAccesses  = "lost accesses"  // a schedule needs a read of bytes, and accesses of these bytes were forgotten
	OpenSpan      = "open span"      // a schedule needs a read whose goroutine has not synchronized since
	Budget        = "budget"         // the search was given up
	NotFound      = "not found"      // the search ended without a schedule, but it does not try every schedule
	Rejected      = "rejected"       // a schedule was found, but the checker refused it
	OffWindow     = "window"         // an access is no longer in the window
	TooLarge      = "too large"      // too many events to search
	UnknownBefore = "unknown before" // it depends on what came before the trace's beginning, (P10), (I3)
	UnknownAfter  = "unknown after"  // it depends on what came after the trace's end, (I4)
	Repeats       = "repeats"        // it depends on accesses that were dropped, (P11)
)

// Answer says whether there is a schedule that reaches a goal.
type Answer struct {
	Verdict  Verdict
	Schedule []int32 // places in the trace; Feasible only
	Reason   string  // Unknown only
	Final    bool    // Unknown only: a part of the run that begins earlier has no schedule either
	States   int     // states the search looked at
	Events   int     // events that were looked at outside of the search's states
}

// Options says how to look for witnesses.
type Options struct {
	// Dropped is set for recorded traces, in which accesses that repeat one of their span are missing.
	Dropped bool
	// Uncertain says why an event may not be part of a schedule, "" if it may. It is asked about Reads and appends to a list, whose values may be uncertain. With
	// Midway it is also asked about the first event of a goroutine that ran before the trace, and about the Join of one: the answer is OpenSpan if the accesses
	// of that goroutine are uncertain. nil: every event may.
	Uncertain func(int32) (reason string)
	// Midway is set when the trace begins in the middle of a run, so that it may lack accesses of goroutines that were running then (first.go).
	Midway bool
	// Before and After are set when the run has, or may have, events before and after those of the trace. Then a goal is not infeasible only
	// because the trace lacks events.
	Before, After bool
	// States bounds one search; 0 means DefaultStates.
	States int
	// Box bounds how many events are searched, without those that (B2) fixes; 0 means DefaultBox.
	Box int
	// Stop is asked now and then whether to give up; nil goes on.
	Stop func() bool
}

// DefaultStates and DefaultBox bound a search if Options has no bounds.
const (
	DefaultStates = 4000
	DefaultBox    = 1 << 16
)

// Finder looks for witnesses in one trace.
type Finder struct {
	*facts
	opts    Options
	checker *check.Checker
	set     *closure
	firsts  []int32 // of (P10)
	lastErr error

	sure bool // only contradictions count that also hold in the run, (I3), (I4)
	used lack // the parts of the run that the present contradiction depends on
}

// New prepares to find witnesses in the trace. The trace may begin in the middle of a run: then the
// events before it are part of every schedule.
func New(evs []trace.Event, opts Options) *Finder {
	if opts.States == 0 {
		opts.States = DefaultStates
	}
	if opts.Box == 0 {
		opts.Box = DefaultBox
	}
	f := &Finder{facts: gather(evs, opts.Dropped), opts: opts}
	f.checker = check.New(evs, check.Options{Dropped: opts.Dropped, Found: f.stores.Found})
	f.set = newClosure(f)
	if opts.Midway {
		f.firsts = findFirsts(evs)
	}
	return f
}

// Find looks for a schedule that reaches the goal, whose events are of different goroutines.
func (f *Finder) Find(g goal.Goal) Answer {
	f.set.looked = 0
	a := f.find(g)
	a.Events = f.set.looked
	return a
}

func (f *Finder) find(g goal.Goal) Answer {
	p := f.set
	defer p.end()
	p.begin(g, false)
	closed := p.close()
	if !closed && p.why != hit {
		why := p.why
		return Answer{Reason: why, Final: f.uncertain(g)}
	}
	if closed {
		p.locks = true
		p.enterAll()
		if p.close() {
			if schedule := p.inTraceOrder(); f.accept(schedule, g) {
				return Answer{Verdict: Feasible, Schedule: schedule}
			}
		}
	}
	if a, refuted := f.refute(g); refuted {
		return a
	}
	if !closed {
		return f.depends(hit)
	}
	return f.search(g)
}

// uncertain reports whether every schedule, from this beginning or an earlier one, needs a read
// whose bytes are uncertain from here on.
func (f *Finder) uncertain(g goal.Goal) bool {
	p := f.set
	p.end()
	p.begin(g, true)
	return !p.close() && (p.why == RacyRead || p.why == LostAccesses)
}

// accept asks the checker.
func (f *Finder) accept(schedule []int32, g goal.Goal) bool {
	f.set.looked += len(schedule)
	f.lastErr = f.checker.Check(schedule, g)
	if f.lastErr == nil && !f.keepsFirsts(schedule) {
		f.lastErr = errFirsts
	}
	return f.lastErr == nil
}

// inTraceOrder lists the set's events in the order of the trace.
func (p *closure) inTraceOrder() []int32 {
	n := p.size()
	all := make([]int32, 0, n)
	if n > len(p.evs)/16 { // then sorting costs more
		for i := range p.evs {
			if p.has(int32(i)) {
				all = append(all, int32(i))
			}
		}
		return all
	}
	for _, g := range p.touched {
		all = append(all, p.list[g][:p.need[g]]...)
	}
	slices.Sort(all)
	return all
}

// size is how many events the set has.
func (p *closure) size() int {
	n := 0
	for _, g := range p.touched {
		n += int(p.need[g])
	}
	return n
}

// Event is the event at place i of the trace.
func (f *Finder) Event(i int32) *trace.Event { return &f.evs[i] }
