// Package predict has what predictors share. A predictor turns a trace into candidates: goals that
// its order of events does not exclude. Each predictor is a package beneath this one; none imports
// another. Package predictors is their table.
package predict

import (
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/trace"
)

// Predictor takes in a trace and gives candidates to the sink that it was made with, while Event
// runs.
type Predictor interface {
	// Event takes in the next event, in the trace's order. The event is not kept; Seq counts events from 0 without gaps.
	Event(seq trace.Seq, ev *trace.Event)
	// Stats are the totals so far. It is asked often.
	Stats() Stats
	// Rules are how often rules ordered something so far.
	Rules() []Rule
}

// Config is what a predictor is made with. The zero Config is for recordings, without a bound.
type Config struct {
	// Memory is about how many bytes the predictor may take; 0 means only the predictor's own bounds. Predictors that do not run by default take more: the clocks of all locks and
	// objects that the program has. A predictor that must forget something counts that in its Stats (Forgot). It then gives fewer candidates, or more, but no finding gets wrong.
	Memory int
	// Arena has room for what has no pointers to the heap.
	Arena Arena
	// Complete is set for traces that have every access. Recordings lack accesses that repeat one of their span.
	Complete bool
	// PerClass and PerWord are how many accesses of a class, and in all, a predictor keeps for a word; 0 means the predictor's own number.
	// They are for comparisons.
	PerClass, PerWord int
}

// Stats are a predictor's totals.
type Stats struct {
	Evicted uint64 // times that something was forgotten for want of room
	Ended   uint64 // goroutines that had ended and were forgotten with what they did, to keep clocks short (vclock/S2); more room keeps more of them
	Shared  uint64 // goroutines that share a slot with others, since very many were alive (threads/T2); more room gives more of them one of their own
	Lost    uint64 // accesses that were dropped because very many goroutines accessed the same word at once; more room does not keep them
	Merged  uint64 // objects and goroutines that were used again after their clocks had become one, for want of room
	Memory  int    // about how many bytes it takes
	Heap    int    // about how many of them are in the Go heap
}

// Forgot is how often something was forgotten that more room would have kept.
func (s Stats) Forgot() uint64 { return s.Evicted + s.Ended + s.Shared }

// Add adds another predictor's totals. Ended and Shared are mostly about the same goroutines, so they
// are those of the predictor that has most.
func (s *Stats) Add(t Stats) {
	s.Evicted += t.Evicted
	s.Ended = max(s.Ended, t.Ended)
	s.Shared = max(s.Shared, t.Shared)
	s.Lost += t.Lost
	s.Merged += t.Merged
	s.Memory += t.Memory
	s.Heap += t.Heap
}

// Rule is how often one of a predictor's rules ordered two events that no rule had ordered before.
type Rule struct {
	By    string // the predictor's name
	Name  string
	Fired uint64
}

// Event is an event of a candidate and its place in the trace.
type Event struct {
	Seq trace.Seq
	Ev  trace.Event
}

// Candidate is what a predictor proposes.
type Candidate struct {
	Goal     goal.Kind
	Events   []Event // in the trace's order, or in the goal's if its schedules execute some of them
	By       string  // the predictor's name
	Standing Standing
	Unit     trace.Event // of goal.Atomicity: the UnitBegin of the unit that is meant to be atomic
	// Certain says that some order of synchronization reaches the goal, whatever reads would see in it.
	Certain bool
}

// RaceOf is the race of two accesses, of which first is earlier in the trace.
func RaceOf(by string, first, second Event, standing Standing) Candidate {
	return Candidate{Goal: goal.Race, Events: []Event{first, second}, By: by, Standing: standing}
}

// First is the earliest event of the candidate.
func (c *Candidate) First() *Event {
	first := &c.Events[0]
	for i := range c.Events {
		if e := &c.Events[i]; e.Seq < first.Seq {
			first = e
		}
	}
	return first
}

// Last is the latest one.
func (c *Candidate) Last() *Event {
	last := &c.Events[0]
	for i := range c.Events {
		if e := &c.Events[i]; e.Seq > last.Seq {
			last = e
		}
	}
	return last
}

// Standing says whether the run itself shows a candidate.
type Standing uint8

const (
	// Hidden: only another schedule can show it. In this run the events are ordered, even without unseen operations.
	Hidden Standing = iota
	// Unordered: the run shows it, unless unseen operations order the events. Happens-before gives out what the run shows, so the engine
	// examines this only if the run has unseen operations.
	Unordered
	// Shown: the run shows it. It is a finding without a schedule.
	Shown
	// InOrder: the run shows it if happens-before orders the events as the goal does. The engine examines that.
	InOrder
	// Schedulable: it is no finding by itself. It adds the predictor's name to the same candidate of happens-before.
	Schedulable
)

// StandingOf is Hidden or Unordered.
func StandingOf(ordered bool) Standing {
	if ordered {
		return Hidden
	}
	return Unordered
}
