// Package hb turns a trace into the races observed in it: pairs of conflicting accesses that
// the Go memory model's happens-before leaves unordered in this very run.
//
// The order is kept in vector clocks and the accesses in epochs, as in FastTrack
// (Flanagan, Freund, PLDI 2009), but per byte and exact beyond the first race of a variable:
//
//	(H1) a goroutine's events are ordered as they come; Fork before the new goroutine; its events
//	     before Join
//	(H2) Release before every later Acquire and RAcquire of the lock, RRelease before every later
//	     Acquire
//	(H3) the hard edges, as package trace defines them
//
//	(H4) for want of memory, objects that have not been used for long become one (coarse.go)
//
// Observe, Change, Opaque, TryFail and FlagHard order nothing here. An Alloc forgets what lay in
// its memory before.
package hb

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/predict/threads"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Name is what Candidate.By says.
const Name = "hb"

// Predictor is the happens-before predictor.
type Predictor struct {
	fired

	sink      func(predict.Candidate)
	pairs     predict.Pairs
	pool      vclock.Pool
	slots     vclock.Slots
	threads   threads.Table[goroutine, *goroutine]
	cells     predict.Cells[cell]
	tables    predict.Tables
	freeLists struct {
		locks predict.FreeList[lock]
		sums  predict.FreeList[vclock.Sum]
	}
	acc  *shadow.Accesses
	racy map[shadow.Word]raced

	racers map[trace.G]bool // goroutines with an access in a race
	missed trace.Seq        // accesses up to here may be in races that went unnoticed
}

// goroutine is a live goroutine, or one that ended and is kept for a Join. Its epoch ends with the
// first edge out of it after an access in the epoch.
type goroutine struct {
	threads.Thread
	told    vclock.Time // the time of Acted that Known has itself; 0 none
	learned bool        // Known may have grown since the first edge after the last access, or includes Acted
}

// cell is what is known of an address: of a lock, of a synchronization object, or of both.
type cell struct {
	object
	lock *lock // nil when there is none
}

// lock is what the later sections of each mode are ordered after.
type lock struct {
	w     vclock.Stamp // the last Release
	r     vclock.Clock // all RReleases since the last Release by the goroutine that acquired
	old   vclock.Clock // Releases before a Release by a goroutine that did not acquire
	owner trace.G      // of the open write section; 0 none
}

// New returns a predictor that gives each racing pair of positions to sink, once.
func New(cfg predict.Config, sink func(predict.Candidate)) *Predictor {
	p := &Predictor{sink: sink, racy: map[shadow.Word]raced{}, racers: map[trace.G]bool{}, acc: &shadow.Accesses{}}
	p.acc.Lossy, p.acc.Slots = p.lossy, &p.slots
	p.pool.Slots = &p.slots
	p.threads.Init(&p.slots, threads.Hooks[goroutine]{Begin: p.begin, Resume: p.resume, Merge: p.merge, Drop: p.forgetClock})
	if cfg.Memory > 0 {
		p.acc.Limit = AccessMemory(cfg.Memory) / shadow.RecordBytes // the rest is for clocks
		p.slots.Limit = vclock.SlotsFor(cfg.Memory / 8)
		p.cells.Faint.Limit = cfg.Memory / 16
	}
	p.cells.In(nil)
	p.cells.Init(cfg.Memory / 16 * 5)
	p.cells.CellHooks = predict.CellHooks[cell]{Pool: &p.pool, Empty: p.empty, Revive: p.revive, Bytes: p.clocks, Happened: p.happened, Rest: p.forgetGoroutines}
	if a := cfg.Arena; a != nil {
		p.acc.Arena, p.tables.Arena, p.pool.Arena = a, a, a
		p.threads.Arena(&p.tables)
		p.cells.Arena(&p.tables)
		p.freeLists.locks.Arena, p.freeLists.sums.Arena = a, a
	}
	return p
}

// Stats implements predict.Predictor. Heap is right only if there is an arena.
func (p *Predictor) Stats() predict.Stats {
	return predict.Stats{
		Evicted: p.acc.Evicted,
		Ended:   p.slots.Forced,
		Shared:  p.threads.Shared,
		Lost:    p.acc.Lost,
		Merged:  p.cells.Merged,
		Memory:  p.acc.Bytes() + p.clocks() + p.cells.Faint.Bytes() + len(p.racy)*racyBytes,
		Heap: p.acc.Heap() + p.pool.Bytes() + p.cells.HeapBytes() + p.freeLists.locks.Bytes() + p.freeLists.sums.Bytes() +
			p.threads.Bytes() + len(p.racy)*racyBytes,
	}
}

const (
	cellBytes      = 120 // with its entry of the index, and a lock
	goroutineBytes = 80
	racyBytes      = 60
)

// AccessMemory is the part of a predictor's memory that is for accesses.
func AccessMemory(of int) int { return of / 8 * 5 }

// Accesses is the predictor's memory of accesses, which are there under order 0. Another predictor
// may share it, under order 1. Then accesses are given to Actor of both, to Accesses.Check2 and to
// Races of both, and not to Event.
func (p *Predictor) Accesses() *shadow.Accesses { return p.acc }

// Objects are what the predictor knows of addresses. Another predictor that takes in the same
// events may share them.
func (p *Predictor) Objects() *predict.Objects { return p.cells.Objects() }

// Actor takes in an access and returns who does it. The result is valid until the next call.
func (p *Predictor) Actor(ev *trace.Event) *shadow.Actor {
	g := p.of(ev.G)
	if g.Acted != g.Now {
		g = p.acts(g)
	}
	return &g.Actor
}

// Races takes in the accesses with which the one at seq races.
func (p *Predictor) Races(seq trace.Seq, ev *trace.Event, with []shadow.Record) {
	for i := range with {
		p.race(&with[i], seq, ev)
	}
}

// Race takes in a race that the predictor does not see, since the first access is not in the trace.
func (p *Predictor) Race(first, second predict.Event) {
	p.race(&shadow.Record{Seq: first.Seq, Ev: first.Ev}, second.Seq, &second.Ev)
}

func (p *Predictor) race(r *shadow.Record, seq trace.Seq, ev *trace.Event) {
	from, to := max(r.Ev.Addr, ev.Addr), min(r.Ev.Addr+trace.Addr(r.Ev.Size), ev.Addr+trace.Addr(ev.Size))
	for w := shadow.WordOf(from); w <= shadow.WordOf(to-1); w++ {
		p.markRacy(w, shadow.MaskOf(w, from, uint32(to-from)), seq, false)
	}
	p.races(r.Ev.G)
	p.races(ev.G)
	if p.pairs.Count(&r.Ev, ev) == 1 {
		p.sink(predict.RaceOf(Name, predict.Event{Seq: r.Seq, Ev: r.Ev}, predict.Event{Seq: seq, Ev: *ev}, predict.Shown))
	}
}

func (p *Predictor) alloc(ev *trace.Event) {
	p.acc.Forget(ev.Addr, ev.Size)
	p.cells.Reuse(ev.Addr, ev.Size)
}

// empty drops what is known of an address.
func (p *Predictor) empty(at *cell) bool {
	p.reset(&at.object)
	if l := at.lock; l != nil {
		l.w.Drop(&p.pool)
		l.r.Reset(&p.pool)
		l.old.Reset(&p.pool)
		l.owner = 0
		p.freeLists.locks.Put(l)
		at.lock = nil
	}
	return true
}
