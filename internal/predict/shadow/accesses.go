package shadow

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Order is the index of one of the partial orders of Accesses.
type Order uint8

// Orders is the largest number of orders.
const Orders = 2

// Accesses remembers, per byte, the accesses that a later one may race with, under one or two
// partial orders that are given by vector times (happens-before, WCP). The result for an order does
// not depend on whether there is another one:
//
// (A1) A record is dropped when a newer access comes after it in the order and conflicts with
// everything that the old one conflicts with. A later access that is not ordered after the old one
// is not ordered after the new one either. So an access is reported if and only if some earlier
// access is in conflict with it and not ordered before it, but not with each of these.
//
// (A2) An access subsumed by a record of the same epoch is checked but not stored. The exception is
// an access that subsumes the record as well and is of a later epoch under the other order: it
// takes the record's place.
//
// (A3) A word keeps maxRecords records for each order; an atomic access leaves a quarter of them.
// Records that are dropped for want of room are summed up (ago.go). Lossy is called for an access
// that may race with a record whose goroutine was forced out of its slot, and for accesses of
// goroutines that share a slot.
//
// An access has one record for both orders, so two orders take no more memory than one.
type Accesses struct {
	Table[record]
	// Lossy is called with bytes of the access at seq that may race, under order 0, with a forgotten access. It may be nil.
	Lossy func(w Word, m Mask, seq trace.Seq)
	// Slots are the slots of order 0; they may be nil if Lossy is.
	Slots *vclock.Slots
	// Again chooses accesses for Soft; nil for none.
	Again *predict.Again
	// Lost counts the records that were dropped for want of room.
	Lost uint64

	spans   spans
	segment trace.Seq // of all records: the upper bits of their places in the trace, plus 1; 0 before the first
	races   [Orders][]Record
	soft    []Record
	raced   bool // races or soft has something

	looked Ref // see Look

	ago       map[Word]*ago
	agos      map[uint64]int // how many sums, by page
	rest      ago            // the one sum of (L4)
	restOf    []uint64       // a bit for each hash of a page's number: set if rest has the page
	lastTimes *times         // of the page that was dropped last
	pool      vclock.Pool
}

// maxRecords is how many records a word keeps under each order. If many goroutines read a word, or
// add to it unseen, each access looks at all of its records, so more records cost time. The newest
// ones are mostly enough to find each pair of positions that race.
const maxRecords = 64

// most is how many records a word may keep beside a new one. A quarter is enough if that is atomic,
// since only plain accesses race with atomic ones.
func most(is traits) int {
	if is&isPlain == 0 {
		return maxRecords / 4
	}
	return maxRecords
}

// Bytes is about how much memory t takes.
func (t *Accesses) Bytes() int { return t.Counted()*RecordBytes + len(t.ago)*agoBytes + t.pool.Live }

// Heap is how much of that is on the Go heap, if there is an arena.
func (t *Accesses) Heap() int { return len(t.ago)*agoBytes + t.pool.Bytes() }

// Actor is the goroutine of an access as an order sees it: its slot and epoch, and what it knows.
type Actor struct {
	Slot   vclock.Slot
	Now    vclock.Time
	Known  vclock.Clock
	Slots  *vclock.Slots
	Shared bool // several goroutines share the slot and count as one
}

// Look loads the newest record of the word where an access begins into the processor's cache, for
// Check, while the caller does other work.
func (t *Accesses) Look(ev *trace.Event) {
	w := WordOf(ev.Addr)
	no := uint64(w) >> PageBits
	d := t.cache[no>>dirBits%cacheLen]
	if d == nil || d.no != no>>dirBits {
		return
	}
	if p := d.at[no%dirLen]; p != nil && p.words[w%PageWords] != 0 {
		t.looked ^= t.node(p.words[w%PageWords]).next // any use makes the compiler load it
	}
}

// ready drops the results of the access before, and begins a segment if the access at seq is in
// another one.
func (t *Accesses) ready(seq trace.Seq) {
	if t.raced || seq>>seqBits+1 != t.segment {
		t.renew(seq)
	}
}

func (t *Accesses) renew(seq trace.Seq) {
	t.raced = false
	for o := range t.races {
		t.races[o] = t.races[o][:0]
	}
	t.soft = t.soft[:0]
	if segment := seq>>seqBits + 1; segment != t.segment {
		t.begin(segment)
	}
}

// checkAll is Check under all orders that have an actor, of which order 0 is one.
func (t *Accesses) checkAll(seq trace.Seq, ev *trace.Event, a [Orders]*Actor) *[Orders][]Record {
	if ev.Size == 0 {
		return &t.races
	}
	v := visit{seq: seq, ev: ev, is: traitsOf(ev), a: a}
	w, last := WordOf(ev.Addr), WordOf(ev.Addr+trace.Addr(ev.Size)-1)
	for ; w <= last; w++ {
		if Covers(w, ev.Addr, ev.Size) {
			t.wholePage(w, &v)
			w += PageWords - 1
			continue
		}
		t.word(w, &v)
	}
	if v.span != 0 {
		t.dropSpan(v.span)
	}
	return &t.races
}

// begin drops all records before the first access of a segment of the trace. A segment has
// 2^seqBits events, and a record has only the lower bits of its place in the trace.
func (t *Accesses) begin(segment trace.Seq) {
	if t.segment == 0 {
		t.Record, t.Drop, t.Materialize = RecordBytes, func(_ Word, r *record) { t.dropped(r) }, t.handOutRecord
		if t.Lossy != nil {
			t.Evict, t.EvictedPage, t.Kept = t.evict, t.evicted, t.sums
		}
	}
	t.DropAll()
	t.segment = segment
}

// visit is one access on its way through the lists of records.
type visit struct {
	seq  trace.Seq
	ev   *trace.Event
	is   traits
	a    [Orders]*Actor
	span uint32 // name of the access's span, 0 while it has none

	mask Mask         // the access's bytes of the word at hand
	keep [Orders]Mask // the bytes of them that no record of the same epoch subsumes, (A2)
	n    [Orders]int  // records that stay
	mine Ref          // a record that is overwritten with the access; 0 none
}

// begins begins a word.
func (v *visit) begins(m Mask) {
	v.mask, v.mine, v.n = m, 0, [Orders]int{}
	for o, a := range v.a {
		v.keep[o] = 0
		if a != nil {
			v.keep[o] = m
		}
	}
}

func (t *Accesses) word(w Word, v *visit) {
	p := t.page(uint64(w) >> PageBits)
	v.begins(MaskOf(w, v.ev.Addr, v.ev.Size))
	if p.kept {
		t.long(w, v.mask, v.is, v.seq, v.a[0])
	}
	if v.a[0].Shared { // (A3)
		t.lossy(0, w, v.mask, v.seq)
	}
	if p.covers(uint32(w) % PageWords) {
		t.list(Whole(w), p, PageWords, v, false)
		v.n = [Orders]int{}
	}
	t.list(w, p, uint32(w)%PageWords, v, true)
	t.put(w, p, uint32(w)%PageWords, v)
}

// wholePage is word for all words of the page that begins with w.
func (t *Accesses) wholePage(w Word, v *visit) {
	p := t.page(uint64(w) >> PageBits)
	t.mend(p)
	if p.kept {
		t.longPage(w, v.is, v.seq, v.a[0])
	}
	if v.a[0].Shared {
		t.lossy(0, Whole(w), 0xff, v.seq)
	}
	if p.used > p.wide {
		v.begins(0xff)
		for i := range uint32(PageWords) {
			if p.words[i] == 0 {
				continue
			}
			t.list(w+Word(i), p, i, v, true)
			if v.mine != 0 { // the page has no use for it
				t.remove(p, i, v.mine)
				v.mine = 0
			}
		}
	}
	v.begins(0xff)
	t.list(Whole(w), p, PageWords, v, true)
	t.put(Whole(w), p, PageWords, v)
}

// list compares the access, which has the bytes v.mask of w, with the records of a list of w. take
// says that the access is going to be in this list; then list applies (A1).
func (t *Accesses) list(w Word, p *page, list uint32, v *visit, take bool) {
	for at := p.head(list); *at != 0; {
		k := t.node(*at)
		r := &k.rec
		for o := range Order(Orders) {
			common := r.masks.of(o) & v.mask
			if common == 0 {
				continue
			}
			a := v.a[o]
			if a == nil {
				r.masks &^= Mask(0xff).under(o)
				continue
			}
			slot, time := vclock.Slot(r.slot[o]), r.time[o]
			if o == 1 && slot != a.Slot && t.Again != nil {
				t.maybeSoft(r, w, v.ev, v.is, v.a[0], a)
			}
			switch {
			case slot != a.Slot && time > a.Known.At(slot) && time != vclock.MaxTime:
				if !conflict(r.is, v.is) {
					break
				}
				if a.Slots.Stale(slot, time) { // (A3)
					t.lossy(o, w, common, v.seq)
				} else {
					t.race(o, r, w)
				}
			case slot == a.Slot && time == a.Now && r.is.subsumes(v.is) && !(v.is.subsumes(r.is) && v.newer(1-o, r)): // (A2)
				v.keep[o] &^= common
			case take && v.is.subsumes(r.is): // (A1)
				r.masks &^= common.under(o)
			}
		}
		if take {
			switch {
			case r.masks != 0:
			case v.mine == 0:
				v.mine = *at
			default:
				t.dropped(r)
				t.unlink(p, list, at)
				continue
			}
		}
		for o := range v.n {
			if r.masks.of(Order(o)) != 0 {
				v.n[o]++
			}
		}
		at = &k.next
	}
}

// newer reports whether there is an order o and the record is of an earlier epoch than the access
// under it.
func (v *visit) newer(o Order, r *record) bool {
	a := v.a[o]
	return a != nil && (vclock.Slot(r.slot[o]) != a.Slot || r.time[o] != a.Now)
}

// remove removes a record from its list.
func (t *Accesses) remove(p *page, list uint32, ref Ref) {
	at := p.head(list)
	for *at != ref {
		at = &t.node(*at).next
	}
	t.dropped(&t.node(ref).rec)
	t.unlink(p, list, at)
}

// put adds the access to w's list.
func (t *Accesses) put(w Word, p *page, list uint32, v *visit) {
	if v.keep == [Orders]Mask{} {
		if v.mine != 0 {
			t.remove(p, list, v.mine)
		}
		return
	}
	for o := range v.n {
		if v.keep[o] != 0 && v.n[o] >= most(v.is) {
			t.dropOldest(Order(o), w, p, list)
		}
	}
	if v.mine == 0 {
		v.mine = t.add(p, list, record{})
	}
	r := &t.node(v.mine).rec
	t.dropped(r)
	if fits(v.ev) {
		r.set(v.is, v.seq, v.ev)
	} else {
		t.fill(r, v.is, v.seq, v.ev, &v.span)
	}
	r.masks = v.keep[0].under(0) | v.keep[1].under(1)
	for o, a := range v.a {
		if a != nil {
			r.slot[o], r.time[o] = uint16(a.Slot), a.Now
		}
	}
}

// race adds a record to the result, once per Check, though its access may have several words.
func (t *Accesses) race(o Order, r *record, w Word) {
	seq := t.place(r)
	for i := range t.races[o] {
		if t.races[o][i].Seq == seq {
			return
		}
	}
	t.races[o] = append(t.races[o], t.unpack(o, r, w))
	t.raced = true
}

// dropOldest removes a record of a list from the order: the oldest one of the most numerous kind of
// access. If very many goroutines read a word, the write before the reads stays, so that no read is
// in conflict with the sum (L1).
func (t *Accesses) dropOldest(o Order, w Word, p *page, list uint32) {
	var many [1 << 3]int
	var last [1 << 3]Ref
	most := traits(0)
	for ref := *p.head(list); ref != 0; ref = t.node(ref).next {
		if r := &t.node(ref).rec; r.masks.of(o) != 0 {
			is := r.is & (isWrite | isPlain)
			many[is]++
			last[is] = ref
			if many[is] > many[most] {
				most = is
			}
		}
	}
	oldest := last[most]
	if oldest == 0 {
		return
	}
	r := &t.node(oldest).rec
	t.Lost++
	if o == 0 {
		t.letGo(w, r)
	}
	if r.masks &^= Mask(0xff).under(o); r.masks == 0 {
		t.remove(p, list, oldest)
	}
}

func (t *Accesses) lossy(o Order, w Word, m Mask, seq trace.Seq) {
	if o != 0 || t.Lossy == nil || m == 0 {
		return
	}
	if w&WholePage == 0 {
		t.Lossy(w, m, seq)
		return
	}
	for i := range Word(PageWords) {
		t.Lossy((w&^WholePage)<<PageBits+i, m, seq)
	}
}

// Forget drops what is known of the bytes [addr, addr+size), which are allocated anew.
func (t *Accesses) Forget(addr trace.Addr, size uint32) {
	t.endLife(addr, size)
	t.Clear(addr, size, func(_ Word, r *record, m Mask) bool {
		r.masks &^= m.under(0) | m.under(1)
		return r.masks != 0
	})
}

// handOutRecord is Materialize.
func (t *Accesses) handOutRecord(from Ref, to Word) {
	r := t.node(from).rec
	t.Add(to, r)
	if r.is&isWide != 0 {
		t.spans.at(uint32(r.stack)).refs++
	}
}
