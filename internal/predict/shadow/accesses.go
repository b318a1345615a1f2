package shadow

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Record is one access that a later one may race with.
type Record struct {
	Seq  trace.Seq
	Ev   trace.Event
	Slot vclock.Slot
	Time vclock.Time
	Mask Mask // the bytes of the word that no later access stands for
}

// Accesses remembers, per byte, the accesses that a later one may race with, under any partial order that
// is given by vector times (happens-before, WCP).
//
// (A1) A record is let go when a newer access comes after it in the order and conflicts with everything the old
// one conflicts with: whatever is unordered with the old access is unordered with the new one too. So an
// access is reported if and only if it is in conflict with, and unordered to, some access before it,
// though not with all of them.
//
// (A2) An access that an access of the same epoch stands for is checked, but not kept.
//
// (A3) A word keeps maxRecords records; when one is dropped for want of room, the
// bytes count as lossy, as do those of a record whose owner was forced out of its slot.
type Accesses struct {
	Table[Record]
	// Lossy is called with bytes for which conflicts may go unnoticed; may be nil.
	Lossy func(Word, Mask)
	// Lost counts the records that were let go for want of room.
	Lost uint64

	races []Record
}

const maxRecords = 256

// Actor is who does an access: the goroutine's slot and epoch, and what it knows.
type Actor struct {
	Slot  vclock.Slot
	Now   vclock.Time
	Known *vclock.Vec
	Slots *vclock.Slots
}

// Check takes in an access and returns the accesses before it that it races with, each once. The result is
// good until the next call.
func (t *Accesses) Check(seq trace.Seq, ev *trace.Event, a Actor) []Record {
	t.races = t.races[:0]
	if ev.Size == 0 {
		return nil
	}
	last := WordOf(ev.Addr + trace.Addr(ev.Size) - 1)
	for w := WordOf(ev.Addr); w <= last; w++ {
		t.word(w, seq, ev, a)
	}
	return t.races
}

func (t *Accesses) word(w Word, seq trace.Seq, ev *trace.Event, a Actor) {
	mask := MaskOf(w, ev.Addr, ev.Size)
	keep := mask
	n := 0
	if at := t.Head(w); at != nil {
		for *at != 0 {
			r, next := t.At(*at)
			n++
			common := r.Mask & mask
			if common == 0 {
				at = next
				continue
			}
			if r.Slot != a.Slot && r.Time > a.Known.At(r.Slot) && r.Time != vclock.MaxTime {
				if a.Slots.Stale(r.Slot, r.Time) { // (A3)
					t.lossy(w, common)
				} else if conflicts(&r.Ev, ev) {
					t.race(r)
				}
				at = next
				continue
			}
			if r.Slot == a.Slot && r.Time == a.Now && standsFor(&r.Ev, ev) { // (A2)
				keep &^= common
			} else if standsFor(ev, &r.Ev) { // (A1)
				if r.Mask &^= common; r.Mask == 0 {
					t.Remove(w, at)
					n--
					continue
				}
			}
			at = next
		}
	}
	if keep == 0 {
		return
	}
	if n >= maxRecords {
		t.dropOldest(w)
	}
	t.Add(w, Record{Seq: seq, Ev: *ev, Slot: a.Slot, Time: a.Now, Mask: keep})
}

// conflicts is trace.Conflict for accesses of two goroutines with common bytes.
func conflicts(a, b *trace.Event) bool {
	return (a.Kind == trace.Write || b.Kind == trace.Write) && a.Flags&b.Flags&trace.FlagAtomic == 0
}

// standsFor reports whether whatever conflicts with old conflicts with b as well.
func standsFor(b, old *trace.Event) bool {
	return (b.Kind == trace.Write || old.Kind != trace.Write) &&
		(b.Flags&trace.FlagAtomic == 0 || old.Flags&trace.FlagAtomic != 0)
}

// race notes r once per Check, though it may come up in several words.
func (t *Accesses) race(r *Record) {
	for i := range t.races {
		if t.races[i].Seq == r.Seq {
			return
		}
	}
	t.races = append(t.races, *r)
}

func (t *Accesses) dropOldest(w Word) {
	at := t.Head(w)
	for {
		r, next := t.At(*at)
		if *next == 0 {
			t.Lost++
			t.lossy(w, r.Mask)
			t.Remove(w, at)
			return
		}
		at = next
	}
}

func (t *Accesses) lossy(w Word, m Mask) {
	if t.Lossy != nil {
		t.Lossy(w, m)
	}
}

// Forget starts a new life of the bytes [addr, addr+size).
func (t *Accesses) Forget(addr trace.Addr, size uint32) {
	t.Clear(addr, size, func(r *Record, m Mask) bool {
		r.Mask &^= m
		return r.Mask != 0
	})
}
