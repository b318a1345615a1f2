package shadow

import (
	"github.com/racepred/racepred/internal/predict"
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

// brief is what a check looks at of every record of a word; the rest is in Accesses.rest, out of the way.
type brief struct {
	slot  vclock.Slot
	time  vclock.Time
	mask  Mask // the bytes of the word that no later access stands for
	kind  trace.Kind
	flags trace.Flags
}

// rest is the rest of a record.
type rest struct {
	seq   trace.Seq
	addr  trace.Addr
	size  uint32
	g     trace.G
	site  trace.Site
	stack trace.Stack
}

func restOf(seq trace.Seq, ev *trace.Event) rest {
	return rest{seq, ev.Addr, ev.Size, ev.G, ev.Site, ev.Stack}
}

// record puts the two parts of a record together.
func (b *brief) record(r *rest) Record {
	ev := trace.Event{Kind: b.kind, Flags: b.flags, G: r.g, Addr: r.addr, Size: r.size, Site: r.site, Stack: r.stack}
	return Record{r.seq, ev, b.slot, b.time}
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
// (A3) A word keeps Max records, and a quarter of that when an atomic one comes; when one is dropped for want of room, the
// bytes count as lossy, as do those of a record whose owner was forced out of its slot, and of one whose
// goroutine shares its slot with the present one.
type Accesses struct {
	Table[brief]
	// Lossy is called with bytes for which conflicts may go unnoticed; may be nil.
	Lossy func(Word, Mask)
	// Max is how many records a word keeps; 0 means DefaultMax. The fewer, the cheaper is a word that very many
	// goroutines access without knowing of each other.
	Max int
	// Lost counts the records that were let go for want of room.
	Lost uint64

	rest  []*[chunkLen]rest // by the records' names
	races []Record
}

// DefaultMax is the Max of zero Accesses.
const DefaultMax = 256

// most is how many records there may be beside a new one. A quarter is enough for
// atomic accesses, which nothing but a plain access races with.
func (t *Accesses) most(b *brief) int {
	n := t.Max
	if n == 0 {
		n = DefaultMax
	}
	if b.flags&trace.FlagAtomic != 0 {
		n /= 4
	}
	return n
}

// RecordBytes is what a record of Accesses takes.
const RecordBytes = 48

// Bytes is about how much memory t takes.
func (t *Accesses) Bytes() int { return t.Counted() * RecordBytes }

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
func (t *Accesses) Check(seq trace.Seq, ev *trace.Event, a *Actor) []Record {
	if ev.Size == 0 {
		return nil
	}
	w, last := WordOf(ev.Addr), WordOf(ev.Addr+trace.Addr(ev.Size)-1)
	if w == last && !a.Many {
		if p := t.page(uint64(w) >> PageBits); p.wide == 0 {
			return t.one(p, w, seq, ev, a)
		}
	}
	t.races = t.races[:0]
	me := brief{slot: a.Slot, time: a.Now, mask: 0xff, kind: ev.Kind, flags: ev.Flags}
	for ; w <= last; w++ {
		if Covers(w, ev.Addr, ev.Size) {
			t.pageCheck(w, seq, ev, me, a)
			w += PageWords - 1
			continue
		}
		t.word(w, seq, ev, me, a)
	}
	return t.races
}

// looker goes over lists of records for one access.
type looker struct {
	*Accesses
	seq  trace.Seq
	ev   *trace.Event
	me   brief
	a    *Actor
	keep Mask // the bytes that no record of the same epoch stands for, (A2)
	n    int  // records that stay
	mine Ref  // a record whose place is taken over
}

// list looks at the records of a list of w, all of whose bytes in me.mask the access has. When it is the list
// the access is kept in, take is set and (A1) applied.
func (l *looker) list(w Word, at *Ref, take bool) {
	for *at != 0 {
		ref := *at
		r, next := l.At(ref)
		l.n++
		common := r.mask & l.me.mask
		if l.a.Many && r.slot == l.a.Slot && conflicts(r, &l.me) && l.restOf(ref).g != l.ev.G { // (A3)
			l.lossy(w, common)
		}
		switch {
		case common == 0:
		case r.slot != l.a.Slot && r.time > l.a.Known.At(r.slot) && r.time != vclock.MaxTime:
			if !conflicts(r, &l.me) {
				break
			}
			if l.a.Slots.Stale(r.slot, r.time) { // (A3)
				l.lossy(w, common)
			} else {
				l.race(ref, r)
			}
		case r.slot == l.a.Slot && r.time == l.a.Now && r.standsFor(&l.me): // (A2)
			l.keep &^= common
		case take && l.me.standsFor(r): // (A1)
			if r.mask &^= common; r.mask != 0 {
				break
			}
			if l.mine == 0 {
				l.mine = ref
				break
			}
			l.Remove(w, at)
			l.n--
			continue
		}
		at = next
	}
}

// put keeps the access in w's list.
func (l *looker) put(w Word, list *Ref) {
	if l.keep == 0 {
		if l.mine != 0 {
			at := list
			for *at != l.mine {
				_, at = l.At(*at)
			}
			l.Remove(w, at)
		}
		return
	}
	kept := l.me
	kept.mask = l.keep
	if l.mine != 0 {
		r, _ := l.At(l.mine)
		*r = kept
	} else {
		if l.n >= l.most(&kept) {
			l.dropOldest(w, list)
		}
		l.mine = l.Add(w, kept)
	}
	*l.restOf(l.mine) = restOf(l.seq, l.ev)
}

// restOf is the rest of a record that exists.
func (t *Accesses) restOf(ref Ref) *rest {
	for int(ref>>chunkBits) >= len(t.rest) {
		t.rest = append(t.rest, predict.Make[[chunkLen]rest](t.Arena))
	}
	return &t.rest[ref>>chunkBits][ref%chunkLen]
}

func (t *Accesses) word(w Word, seq trace.Seq, ev *trace.Event, me brief, a *Actor) {
	me.mask = MaskOf(w, ev.Addr, ev.Size)
	l := looker{Accesses: t, seq: seq, ev: ev, me: me, a: a, keep: me.mask}
	list, wide := t.Lists(w)
	if wide != nil {
		l.list(w, wide, false)
		l.n = 0
	}
	if list != nil {
		l.list(w, list, true)
	}
	l.put(w, list)
}

// pageCheck is word for all words of the page that begins with w.
func (t *Accesses) pageCheck(w Word, seq trace.Seq, ev *trace.Event, me brief, a *Actor) {
	l := looker{Accesses: t, seq: seq, ev: ev, me: me, a: a}
	lists, narrow := t.Page(w)
	if lists == nil {
		l.keep = 0xff
		l.put(Whole(w), nil)
		return
	}
	if narrow {
		for i := range Word(PageWords) {
			if lists[i] == 0 {
				continue
			}
			l.list(w+i, &lists[i], true)
			if l.mine != 0 { // its place is of no use here
				l.keep = 0
				l.put(w+i, &lists[i])
				l.mine = 0
			}
		}
	}
	l.n, l.keep = 0, 0xff
	l.list(Whole(w), &lists[PageWords], true)
	l.put(Whole(w), &lists[PageWords])
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
	r := t.restOf(ref)
	for i := range t.races {
		if t.races[i].Seq == r.seq {
			return
		}
	}
	t.races = append(t.races, b.record(r))
}

func (t *Accesses) dropOldest(w Word, at *Ref) {
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
	if t.Lossy == nil || m == 0 {
		return
	}
	if w&WholePage == 0 {
		t.Lossy(w, m)
		return
	}
	for i := range Word(PageWords) {
		t.Lossy((w&^WholePage)<<PageBits+i, m)
	}
}

// Forget starts a new life of the bytes [addr, addr+size).
func (t *Accesses) Forget(addr trace.Addr, size uint32) {
	t.Clear(addr, size, func(r *brief, m Mask) bool {
		r.mask &^= m
		return r.mask != 0
	}, func(from, to Ref) { *t.restOf(to) = *t.restOf(from) })
}
