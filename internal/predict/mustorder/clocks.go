package mustorder

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Every goroutine has two clocks: p is the order of this package. h is happens-before, with the
// locks and without the rules that hold for prediction only; it says which pairs the run itself
// shows. An epoch ends with every edge out of it, so that a goroutine that knows its time knows all
// that comes before its end. In a recording it may last for a whole span.

// Goroutine is a live goroutine, or one that ended and is still in Order.ended.
type Goroutine struct {
	g      trace.G
	slot   vclock.Slot
	now    vclock.Time  // the present epoch
	last   vclock.Time  // the last epoch with an event
	h, p   vclock.Clock // without the own slot
	held   []*Section   // outermost first
	around Locks
	ended  bool
	shared bool // it has a shared slot
}

// G is the goroutine's name. The state of a shared slot has the name of one of its goroutines.
func (g *Goroutine) G() trace.G { return g.g }

// Slot is the goroutine's index in clocks.
func (g *Goroutine) Slot() vclock.Slot { return g.slot }

// Now is the goroutine's epoch. Its present event comes before another goroutine's if that one's
// clock has at least this time for the slot.
func (g *Goroutine) Now() vclock.Time { return g.now }

// Known is what comes before the goroutine's next event, except for its own slot. It changes with
// the next event.
func (g *Goroutine) Known() *vclock.Vec { return g.p.Vec() }

// Shows reports whether that epoch of the slot happens before the goroutine's next event in this
// run, locks included.
func (g *Goroutine) Shows(slot vclock.Slot, time vclock.Time) bool { return time <= g.h.At(slot) }

// Shared reports whether several goroutines share the slot, since none was left.
func (g *Goroutine) Shared() bool { return g.shared }

func (g *Goroutine) tick() {
	if g.now < vclock.MaxTime {
		g.now++
	}
}

// stamp is both clocks of one event. The zero stamp is before everything.
type stamp struct {
	h, p *vclock.Vec
	slot vclock.Slot
	time vclock.Time
}

// stamp is the stamp of g's present event, for an edge out of it. The caller owns it.
func (g *Goroutine) stamp() stamp {
	return stamp{h: g.h.Share(), p: g.p.Share(), slot: g.slot, time: g.now}
}

// end is the stamp of g's last event. The caller does not own it.
func (g *Goroutine) end() stamp {
	return stamp{h: g.h.Vec(), p: g.p.Vec(), slot: g.slot, time: g.last}
}

func (s *stamp) drop(pool *vclock.Pool) {
	pool.Drop(s.h)
	pool.Drop(s.p)
	*s = stamp{}
}

// object is what a synchronization object holds.
type object struct {
	h, p vclock.Clock
}

func (o *object) reset(pool *vclock.Pool) {
	o.h.Reset(pool)
	o.p.Reset(pool)
}

// add adds the event of the stamp to what o holds.
func (o *object) add(pool *vclock.Pool, s stamp) {
	o.h.JoinStamp(pool, vclock.Stamp{Vec: s.h, Slot: s.slot, Time: s.time}, vclock.NoOrders)
	o.p.JoinStamp(pool, vclock.Stamp{Vec: s.p, Slot: s.slot, Time: s.time}, vclock.NoOrders)
}

// own reports whether the event is g's, or of an earlier owner of its slot. Then g knows it without
// an edge.
func (p *Order) own(g *Goroutine, slot vclock.Slot, time vclock.Time) bool {
	return slot == g.slot && time != 0 && !p.slots.Stale(slot, time)
}

// learn orders an event, and what comes before it, before g's next event, for prediction and by
// rule r.
func (p *Order) learn(g *Goroutine, r rule, v *vclock.Vec, slot vclock.Slot, time vclock.Time) {
	s := vclock.Stamp{Vec: v, Slot: slot, Time: time}
	if time == 0 || p.own(g, slot, time) || p.slots.Knows(g.p.Vec(), s) {
		return
	}
	p.fired[r]++
	g.p.JoinStamp(&p.pool, s, vclock.NoOrders)
}

// joinAll orders all that v includes before g's next event, for prediction and by rule r.
func (p *Order) joinAll(g *Goroutine, r rule, v *vclock.Vec) {
	if g.p.Join(&p.pool, v, vclock.NoOrders) {
		p.fired[r]++
	}
}

// take orders the events of o before g's next event, by rule r.
func (p *Order) take(g *Goroutine, r rule, o *object) {
	g.h.Join(&p.pool, o.h.Vec(), vclock.NoOrders)
	p.joinAll(g, r, o.p.Vec())
}
