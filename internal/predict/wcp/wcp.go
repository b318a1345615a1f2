// Package wcp turns a trace into candidates by the weak-causally-precedes order (Kini, Mathur,
// Viswanathan, PLDI 2017, Definition 3 and Algorithm 1), which leaves more pairs unordered than
// happens-before does.
//
// Only the first pair is certain to mean a race or a deadlock, and that only in traces without
// (W4), so every pair needs a witness.
//
//	(W1) rule (a): a release before an access in a later section of the lock, when the released
//	     section has an access of another goroutine in conflict with it
//	(W2) rule (b): a release before a later release of the lock, when the first section's acquire
//	     comes before the second release
//	(W3) rule (c): closed under composition with happens-before on both sides
//
// What Go needs beyond the paper:
//
//	(W4) Fork, Join and the hard edges must hold in every reordering, together with the order of
//	     each goroutine: what comes before by these comes before. They are not composed with the
//	     edges of locks: what is before a section that is before a hard edge need not be before what
//	     comes after the edge. (The paper has fork and join as a part of happens-before, and
//	     composes.)
//	(W5) Sections of one lock that are both in read mode order nothing between them.
//	(W6) A section is hard if it is flagged so, if another goroutine releases it than acquired it,
//	     or if it is released before a section that began within it. There are hard edges to its
//	     acquire from the lock's earlier releases and, if these are of soft sections, from all that
//	     happened before them; and from its release to the later acquires.
//	(W7) TryFail comes after the acquire and before the release of the sections it saw.
//	(W8) An Opaque is a write of one variable of each lock that is held.
//	(W9) An unseen HardAcquire or HardSwap takes nothing, and two unseen Writes, or parts of appends
//	     to lists, are not in conflict for rule (a). So H is happens-before without unseen
//	     operations.
//	(W10) Observes and Changes order nothing. They say what an operation found, as Reads and Writes
//	     do, and a schedule may leave out the operation: whether one has them in the right order is
//	     for the search to say. docs/performance.md says what they cost as edges.
//	(W11) An unseen section comes after the hard sections of its lock and before the next hard one.
//	     For H and for rules (a) and (b) it is no section.
//
//	(W12) Of two sections that exclude each other, the first one ends before the second one's
//	     release if (W4) has its acquire before that release, as when a section starts a goroutine
//	     that takes the lock itself.
//	(W13) Two plain unseen writes of the same bytes are no candidate if all such writes of them lie
//	      in write sections of one lock.
//	(W14) Two parts of appends to lists are no candidate.
//	(W15) For want of memory, objects that have not been used for long become one (coarse.go).
//	(W16) Goroutines that share a slot (threads/T2) have hard sections only, and of these nothing is
//	      kept. There may be many thousands in one slot, and each would be in the sections of all.
//
// The clocks: H is happens-before including (W4), N the goroutine's own epoch. W is what comes
// before the goroutine's next event by (W1) to (W3), P is W and what comes before by (W4). Every
// edge passes on H and W; those that are not a lock's pass on P, too. If W includes epoch n of a
// goroutine, it includes all that happens before the end of that epoch. An access of epoch n is
// ordered before the present one if P has at least n for its goroutine. clocks.go says when an
// epoch ends.
package wcp

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/predict/threads"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Name is what Candidate.By says.
const Name = "wcp"

// Predictor is the WCP predictor.
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
		sums  predict.FreeList[sum]

		objects predict.FreeList[object]
		updated predict.FreeList[updated]
	}
	locks    int // how many there are
	lockIDs  uint32
	acc      shadow.Accesses  // empty if NewIn was given another predictor's
	in       *shadow.Accesses // another predictor's, or acc
	marks    marks
	sections sections
	updated  predict.ByAddr[updated]

	longWay bool // rule (a) takes no short ways; for tests that compare both
}

// cell is what is known of an address: of a synchronization object, and, if there is one, of a
// lock.
type cell struct {
	object
	lock *lock
}

// goroutine is a live goroutine, or one that ended and is kept for a Join. Its epochs are those of
// (C1).
type goroutine struct {
	threads.Thread // Now is N, Known is P

	told  vclock.Time  // the own time that is in the vectors of H and P; 0 none
	edges uint32       // how many edges left it
	h     vclock.Clock // H. The own time in it, and in P, is not asked for
	w     vclock.Clock // W
	held  []*section   // outermost first

	uniteIn, uniteAfter uint8 // how many edges are left out before the next look whether H and P have the same times, and were at first (unite)

	learned bool // H, P or W may have grown since the first edge after the last act, or edges have passed on whole vectors since (C2)
}

// New returns a predictor that gives racing pairs to sink. It gives some of the instances of a pair
// of positions, those that predict.Instance chooses.
func New(cfg predict.Config, sink func(predict.Candidate)) *Predictor {
	p := newPredictor(nil, cfg, sink)
	p.in, p.acc.Arena = &p.acc, cfg.Arena
	if cfg.Memory > 0 {
		p.acc.Limit = AccessMemory(cfg.Memory) / shadow.RecordBytes
	}
	return p
}

// NewIn is New for a predictor that shares the memory of accesses of another one, under order 1,
// and its objects. Accesses are then given to Actor, Accesses.Check2 and Races, and not to Event.
func NewIn(acc *shadow.Accesses, objects *predict.Objects, cfg predict.Config, sink func(predict.Candidate)) *Predictor {
	p := newPredictor(objects, cfg, sink)
	p.in = acc
	return p
}

// AccessMemory is the part of a predictor's memory that is for accesses.
func AccessMemory(of int) int { return of / 8 * 3 }

func newPredictor(objects *predict.Objects, cfg predict.Config, sink func(predict.Candidate)) *Predictor {
	p := &Predictor{sink: sink}
	p.threads.Init(&p.slots, threads.Hooks[goroutine]{Begin: p.begin, Resume: p.resume, Merge: p.mergeThreads, Drop: p.forgetClocks})
	p.pool.Slots = &p.slots
	p.sections.pool, p.sections.tables = &p.pool, &p.tables
	p.marks.init(&p.sections)
	if cfg.Memory > 0 {
		p.marks.locks.Limit = cfg.Memory / 16 * 3 / markBytes
		p.sections.Budget = cfg.Memory / 8
		p.slots.Limit = vclock.SlotsFor(cfg.Memory / 8)
		p.cells.Faint.Limit = cfg.Memory / 16
	}
	p.cells.In(objects)
	p.cells.Init(cfg.Memory / 4)
	p.cells.CellHooks = predict.CellHooks[cell]{
		Pool: &p.pool, Empty: p.empty, Held: held, Revive: p.revive, Bytes: p.clocks, Happened: p.happened, Rest: p.forgetRest,
	}
	if a := cfg.Arena; a != nil {
		p.sections.free.Arena = a
		p.marks.arena(a)
		p.tables.Arena, p.pool.Arena = a, a
		p.threads.Arena(&p.tables)
		p.cells.Arena(&p.tables)
		p.updated.Arena(&p.tables)
		f := &p.freeLists
		f.locks.Arena, f.sums.Arena, f.objects.Arena, f.updated.Arena = a, a, a, a
	}
	return p
}

// Stats implements predict.Predictor. Heap is right only if there is an arena.
func (p *Predictor) Stats() predict.Stats {
	return predict.Stats{
		Evicted: p.acc.Evicted + p.marks.locks.Evicted,
		Ended:   p.slots.Forced,
		Shared:  p.threads.Shared,
		Lost:    p.acc.Lost,
		Merged:  p.cells.Merged,
		Memory:  p.acc.Bytes() + p.marks.bytes() + p.sections.bytes + len(p.sections.refs)*rowBytes + p.clocks() + p.cells.Faint.Bytes(),
		Heap: p.acc.Heap() + p.sections.heap() + p.pool.Bytes() + p.cells.HeapBytes() + p.freeLists.locks.Bytes() + p.freeLists.sums.Bytes() +
			p.freeLists.objects.Bytes() + p.threads.Bytes() + p.updated.Bytes() + p.freeLists.updated.Bytes(),
	}
}

const (
	markBytes   = 40  // of a mark or a list, with its part of the segments
	rowBytes    = 80  // of what is kept of a section for its marks
	lockBytes   = 350 // with its place in the index
	objectBytes = 110

	updatedBytes   = 60
	goroutineBytes = 150
)

// Event implements predict.Predictor.
func (p *Predictor) Event(seq trace.Seq, ev *trace.Event) {
	if p.cells.Due() && p.cells.Full(p.clocks()) {
		p.marks.dropDead()
		p.cells.MakeRoom()
	}
	switch ev.Kind {
	case trace.Read, trace.Write:
		if with := p.acc.Check(seq, ev, p.Actor(ev)); len(with) > 0 {
			p.Races(seq, ev, with)
		}
	case trace.Acquire, trace.RAcquire:
		p.acquire(ev)
	case trace.Release, trace.RRelease:
		p.release(ev)
	case trace.TryFail:
		p.tryFail(ev)
	case trace.Fork:
		p.fork(ev)
	case trace.Join:
		p.join(ev)
	case trace.End:
		p.end(ev.G)
	case trace.HardAcquire, trace.HardRelease, trace.HardMerge, trace.HardSwap:
		p.hard(ev)
	case trace.Opaque:
		p.opaque(ev)
	case trace.Alloc:
		p.alloc(ev)
	}
}

// Actor takes in an access and returns its goroutine. The result is valid until the next call.
func (p *Predictor) Actor(ev *trace.Event) *shadow.Actor {
	g := p.of(ev.G)
	if g.Acted != g.Now {
		g = p.acts(g)
	}
	if len(g.held) > 0 {
		p.ruleA(g, ev)
	}
	if updates(ev) {
		p.update(g, ev)
	}
	return &g.Actor
}

// Races takes in the accesses with which the one at seq races.
func (p *Predictor) Races(seq trace.Seq, ev *trace.Event, with []shadow.Record) {
	g := p.of(ev.G)
	for i := range with {
		r := &with[i]
		if p.excluded(&r.Ev, ev) {
			continue
		}
		if predict.Instance(p.pairs.Count(&r.Ev, ev)) {
			p.sink(predict.RaceOf(Name, predict.Event{Seq: r.Seq, Ev: r.Ev}, predict.Event{Seq: seq, Ev: *ev}, predict.StandingOf(r.Time <= g.h.At(r.Slot))))
		}
	}
}

// ByLocks reports whether the epoch of the slot comes before the goroutine's present event by (W1)
// to (W3), and not by (W4) alone.
func (p *Predictor) ByLocks(g trace.G, slot vclock.Slot, time vclock.Time) bool {
	return time <= p.of(g).w.At(slot) && !p.slots.Stale(slot, time)
}

// Known is how many locks and objects there are.
func (p *Predictor) Known() int { return p.cells.Len() }

// Depth is how many sections the goroutine is in.
func (p *Predictor) Depth(id trace.G) int {
	g := p.threads.Latest
	if g.G != id {
		if g = p.threads.Get(id); g == nil {
			return 0
		}
	}
	return len(g.held)
}

func (p *Predictor) alloc(ev *trace.Event) {
	p.acc.Forget(ev.Addr, ev.Size)
	p.marks.clear(ev.Addr, ev.Size)
	p.cells.Reuse(ev.Addr, ev.Size)
	p.updated.Forget(ev.Addr, ev.Size, p.forgetUpdated)
}

// empty drops what is known of an address, and returns false if there is a lock that is held, which
// stays.
func (p *Predictor) empty(at *cell) bool {
	p.reset(&at.object)
	if at.lock != nil {
		if !p.forgetLock(at.lock) {
			return false
		}
		at.lock = nil
		p.locks--
	}
	return true
}
