package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// Config bounds the engine. The zero Config has sensible bounds.
type Config struct {
	// Memory is about how many bytes the engine may take; 0 means DefaultMemory. The program's goroutines and positions are kept whatever it says, with some 300 bytes for
	// a goroutine and 100 for a position.
	Memory int
	// Window is how many of the last events are kept for witnesses. 0 means as many as a seventh of Memory has room for, but not more than DefaultWindow, or than
	// a 64th of Memory has room for if that is more.
	Window int
	// Reach is how many events before a goal's first event a witness may reorder. A witness executes all earlier events first,
	// in the order of the run. 0 means 256 Ki.
	Reach int
	// SearchStates bounds one search for a witness; 0 means witness.DefaultStates.
	SearchStates int
	// PairStates bounds all searches for one candidate, and goalShare times PairStates those for all with the same positions; less than 0 means no bound. The second
	// search for a candidate may exceed it. 0 means twice SearchStates if Deferred takes what is left, and no bound otherwise.
	PairStates int
	// FlushStates bounds all searches of one Flush, so that it takes seconds at most; 0 means 1000 times SearchStates, less than 0 no search at all.
	FlushStates int
	// Pending is how many goals, one for each set of positions, may wait for Flush; 0 means 16 Ki.
	Pending int
	// Complete is set for traces that have every access. Recordings lack accesses that repeat one of their span.
	Complete bool
	// Arena is where most is kept; nil is the Go heap. See predict.Arena.
	Arena predict.Arena
	// Predictors are names of package predictors' table; nil means predictors.Default. Happens-before always runs.
	Predictors []string
	// Directed gets the goals that have no schedule and are worth a directed run, once for each set of positions, maxDirected at most. It may be nil.
	Directed func(Finding)
	// Deferred gets, before Flush returns, the searches that a larger budget might answer. Their goals are given out as possible. It may be nil.
	Deferred func(*DeferredSearch)
}

// DefaultSample is what -sample means if it is not given: a position of the code may make a 1024th
// of that many records in a test before it is busy (docs/sampling.md).
const DefaultSample = 1 << 18

// DefaultMemory is the bound of a zero Config, and MinMemory the least that makes sense.
const (
	DefaultMemory = 1 << 30
	MinMemory     = 16 << 20
)

// DefaultWindow is the Window of a zero Config, some 17 MB.
const DefaultWindow = 1<<20 + 1<<18

func (c Config) withDefaults() Config {
	set := func(v *int, to int) {
		if *v <= 0 {
			*v = to
		}
	}
	set(&c.Memory, DefaultMemory)
	c.Memory = max(c.Memory, MinMemory)
	set(&c.Window, max(min(c.Memory/7/eventBytes, DefaultWindow), c.Memory/64/eventBytes))
	set(&c.Reach, 256<<10)
	set(&c.SearchStates, witness.DefaultStates)
	if c.PairStates == 0 && c.Deferred != nil {
		c.PairStates = 2 * c.SearchStates
	}
	if c.FlushStates == 0 {
		c.FlushStates = 1000 * c.SearchStates
	}
	set(&c.Pending, 16<<10)
	return c
}

// Participant is one event of a finding with what is known about its goroutine.
type Participant struct {
	Seq   trace.Seq
	Ev    trace.Event
	Locks []trace.Event // the acquires of the sections it is in, outermost first, as far as the window has them
	Fork  trace.Event   // what created the goroutine; zero for the first, and for what is unknown
	Test  uint32        // the test running on the goroutine, or on its creator then; 0 is none
}

// Finding is what the engine gives out.
type Finding struct {
	Goal    goal.Kind
	Verdict report.Verdict
	By      []string
	Events  []Participant // as predict.Candidate has them
	Witness []Placed      // the schedule's end, up to maxWitness events; Predicted only
	Skipped int           // how many events of the schedule come before Witness
	Around  Around        // what the run did, unless the finding is only possible
	Note    string        // why it is only possible, or what else the reader should know
	Unit    trace.Event   // as predict.Candidate has it, or zero if that is not known
	Rank    int           // Directed only: 1 is most promising
}

// First is the first participant.
func (f *Finding) First() *Participant { return &f.Events[0] }

// Last is the last one.
func (f *Finding) Last() *Participant { return &f.Events[len(f.Events)-1] }

// maxWitness is how many events of a schedule a finding shows.
const maxWitness = 512

// Stats are totals of an engine.
type Stats struct {
	Events     uint64
	Observed   uint64
	Candidates uint64 // goals, by their positions, that a predictor proposed and the run did not show
	Predicted  uint64
	Infeasible uint64
	Unknown    uint64 // candidates without a witness and without a proof that there is none
	TooFar     uint64 // of these, those that were given out as possible since the window no longer had the first event
	Evicted    uint64 // times that something was forgotten for want of room
	Ended      uint64 // goroutines that had ended and were forgotten, to keep clocks short
	Shared     uint64 // goroutines that share a place in clocks with others, since very many were alive
	Lost       uint64 // accesses that were forgotten because very many goroutines accessed the same word at once; more room does not keep them
	Merged     uint64 // objects in use, and goroutines, that had to share a clock with others for want of room
	Memory     int    // about how many bytes the engine takes
	States     uint64 // of all searches
	Rules      []report.Rule
}

// Forgot is how often something was forgotten that more room would have kept.
func (s Stats) Forgot() uint64 { return s.Evicted + s.Ended + s.Shared }

// Engine takes in a run's events and gives out findings.
type Engine struct {
	cfg        Config
	sink       func(Finding)
	predictors *predictors.Set
	hb         *hb.Predictor // one of the predictors; the engine asks it about the run
	window     window
	now        trace.Event // the present event, so that Event allocates nothing
	gs         goroutines
	stats      Stats
	tests      []trace.Seq // where they began, as far as remembered
	ended      bool        // there are no more events
	unseen     bool        // some event was unseen: predictors leave it out, so they may not know all of happens-before

	observed    map[predict.Key]bool     // given out by (E1)
	schedulable map[predict.Key][]string // the predictors that know a pair to be schedulable
	witnessed   map[predict.Key]bool     // given out as predicted
	possible    map[predict.Key]bool
	directed    map[predict.Key]bool
	pending     pending
	known       trace.Seq // see FlushBefore; 0 otherwise

	missedLooks trace.Seq // how many events missed has gone through
	isMissed    bool      // the candidate that comes now is its

	credit         int              // how many states leaving may spend
	deferred       []DeferredSearch // until Flush
	deferredEvents int
}

// New returns an engine that gives findings to sink.
func New(cfg Config, sink func(Finding)) *Engine {
	e := &Engine{
		cfg: cfg.withDefaults(), sink: sink,
		observed: map[predict.Key]bool{}, schedulable: map[predict.Key][]string{}, witnessed: map[predict.Key]bool{}, possible: map[predict.Key]bool{},
		directed: map[predict.Key]bool{},
	}
	var err error
	e.predictors, err = predictors.New(e.cfg.Predictors, predict.Config{
		Memory: e.cfg.Memory / 8 * predictorShare, Arena: e.cfg.Arena, Complete: e.cfg.Complete,
	}, e.candidate)
	if err != nil {
		panic("internal error: engine: " + err.Error())
	}
	e.hb = e.predictors.HB
	e.window.limit = e.cfg.Window
	e.window.arena = e.cfg.Arena
	e.gs.arena(e.cfg.Arena)
	e.gs.ended.Keep = keepEnded
	e.gs.handed = handedOver{ends: map[trace.Seq]trace.Seq{}, latest: predict.Latest[trace.Seq]{Keep: keepHandedOver}}
	return e
}

// predictorShare is how many eighths of the memory are for predictors. The rest is for the window
// and for the search for schedules.
const predictorShare = 5

// Event takes in the run's next event.
func (e *Engine) Event(ev trace.Event) {
	e.now = ev
	e.Take(&e.now)
}

// Take is Event for an event that lies on the heap anyway. The engine does not keep the pointer.
func (e *Engine) Take(ev *trace.Event) {
	seq := e.window.next()
	if seq%chunkEvents == 0 {
		e.leaving(seq)
	}
	if ev.Kind == trace.Read || ev.Kind == trace.Write {
		e.window.add(ev, 0)
		if ev.Flags&trace.FlagAtomic != 0 && ev.Unseen() {
			e.unseen = true
		}
	} else {
		e.window.add(ev, e.gs.event(seq, ev))
		if ev.Unseen() && ev.Kind != trace.Change { // happens-before leaves such an event out
			e.unseen = true
		}
		switch ev.Kind {
		case trace.TestBegin:
			e.testBegins(seq)
		case trace.MissedRead, trace.MissedWrite:
			e.missed(seq, ev)
		}
	}
	e.predictors.Event(seq, ev)
}

// Regressed reports whether a goroutine's clock of happens-before is less than when Regressed was
// last called with c, and which goroutine that is.
func (e *Engine) Regressed(c *Clocks) (trace.G, bool) { return e.hb.Regressed(c) }

// Clocks is what Regressed remembers from call to call.
type Clocks = hb.Clocks

// candidate takes in a predictor's candidate.
func (e *Engine) candidate(c predict.Candidate) {
	switch c.Standing {
	case predict.Shown:
		e.observe(c)
	case predict.Schedulable:
		if k := c.Key(); !slices.Contains(e.schedulable[k], c.By) {
			e.schedulable[k] = append(e.schedulable[k], c.By)
		}
	default:
		e.propose(c)
	}
}

// observe is (E1).
func (e *Engine) observe(c predict.Candidate) {
	k := c.Key()
	again := e.observed[k]
	e.observed[k] = true
	e.stats.Observed++
	by := append([]string{c.By}, e.schedulable[k]...)
	predictors.Sort(by)
	f := Finding{Goal: c.Goal, Verdict: report.Observed, By: by, Events: e.participants(&c), Unit: c.Unit}
	switch {
	case e.isMissed:
		f.Note = missedNote
	case !again:
		f.Around = e.window.span().around(f.Events, nil)
		if c.Goal == goal.Race {
			f.Note = e.whyApart(c.Events[0], *c.Last())
		}
	}
	e.sink(f)
}

// propose keeps a candidate for (E2), unless it is known that the run does not have it or that it
// was given out.
func (e *Engine) propose(c predict.Candidate) {
	if c.Standing == predict.Unordered && !e.unseen {
		return
	}
	if k := c.Key(); e.observed[k] || e.witnessed[k] {
		return
	}
	if !e.pending.add(c, e.cfg.Pending) {
		e.stats.Evicted++
	}
}

// Stats returns the totals so far. Memory is that of the window and the predictors.
func (e *Engine) Stats() Stats {
	s := e.stats
	p := e.predictors.Stats()
	s.Events = uint64(e.window.next())
	s.Evicted += p.Evicted
	s.Ended, s.Shared = p.Ended, p.Shared
	s.Lost += p.Lost
	s.Merged += p.Merged
	s.Memory = e.window.bytes() + p.Memory
	for _, r := range e.predictors.Rules() {
		s.Rules = append(s.Rules, report.Rule{Predictor: r.By, Rule: r.Name, Fired: r.Fired})
	}
	return s
}

// Heap is about how much of the Go heap the engine takes. The rest of its memory is in its arena.
func (e *Engine) Heap() int { return e.window.heap() + e.gs.heap() + e.predictors.Stats().Heap }
