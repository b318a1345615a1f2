// Package mustorder turns a trace into the order that every schedule of it keeps, and remembers the
// accesses of each byte with the locks that were held at them. The predictors that relax the order
// of critical sections are built on it.
//
// An event comes before another one by
//
//	(M1) the goroutine's order; Fork before the new goroutine; its events before Join
//	(M2) the hard edges: a release before the HardAcquire or HardSwap that finds it in the object,
//	     unless that is unseen
//	(M3) reads-from: the last seen store of a byte, and the unseen stores since then, before the
//	     Read of it. The later access of a pair is exempt: schedules do not execute it, so what it
//	     would read does not matter. An unseen store before later ones that overlap it, and have
//	     other bytes, too, or not all.
//	(M4) a lock's release before every later acquire, when one of the sections is flagged hard
//	(M5) an acquire before its release, whoever does it, and before a TryFail that saw the section;
//	     a lock's releases before a TryFail that saw no section
//	(M6) a seen Change before the next Observes and Changes up to the next seen one, an unseen
//	     Change before the next Observes and the next seen Change; an Opaque in a write section
//	     before the lock's next Opaque. An Observe need not stay before a Change: the schedule may
//	     leave it out.
//
// and, when Config says so,
//
//	(M7) a lock's release before every later acquire, unless both are in read mode; and (M2) for
//	     what is unseen
//
// Two accesses that hold a common lock never meet:
//
//	(M8) a lock is held around both, at least once in write mode. A lock that is handed over,
//	     released by a goroutine that did not acquire it, does not count: its release may come
//	     before the access.
//
// Rules (M1) to (M6) are what package witness has in every schedule, rule by rule.
package mustorder

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Config says what the trace is like and what to order. The zero Config is for recordings.
//
// If the trace lacks accesses that repeat one of their span, a reader of a byte waits for the end
// of the writer's span; see witness.Options.Dropped.
type Config struct {
	predict.Config
	// InTurn adds (M7).
	InTurn bool
	// Loose leaves out (M3) and (M6): what is left is what goroutines wait for.
	Loose bool
}

// Order is the state of the order after some events of a trace.
type Order struct {
	SharedSlots uint64 // goroutines that had no slot of their own

	// Opened is called at an acquire, Closed at the release that ends the section, by its goroutine or another. Both may be nil.
	Opened, Closed func(g *Goroutine, s *Section)

	cfg      Config
	pool     vclock.Pool
	slots    vclock.Slots
	gs       predict.Index[trace.G, Goroutine]
	free     predict.FreeList[Goroutine]
	locks    predict.ByAddr[lock]
	lockIDs  tag
	sections uint64     // so far
	numbers  uint64     // of locks, so far
	closed   []*Section // for reuse
	objects  predict.ByAddr[object]
	changes  predict.ByAddr[changes]
	writers  writers
	shared   [sharedSlots]*Goroutine
	ended    predict.Ended // whose End clocks are kept for a Join
	gone     object        // of all whose End clocks are no longer kept
	fired    [rules]uint64
}

// New returns the order before the first event.
func New(cfg Config) *Order {
	p := &Order{cfg: cfg}
	p.bound()
	p.writers.Drop = func(_ shadow.Word, w *writer) { p.pool.Drop(w.vec) }
	return p
}

// Of is the goroutine that is about to do an event.
func (p *Order) Of(id trace.G) *Goroutine {
	g := p.of(id)
	g.last = g.now
	return g
}

// Event takes in the trace's next event, which g does. Records.Check is called before Event for an
// access.
func (p *Order) Event(g *Goroutine, ev *trace.Event) {
	switch ev.Kind {
	case trace.Read:
		if !p.cfg.Loose && !ev.AppendPart() {
			p.readsFrom(g, ev)
		}
		return
	case trace.Write, trace.Alloc:
		if ev.Kind == trace.Alloc {
			p.alloc(ev)
		}
		if p.cfg.Loose {
			return
		}
		p.store(g, ev)
		if !p.cfg.Complete {
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
		if p.cfg.Loose {
			return
		}
		p.pinned(g, ev)
	case trace.Opaque:
		if p.cfg.Loose {
			return
		}
		p.opaque(g)
	default:
		return
	}
	g.tick()
}

// Slots are the slots of all goroutines.
func (p *Order) Slots() *vclock.Slots { return &p.slots }

// Pool has the order's vectors.
func (p *Order) Pool() *vclock.Pool { return &p.pool }

func (p *Order) alloc(ev *trace.Event) {
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
	p.changes.Forget(ev.Addr, ev.Size, func(c *changes) bool {
		c.reset(&p.pool)
		return true
	})
}
