// Package predict has what predictors share: a trace -> candidates, which are what some order of events does not exclude. Each predictor is a
// package beneath this one; none imports another. Package predictors is their table.
package predict

import (
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/trace"
)

// Predictor takes in a trace and gives candidates to the sink that it was made with, while Event runs.
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
	// Memory is about how many bytes the predictor may take; 0 means no bound but the predictor's own. Those that do not run by default keep the clocks of all locks and
	// objects that the program has on top of it. What it forgets to keep to it is counted in Stats.Evicted, and makes for fewer candidates, or for more, but for no wrong finding.
	Memory int
	// Arena is where what has no pointers to the heap may lie.
	Arena Arena
	// Complete is set for traces that have every access; in recordings those that repeat one of their span are missing.
	Complete bool
	// PerClass and PerWord are how many accesses of a class, and in all, a word keeps in predictors that keep a number of them; 0 means what they
	// find good. They are for comparisons.
	PerClass, PerWord int
}

// Stats are a predictor's totals.
type Stats struct {
	Evicted uint64 // times that something was forgotten for want of room
	Lost    uint64 // accesses that were let go because very many goroutines accessed the same word at once; more room does not keep them
	Merged  uint64 // objects in use, and goroutines, whose clocks had become one with those of others for want of room
	Memory  int    // about how many bytes it takes
	Heap    int    // about how many of the Go heap
}

// Add adds another predictor's.
func (s *Stats) Add(t Stats) {
	s.Evicted += t.Evicted
	s.Lost += t.Lost
	s.Merged += t.Merged
	s.Memory += t.Memory
	s.Heap += t.Heap
}

// Rule is how often one of a predictor's rules ordered what nothing had ordered before.
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
	Events   []Event // in the trace's order, or in that of the goal if it has events executed
	By       string  // the predictor's name
	Standing Standing
	Unit     trace.Event // of goal.Atomicity, the UnitBegin of what is meant to be atomic
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

// Standing says what the run itself shows of a candidate.
type Standing uint8

const (
	// Hidden is what only another schedule can show: in this run the events are ordered, even without what nobody looked at.
	Hidden Standing = iota
	// Unordered is what the run shows, unless something that nobody looked at orders the events. Happens-before gives out what the run shows, so this is
	// looked into only where there is such.
	Unordered
	// Shown is what the run shows. It is a finding without a schedule.
	Shown
	// InOrder is what the run shows, if happens-before orders the goal's events as the goal does, which is looked into.
	InOrder
	// Schedulable is no finding. If happens-before has the same one, the predictor adds its name.
	Schedulable
)

// StandingOf is Hidden or Unordered.
func StandingOf(ordered bool) Standing {
	if ordered {
		return Hidden
	}
	return Unordered
}
