// Package witness turns a goal into a schedule: a correct reordering of the trace after which the goal's events
// are the next ones of their goroutines. For a race these are two accesses. What else a kind of goal asks of its events only package check knows.
//
// First the events that every such schedule has (must.go). Then, if keeping every lock's sections in the
// trace's order closes the set without one of the goal's events in it, the set in the trace's order is the
// schedule (Mathur, Pavlogiannis, Viswanathan, POPL 2021, call the race sync-preserving). Otherwise, if what every schedule keeps is
// no contradiction (impossible.go), sections are turned round where they have to be (saturation.go), and where that fails a bounded
// search tries schedules in any order of sections (search.go). Package check has the last word on every schedule.
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
	LostAccesses  = "lost accesses"  // a schedule needs a read of bytes some of whose accesses nobody remembers
	OpenSpan      = "open span"      // a schedule needs a read whose goroutine has not synchronized since
	Budget        = "budget"         // the search was given up
	NotFound      = "not found"      // the search saw all it looks at, which is not everything
	Rejected      = "rejected"       // a schedule was found, but the checker refused it
	OffWindow     = "window"         // an access is no longer in the window
	TooLarge      = "large past"     // too many events to search
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
	Events   int     // events that were looked at besides
}

// Options says how to look for witnesses.
type Options struct {
	// Dropped is set for recorded traces, in which accesses that repeat one of their span are missing.
	Dropped bool
	// Uncertain tells why an event may not be part of a schedule, "" if it may: a Read or an append to a list, since what it saw is uncertain, or, which is
	// OpenSpan, with Midway, the first event of a goroutine that ran before the trace, or the Join of one, since what that did is. Others are not asked about. nil
	// means that all may.
	Uncertain func(int32) (reason string)
	// Midway is set when the trace begins in the middle of a run, and goroutines may have been doing there what is missing in it.
	Midway bool
	// Before and After are set when the run has events before and after those of the trace, or may have. What the trace lacks then is no
	// proof that a goal is infeasible.
	Before, After bool
	// States bounds one search; 0 means DefaultStates.
	States int
	// Box bounds how many events are searched, after (B2); 0 means DefaultBox.
	Box int
	// Stop is asked now and then whether to give up; nil goes on.
	Stop func() bool
}

// DefaultStates and DefaultBox bound a search when nothing else is said.
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

	sure bool // of contradictions, only those that hold in the run, (I3), (I4)
	used lack // what a contradiction came of that may not
}

// New prepares to find witnesses in the trace. It may begin in the middle of a run: what came before
// is then part of every schedule.
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
	p.begin(g)
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

// uncertain reports whether every schedule, from this beginning on or an earlier one, has a read of bytes that are uncertain from here on.
func (f *Finder) uncertain(g goal.Goal) bool {
	p := f.set
	p.end()
	p.begin(g)
	p.certain = true
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
