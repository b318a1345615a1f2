// Package threads is the life of goroutines in a predictor with clocks: their state from the first
// event or the Fork on, their slots, and what is kept after the End for a Join.
//
//	(T1) A goroutine gets a slot when it does something that rules look up. Most do not, and pass on
//	     the clocks that they have.
//	(T2) If no slot is left, a goroutine shares one. The goroutines of a shared slot count as one,
//	     as if they ran one after the other: races are missed, and none is invented.
//	(T3) At the End the slot is free for others. The clocks of the latest ones that ended are kept
//	     for a Join; a Join of an older one comes after all that has happened.
//	(T4) A goroutine with an event after its End goes on in another slot, and knows what it knew.
package threads

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

const (
	// NoSlot is the slot of a goroutine that has none so far.
	NoSlot = vclock.MaxSlots
	// SharedSlots is how many slots there are for all goroutines that get none of their own.
	SharedSlots = 16

	// sharedNames is the name of the first shared slot. It is no goroutine's name, since a goroutine may end while sections of others that share the slot are open.
	sharedNames = ^trace.G(0) - SharedSlots + 1
)

// Thread is the part of a goroutine's state that this package looks after. The state embeds it.
type Thread struct {
	shadow.Actor
	G     trace.G     // of a shared slot, the slot's name
	Acted vclock.Time // the last epoch with something that rules look up; 0 none
	Used  uint32      // the age of cells in which it last acted
	Ended bool        // it is kept for a Join

	place int // in Table.live
}

// EndEpoch begins another epoch, for an edge out of the thread, if rules may look up the present
// one, and reports whether they may: who knows its time knows nothing that is done later.
func (t *Thread) EndEpoch() bool {
	if t.Acted != t.Now {
		return false
	}
	if t.Now < vclock.MaxTime {
		t.Now++
	}
	return true
}

// Life is the thread itself. States have this method as they embed it.
func (t *Thread) Life() *Thread { return t }

// state is the state of a goroutine.
type state[T any] interface {
	*T
	Life() *Thread
}

// Hooks is what a predictor does with the rest of the states. It is set before the first use.
type Hooks[T any] struct {
	Begin  func(*T)          // a state, perhaps one that was used before, is a goroutine's from now on: all but the Thread is made ready
	Resume func(g, ended *T) // g goes on from the End of ended (T4)
	Merge  func(into, g *T)  // into, a shared slot, is g, too (T2)
	Drop   func(*T)          // nothing of it is needed any more
}

// Table has the goroutines of a predictor. Init makes it ready to use.
type Table[T any, P state[T]] struct {
	Latest *T     // the one that was looked up last, unless it has a shared slot; one that has ended for none
	Shared uint64 // goroutines that had no slot of their own
	Gone   bool   // of some goroutines that ended nothing is kept

	Hooks[T]
	slots  *vclock.Slots
	tables *predict.Tables
	gs     predict.ByG[T]
	live   []*T // the states of goroutines that have not ended, and of shared slots, in no order
	free   predict.FreeList[T]
	shared [SharedSlots]*T
	ended  predict.Ended
	nobody *T
}

// Init makes t ready to use.
func (t *Table[T, P]) Init(slots *vclock.Slots, hooks Hooks[T]) {
	t.slots, t.Hooks = slots, hooks
	t.nobody = new(T)
	P(t.nobody).Life().Ended = true
	t.Latest = t.nobody
}

// Arena says where states and their tables are. It is called before there is anything.
func (t *Table[T, P]) Arena(tables *predict.Tables) {
	t.tables, t.free.Arena = tables, tables.Arena
	t.gs.Arena(tables)
}

// Bytes is what the table and the states take of the heap.
func (t *Table[T, P]) Bytes() int { return t.gs.Bytes() + t.free.Bytes() }

// Len is how many goroutines there are, with those that ended and are kept.
func (t *Table[T, P]) Len() int { return t.gs.Len() }

// All calls f for all goroutines until it returns false. Several may have one state.
func (t *Table[T, P]) All(f func(*T) bool) bool { return t.gs.All(f) }

// Get is the state of a goroutine, nil if nothing is known of it. It may have ended.
func (t *Table[T, P]) Get(id trace.G) *T { return t.gs.Get(id) }

// Find is the state of a goroutine that does something in an age. A goroutine without a Fork knows
// nothing at first. The caller looks at Latest before.
func (t *Table[T, P]) Find(id trace.G, age uint32) *T {
	g := t.gs.Get(id)
	switch {
	case g == nil:
		g = t.Start(id, age)
	case P(g).Life().Ended: // (T4)
		old := g
		t.ended.Remove(id)
		g = t.Start(id, age)
		t.Resume(g, old)
		t.dispose(old)
	}
	life := P(g).Life()
	life.Used = age
	if !life.Shared {
		t.Latest = g
	}
	return g
}

// Start makes the state of a goroutine that knows nothing.
func (t *Table[T, P]) Start(id trace.G, age uint32) *T {
	g := t.free.Get()
	*P(g).Life() = Thread{Actor: shadow.Actor{Slot: NoSlot, Now: 1, Slots: t.slots}, G: id, Used: age}
	t.begin(g)
	t.gs.Put(id, g)
	return g
}

func (t *Table[T, P]) begin(g *T) {
	P(g).Life().place = len(t.live)
	t.Begin(g)
	t.live = predict.Append(t.tables, t.live, g)
}

// stop takes g, which has ended or was merged, out of live.
func (t *Table[T, P]) stop(g *T) {
	n := len(t.live) - 1
	t.swap(P(g).Life().place, n)
	t.live[n] = nil
	t.live = t.live[:n]
}

func (t *Table[T, P]) swap(i, j int) {
	a, b := t.live[i], t.live[j]
	t.live[i], t.live[j] = b, a
	P(b).Life().place, P(a).Life().place = i, j
}

// Live reports whether f holds for all goroutines that have not ended, and all shared slots. The
// one for which it did not hold is looked at first the next time.
func (t *Table[T, P]) Live(f func(*T) bool) bool {
	for i, g := range t.live {
		if !f(g) {
			t.swap(0, i)
			return false
		}
	}
	return true
}

// Happened adds all that has happened to a clock. From then on the goroutines that act are seen to
// be in use.
func (t *Table[T, P]) Happened(pool *vclock.Pool, to *vclock.Clock) {
	t.Latest = t.nobody
	t.slots.Ended(pool, to)
	for _, g := range t.live {
		if life := P(g).Life(); life.Slot != NoSlot {
			to.Raise(pool, life.Slot, life.Now-1)
		}
	}
}

// Everything adds what Happened does, and the last epochs of goroutines that share slots and may
// have ended, which end there.
func (t *Table[T, P]) Everything(pool *vclock.Pool, to *vclock.Clock) {
	t.Happened(pool, to)
	for _, c := range t.shared {
		if c != nil {
			life := P(c).Life()
			to.Raise(pool, life.Slot, life.Acted)
			life.EndEpoch()
		}
	}
}

// dispose frees a state.
func (t *Table[T, P]) dispose(g *T) {
	t.Drop(g)
	t.free.Put(g)
}

// Slot gives g, which has none, a slot that it shares with earlier owners whose events it knows,
// and returns g. If there is none, it returns the state of a shared slot. (T2)
func (t *Table[T, P]) Slot(g *T) *T {
	life := P(g).Life()
	slot, now, ok := t.slots.Take(life.Known.Vec())
	if ok {
		life.Slot, life.Now = slot, now
		return g
	}
	t.Shared++
	n := life.G % SharedSlots
	c := t.shared[n]
	if c == nil {
		c = new(T)
		*P(c).Life() = Thread{Actor: shadow.Actor{Slot: t.slots.New(), Now: 1, Slots: t.slots, Shared: true}, G: sharedNames + n}
		t.begin(c)
		t.shared[n] = c
	}
	t.Merge(c, g)
	t.gs.Put(life.G, c)
	if t.Latest == g {
		t.Latest = t.nobody
	}
	t.stop(g)
	t.dispose(g)
	return c
}

// Holder is the state with a name that it once had in G; nil if it has ended.
func (t *Table[T, P]) Holder(name trace.G) *T {
	if name >= sharedNames {
		return t.shared[name-sharedNames]
	}
	if g := t.gs.Get(name); g != nil && !P(g).Life().Ended {
		return g
	}
	return nil
}

// End frees the slot of the goroutine, whose state is g, and keeps its clocks for a Join. (T3)
func (t *Table[T, P]) End(id trace.G, g *T) {
	life := P(g).Life()
	if life.Shared {
		t.Gone = true
		t.gs.Delete(id)
		return
	}
	life.Ended = true
	t.stop(g)
	if life.Slot != NoSlot { // what it learned after the epoch that it last acted in has no time, so the slot's next owner does not inherit it
		t.slots.Give(life.Slot, life.Acted, life.Acted)
	}
	for _, id := range t.ended.Add(life.G) {
		t.Gone = true
		t.dispose(t.gs.Delete(id))
	}
}
