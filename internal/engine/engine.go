package engine

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predict/lockset"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/predict/shb"
	"github.com/racepred/racepred/internal/predict/syncp"
	"github.com/racepred/racepred/internal/predict/syncrev"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// Predictors are all there are, by name. The first always runs: what it finds is what the run itself showed.
var Predictors = []string{hb.Name, shb.Name, lockset.Name, wcp.Name, syncp.Name, syncrev.Name}

// DefaultPredictors run when nothing else is said. The others are for analysis after the run: all but SHB, which
// finds nothing of its own, cost more than these together.
var DefaultPredictors = []string{hb.Name, wcp.Name}

// Config bounds the engine. The zero Config has sensible bounds.
type Config struct {
	// Memory is about how many bytes the engine may take; 0 means DefaultMemory. Locks, synchronization objects, goroutines and positions that the
	// program has are kept whatever it says.
	Memory int
	// Window is how many of the last events are kept for witnesses; 0 means what a seventh of Memory has room for, but not more than DefaultWindow or
	// what a 64th of Memory has room for.
	Window int
	// Reach is how many events before a pair's first access a witness may reorder; all earlier ones come
	// first in it as they did in the run. 0 means 256 Ki.
	Reach int
	// SearchStates bounds one search for a witness; 0 means witness.DefaultStates.
	SearchStates int
	// PairStates bounds all searches for one pair of accesses, less than 0 means not at all; 0 means twice SearchStates, some 50 ms, if Unsettled goes
	// on with what is left.
	PairStates int
	// FlushStates bounds all searches of one Flush, which is to take seconds at most; 0 means 1000 times SearchStates, less than 0 none.
	FlushStates int
	// Pending is how many pairs of positions may wait for Flush; 0 means 16 Ki.
	Pending int
	// Complete is set for traces that have every access; in recordings those that repeat one of their span are missing.
	Complete bool
	// Arena is where most is kept; nil is the Go heap. See predict.Arena.
	Arena predict.Arena
	// Predictors are the names of those that propose pairs beside happens-before, which always runs; nil means DefaultPredictors.
	Predictors []string
	// Unsettled takes in what is given out as possible, but might be settled with a larger budget, before Flush returns; nil does not.
	Unsettled func(*Unsettled)
}

// DefaultSample is how many accesses at one place in the code a process may record before its recorder begins to leave out something, times 1024.
const DefaultSample = 1 << 18

// DefaultMemory is the bound of a zero Config, and MinMemory the least that makes sense.
const (
	DefaultMemory = 1 << 30
	MinMemory     = 16 << 20
)

// DefaultWindow is the Window of a zero Config, 16 MB.
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
	if c.PairStates == 0 && c.Unsettled != nil {
		c.PairStates = 2 * c.SearchStates
	}
	if c.FlushStates == 0 {
		c.FlushStates = 1000 * c.SearchStates
	}
	set(&c.Pending, 16<<10)
	if c.Predictors == nil {
		c.Predictors = DefaultPredictors
	}
	return c
}

// Access is one access of a finding with what is known about its goroutine.
type Access struct {
	Seq   trace.Seq
	Ev    trace.Event
	Locks []trace.Event // the acquires of the sections it is in, outermost first, as far as the window has them
	Fork  trace.Event   // what created the goroutine; zero for the first, and for what is unknown
	Test  uint32        // the test running on the goroutine, or on its creator then; 0 is none
}

// Finding is a racing pair; First is the earlier in the run.
type Finding struct {
	Verdict       report.Verdict
	By            []string
	First, Second Access
	Witness       []trace.Event // the schedule's end, up to maxWitness events; Predicted only
	Skipped       int           // how many events of the schedule come before Witness
	Note          string        // why it is only possible
}

// maxWitness is how many events of a schedule a finding shows.
const maxWitness = 512

// Stats are totals.
type Stats struct {
	Events     uint64
	Observed   uint64
	Candidates uint64 // pairs of positions that a predictor proposed and the run did not show
	Predicted  uint64
	Infeasible uint64
	Unknown    uint64 // candidates without a witness and without a proof that there is none
	Evicted    uint64 // times that something was forgotten for want of room
	Lost       uint64 // accesses that were let go because very many goroutines accessed the same word at once; more room does not keep them
	Memory     int    // about how many bytes the engine takes
	States     uint64 // of all searches
	Rules      []report.Rule
}

// Engine takes in a run's events and gives out findings.
type Engine struct {
	cfg    Config
	sink   func(Finding)
	hb     *hb.Predictor
	wcp    *wcp.Predictor // nil when not asked for
	shb    *shb.Predictor // nil when not asked for
	others []predict.Predictor
	usual  bool // HB and WCP run, and no other
	window window
	now    trace.Event // the present event, out of the heap's way
	gs     goroutines
	stats  Stats
	tests  []trace.Seq // where they began, as far as remembered
	ended  bool        // there are no more events
	unseen bool        // predictors do not know all of happens-before, since they left out what nobody looked at

	observed    predict.Pairs // given out by (E1)
	schedulable predict.Pairs // of SHB
	settled     predict.Pairs // given out as predicted, or proven to be infeasible for good
	possible    predict.Pairs
	pending     pending
	known       trace.Seq // see FlushBefore; 0 otherwise

	credit         int         // states, see leaving
	deferred       []Unsettled // until Flush
	deferredEvents int
}

// New returns an engine that gives findings to sink.
func New(cfg Config, sink func(Finding)) *Engine {
	e := &Engine{cfg: cfg.withDefaults(), sink: sink}
	e.window.limit = e.cfg.Window
	e.hb = hb.New(e.observe)
	e.hb.Bound(e.cfg.Memory / 4)
	e.hb.Accesses().Limit = e.cfg.Memory / 16 * 7 / shadow.RecordBytes // with what WCP keeps of them
	e.window.arena, e.gs.arena = e.cfg.Arena, e.cfg.Arena
	e.gs.ended.Keep = keepEnded
	e.hb.Arena(e.cfg.Arena)
	e.predictors()
	return e
}

// predictors makes those beside happens-before.
func (e *Engine) predictors() {
	for _, name := range e.cfg.Predictors {
		switch name {
		case hb.Name:
		case wcp.Name:
			e.wcp = wcp.NewIn(e.hb.Accesses(), e.propose)
			e.wcp.Bound(e.cfg.Memory / 8 * 3)
			e.wcp.Arena(e.cfg.Arena)
		case shb.Name:
			e.shb = shb.New(shb.Config{Complete: e.cfg.Complete}, func(c predict.Candidate) { e.schedulable.Count(&c.First.Ev, &c.Second.Ev) })
		case lockset.Name:
			e.others = append(e.others, lockset.New(lockset.Config{}, e.propose))
		case syncp.Name:
			e.others = append(e.others, syncp.New(syncp.Config{Complete: e.cfg.Complete}, e.propose))
		case syncrev.Name:
			e.others = append(e.others, syncrev.New(syncrev.Config{Complete: e.cfg.Complete}, e.propose))
		default:
			panic("internal error: engine: no predictor is named " + name)
		}
	}
	e.usual = e.wcp != nil && e.shb == nil && e.others == nil
}

// Event takes in the run's next event.
func (e *Engine) Event(ev trace.Event) {
	e.now = ev
	e.Take(&e.now)
}

// Take is Event for an event that lies in the heap anyway. It is not kept.
func (e *Engine) Take(ev *trace.Event) {
	if e.usual && (ev.Kind == trace.Read || ev.Kind == trace.Write) {
		seq := e.window.next()
		if seq%chunkEvents == 0 {
			e.leaving(seq)
		}
		e.window.add(ev, 0)
		if ev.Alone { // neither a race nor an order of sections depends on it
			return
		}
		if ev.Unseen() && ev.Flags&trace.FlagAtomic != 0 {
			e.unseen = true
		}
		e.access2(seq, ev)
		return
	}
	e.take(ev)
}

// access2 takes in an access for HB and WCP.
func (e *Engine) access2(seq trace.Seq, ev *trace.Event) {
	if races := e.hb.Accesses().Check2(seq, ev, e.hb.Actor(ev), e.wcp.Actor(ev)); races != nil {
		e.hb.Races(seq, ev, races[0])
		e.wcp.Races(seq, ev, races[1])
	}
}

// take is Take for all kinds of events and whatever predictors there are.
func (e *Engine) take(ev *trace.Event) {
	seq := e.window.next()
	if seq%chunkEvents == 0 {
		e.leaving(seq)
	}
	e.window.add(ev, e.gs.event(seq, ev))
	e.unseen = e.unseen || ev.Unseen() && ev.Kind != trace.Change && (ev.Kind != trace.Write || ev.Flags&trace.FlagAtomic != 0) // they are none of happens-before's
	if e.shb != nil {
		e.shb.Event(seq, ev)
	}
	switch {
	case e.wcp == nil:
		e.hb.Event(seq, ev)
	case ev.Kind == trace.Read || ev.Kind == trace.Write:
		e.access2(seq, ev)
	default:
		e.hb.Event(seq, ev)
		e.wcp.Event(seq, ev)
	}
	for _, p := range e.others {
		p.Event(seq, ev)
	}
	if ev.Kind == trace.TestBegin {
		e.testBegins(seq)
	}
}

// Fell reports whether a goroutine's clock of happens-before is below what it was when Fell was last called with c, and whose.
func (e *Engine) Fell(c *Clocks) (trace.G, bool) { return e.hb.Fell(c) }

// Clocks is what Fell remembers.
type Clocks = hb.Clocks

// observe is (E1).
func (e *Engine) observe(c predict.Candidate) {
	e.observed.Count(&c.First.Ev, &c.Second.Ev)
	e.stats.Observed++
	by := []string{hb.Name}
	if e.schedulable.Seen(&c.First.Ev, &c.Second.Ev) > 0 {
		by = append(by, shb.Name)
	}
	e.sink(Finding{Verdict: report.Observed, By: by, First: e.access(c.First), Second: e.access(c.Second)})
}

// propose is (E2).
func (e *Engine) propose(c predict.Candidate) {
	a, b := &c.First.Ev, &c.Second.Ev
	if !c.Ordered && !e.unseen || e.observed.Seen(a, b) > 0 || e.settled.Seen(a, b) > 0 {
		return
	}
	if !e.pending.add(c, e.cfg.Pending) {
		e.stats.Evicted++
	}
}

// Stats returns the totals so far. Memory is that of the window, HB and WCP.
func (e *Engine) Stats() Stats {
	s := e.stats
	s.Events = uint64(e.window.next())
	s.Evicted += e.hb.Evicted()
	s.Lost += e.hb.Lost()
	s.Memory = e.window.bytes() + e.hb.Bytes()
	s.rules(hb.Name, e.hb.Rules())
	e.count(&s)
	return s
}

// Heap is about how much of the Go heap HB, WCP and what surrounds them take. The rest of the engine's memory is in its arena.
func (e *Engine) Heap() int {
	n := e.window.heap() + e.gs.heap() + e.hb.Heap()
	if e.wcp != nil {
		n += e.wcp.Heap()
	}
	return n
}

// count adds the totals of the predictors beside happens-before that run now.
func (e *Engine) count(s *Stats) {
	if e.wcp != nil {
		s.Evicted += e.wcp.Evicted()
		s.Lost += e.wcp.Lost()
		s.Memory += e.wcp.Bytes()
	}
	if e.shb != nil {
		s.Evicted += e.shb.Evicted()
		s.rules(shb.Name, e.shb.Rules())
	}
	if e.wcp != nil {
		s.rules(wcp.Name, e.wcp.Rules())
	}
	for _, p := range e.others {
		s.rules(p.Name(), p.(predict.Counter).Rules())
		s.Evicted += p.(interface{ Evicted() uint64 }).Evicted()
	}
}

// rules adds how often the rules of a predictor fired.
func (s *Stats) rules(of string, rules []predict.Rule) {
	for _, r := range rules {
		s.Rules = append(s.Rules, report.Rule{Predictor: of, Rule: r.Name, Fired: r.Fired})
	}
}
