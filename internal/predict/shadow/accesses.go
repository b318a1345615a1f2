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
}

// brief is what a check looks at of every record of a word; the rest is in Accesses.rest.
type brief struct {
	slot  vclock.Slot
	time  vclock.Time
	mask  Mask // the bytes of the word that no later access stands for
	kind  trace.Kind
	flags trace.Flags
}

type rest struct {
	seq trace.Seq
	ev  trace.Event
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
// bytes count as lossy, as do those of a record whose owner was forced out of its slot, and of one whose
// goroutine shares its slot with the present one.
type Accesses struct {
	Table[brief]
	// Lossy is called with bytes for which conflicts may go unnoticed; may be nil.
	Lossy func(Word, Mask)
	// Lost counts the records that were let go for want of room.
	Lost uint64

	rest  [][]rest // by the records' names
	races []Record
}

const maxRecords = 256

// Actor is who does an access: the goroutine's slot and epoch, and what it knows.
type Actor struct {
	Slot  vclock.Slot
	Now   vclock.Time
	Known *vclock.Vec
	Slots *vclock.Slots
	Many  bool // the slot is shared by goroutines that are taken for one
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
	me := brief{slot: a.Slot, time: a.Now, kind: ev.Kind, flags: ev.Flags & trace.FlagAtomic}
	n, mine := 0, Ref(0)
	at := t.Head(w)
	for at != nil && *at != 0 {
		ref := *at
		r, next := t.At(ref)
		n++
		common := r.mask & mask
		if a.Many && r.slot == a.Slot && conflicts(r, &me) && t.rest[ref>>chunkBits][ref%chunkLen].ev.G != ev.G { // (A3)
			t.lossy(w, common)
		}
		switch {
		case common == 0:
		case r.slot != a.Slot && r.time > a.Known.At(r.slot) && r.time != vclock.MaxTime:
			if !conflicts(r, &me) {
				break
			}
			if a.Slots.Stale(r.slot, r.time) { // (A3)
				t.lossy(w, common)
			} else {
				t.race(ref, r)
			}
		case r.slot == a.Slot && r.time == a.Now && r.standsFor(&me): // (A2)
			keep &^= common
		case me.standsFor(r): // (A1)
			if r.mask &^= common; r.mask != 0 {
				break
			}
			if mine == 0 {
				mine = ref // its place is taken over
				break
			}
			t.Remove(w, at)
			n--
			continue
		}
		at = next
	}
	me.mask = keep
	switch {
	case keep == 0 && mine == 0:
		return
	case keep == 0:
		for at = t.Head(w); *at != mine; _, at = t.At(*at) {
		}
		t.Remove(w, at)
		return
	case mine != 0:
		r, _ := t.At(mine)
		*r = me
	default:
		if n >= maxRecords {
			t.dropOldest(w)
		}
		mine = t.Add(w, me)
		if c := int(mine >> chunkBits); c == len(t.rest) {
			t.rest = append(t.rest, make([]rest, chunkLen))
		}
	}
	t.rest[mine>>chunkBits][mine%chunkLen] = rest{seq, *ev}
}

// conflicts is trace.Conflict for accesses of two goroutines with common bytes.
func conflicts(a, b *brief) bool {
	return (a.kind == trace.Write || b.kind == trace.Write) && a.flags&b.flags&trace.FlagAtomic == 0
}

// standsFor reports whether whatever conflicts with old conflicts with b as well.
func (b *brief) standsFor(old *brief) bool {
	return (b.kind == trace.Write || old.kind != trace.Write) &&
		(b.flags&trace.FlagAtomic == 0 || old.flags&trace.FlagAtomic != 0)
}

// race notes a record once per Check, though its access may come up in several words.
func (t *Accesses) race(ref Ref, b *brief) {
	r := &t.rest[ref>>chunkBits][ref%chunkLen]
	for i := range t.races {
		if t.races[i].Seq == r.seq {
			return
		}
	}
	t.races = append(t.races, Record{r.seq, r.ev, b.slot, b.time})
}

func (t *Accesses) dropOldest(w Word) {
	at := t.Head(w)
	for {
		r, next := t.At(*at)
		if *next == 0 {
			t.Lost++
			t.lossy(w, r.mask)
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
	t.Clear(addr, size, func(r *brief, m Mask) bool {
		r.mask &^= m
		return r.mask != 0
	})
}
