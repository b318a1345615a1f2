// Package syncp turns a trace into candidates for races that show without turning any lock's sections round
// (sync-preserving: Mathur, Pavlogiannis, Viswanathan, POPL 2021). WCP orders some of these, and finds some that are none of these.
//
// The order here has what every schedule must keep and nothing that comes from locks being taken in turn. It is
// therefore weaker than what the paper computes, and every pair needs a witness, which package witness
// finds by the paper's closure. An event comes before another one by
//
//	(S1) the goroutine's order; Fork before the new goroutine; its events before Join
//	(S2) the hard edges: a release before the HardAcquire or HardSwap that finds it in the object
//	(S3) reads-from: the last store of a byte before the Read of it. Not so for the later access of a pair
//	     itself: it is not executed, so what it would read does not matter.
//	(S4) a lock's release before every later acquire, when one of the sections is flagged hard
//	(S5) an acquire before its release, whoever does it, and before a TryFail that saw the section; a lock's
//	     releases before a TryFail that saw no section
//	(S6) a Change before the next Observes and the next Change; an Opaque in a write section before the lock's
//	     next Opaque. What was observed needs not stay before a Change: the schedule may do without the Observe.
//
// and a pair of conflicting accesses is a candidate when the earlier does not come before the later one, and
//
//	(S7) no lock is held around both, at least once in write mode. A lock that is handed over, released by a
//	     goroutine that did not acquire it, does not count: its release may come before the access.
//
// Rules (S1) to (S6) are what package witness has in every schedule, rule by rule, and (S7) leaves out what its
// closure refuses. So what is sync-preserving is a candidate, up to the bounds of records.go. Except for locks that are handed
// over later on, (S7) holds in every schedule too: of the races that do turn sections round, hardly any is left out.
package syncp

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Name is what Candidate.By says.
const Name = "syncp"

// Config says what the trace is like and how much to remember. The zero Config is for recordings.
type Config struct {
	// Complete is set for traces that have every access. In others, those that repeat one of their span are missing,
	// so who reads a byte has to wait for the writer's span to end; see witness.Options.Dropped.
	Complete bool
	// PerClass is how many accesses of a class a word keeps; 0 means DefaultPerClass.
	PerClass int
	// PerWord is how many accesses a word keeps; 0 means DefaultPerWord.
	PerWord int
}

// Predictor is the sync-preserving predictor.
type Predictor struct {
	Crowded uint64 // goroutines that had no slot of their own

	sink     func(predict.Candidate)
	complete bool
	pairs    predict.Pairs
	pool     vclock.Pool
	slots    vclock.Slots
	gs       predict.Index[trace.G, goroutine]
	spare    []*goroutine
	locks    predict.ByAddr[lock]
	lockIDs  tag
	closed   []*section // for reuse
	objects  predict.ByAddr[object]
	changes  predict.ByAddr[stamp]
	writers  writers
	acc      records
	crowd    [crowds]*goroutine
	ended    []trace.G // whose End clocks are kept for a Join, oldest first
	gone     object    // of all whose End clocks are no longer kept
}

// New returns a predictor that gives pairs to sink: each pair of positions as
// often as predict.Instance says.
func New(cfg Config, sink func(predict.Candidate)) *Predictor {
	p := &Predictor{sink: sink, complete: cfg.Complete}
	p.acc.perClass = cfg.PerClass
	if p.acc.perClass <= 0 {
		p.acc.perClass = DefaultPerClass
	}
	p.acc.perWord = cfg.PerWord
	if p.acc.perWord <= 0 {
		p.acc.perWord = DefaultPerWord
	}
	p.acc.Limit = maxAccesses
	p.writers.Limit = maxWriters
	p.writers.Drop = func(w *writer) { p.pool.Drop(w.vec) }
	return p
}

// Name implements predict.Predictor.
func (p *Predictor) Name() string { return Name }

// Event implements predict.Predictor.
func (p *Predictor) Event(seq trace.Seq, ev *trace.Event) {
	g := p.of(ev.G)
	g.last = g.now
	switch ev.Kind {
	case trace.Read:
		p.access(g, seq, ev)
		p.readsFrom(g, ev)
		return
	case trace.Write:
		p.access(g, seq, ev)
		p.store(g, ev)
		if !p.complete {
			return
		}
	case trace.Alloc:
		p.alloc(ev)
		p.store(g, ev)
		if !p.complete {
			return
		}
	case trace.Acquire, trace.RAcquire:
		p.acquire(g, ev)
	case trace.Release, trace.RRelease:
		p.release(g, ev)
	case trace.TryFail:
		p.tryFail(g, ev)
	case trace.Fork:
		p.fork(g, ev)
	case trace.Join:
		p.join(g, ev)
	case trace.End:
		p.end(g)
		return
	case trace.HardAcquire, trace.HardRelease, trace.HardMerge, trace.HardSwap:
		p.hard(g, ev)
	case trace.Observe, trace.Change:
		p.pinned(g, ev)
	case trace.Opaque:
		p.opaque(g)
	case trace.TestBegin, trace.TestEnd:
		return
	}
	g.tick()
}

func (p *Predictor) access(g *goroutine, seq trace.Seq, ev *trace.Event) {
	found := p.acc.check(seq, ev, p, g)
	for i := range found {
		r := &found[i]
		if predict.Instance(p.pairs.Count(&r.ev, ev)) {
			p.sink(predict.Candidate{
				First:   predict.Access{Seq: r.seq, Ev: r.ev},
				Second:  predict.Access{Seq: seq, Ev: *ev},
				By:      Name,
				Ordered: r.time <= g.h.At(r.slot),
			})
		}
	}
}

// Evicted counts what was forgotten for want of room.
func (p *Predictor) Evicted() uint64 {
	return p.acc.Evicted + p.acc.Lost + p.slots.Forced + p.Crowded + p.writers.Evicted
}

func (p *Predictor) alloc(ev *trace.Event) {
	p.acc.forget(ev.Addr, ev.Size)
	p.locks.Forget(ev.Addr, ev.Size, func(l *lock) bool {
		if len(l.open) > 0 {
			return false
		}
		p.dropLock(l)
		return true
	})
	p.objects.Forget(ev.Addr, ev.Size, func(o *object) bool {
		o.reset(&p.pool)
		return true
	})
	p.changes.Forget(ev.Addr, ev.Size, func(s *stamp) bool {
		s.drop(&p.pool)
		return true
	})
}
