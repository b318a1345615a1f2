package shadow

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Records that are dropped for want of room are summed up: those of a word that very many
// goroutines read, and those of a page. Then it is known whether a later access comes after all of
// them. If not, it may race with one of them. Only order 0 has sums, since it decides which reads
// are uncertain.
//
//	(L1) A sum is of a word, or of a page as a whole. It has for each slot the latest time of the
//	     dropped records.
//	(L2) If an access conflicts with a sum, and its goroutine does not know all times of the sum,
//	     Lossy is called for it.
//	(L3) A write that comes after all of a sum ends the sum for the bytes that it writes. So does an
//	     Alloc of the memory.
//	(L4) Sums have a share of the memory. When they take more, all sums become one, of all pages
//	     that had a sum.

// ago is the sum of dropped records of a word, or of a page.
type ago struct {
	*times
	is   traits     // those of all records, joined
	mask Mask       // the bytes of the word, or of each word of the page
	over exceptions // the words of the page for which the sum has ended (L3)
}

// times are the times of a sum. Pages that were dropped one after the other may share them.
type times struct {
	known vclock.Clock
	blind bool // a record is missing, since its goroutine was forced out of its slot
	users int  // how many sums share the times
}

const (
	maxUsers = 64     // how many sums may share times
	agoBytes = 256    // about what a sum takes
	agoShare = 16     // sums take at most a 16th of the memory
	minAgo   = 1 << 6 // so many sums are always allowed
)

// maxAgo is the largest number of sums.
func (t *Accesses) maxAgo() int {
	limit := t.Limit
	if limit == 0 {
		limit = DefaultRecords
	}
	return max(limit*RecordBytes/agoShare/agoBytes, minAgo)
}

// letGo adds a record of w, which is about to be dropped, to a sum.
func (t *Accesses) letGo(w Word, r *record) {
	m := r.masks.of(0)
	if m == 0 || t.Lossy == nil {
		return
	}
	s := t.ago[w]
	if s == nil {
		if t.ago == nil {
			t.ago = map[Word]*ago{}
		}
		if len(t.ago) >= t.maxAgo() {
			t.fold()
		}
		no, _ := split(w)
		s = &ago{times: &times{users: 1}}
		t.ago[w] = s
		t.mark(no, 1)
	}
	s.is |= r.is & (isWrite | isPlain)
	s.mask |= m
	t.raise(s.times, vclock.Slot(r.slot[0]), r.time[0])
}

func (t *Accesses) raise(s *times, slot vclock.Slot, time vclock.Time) {
	old := s.known.At(slot)
	s.blind = s.blind || t.Slots.Stale(slot, time) || old > 0 && t.Slots.Stale(slot, old)
	s.known.Raise(&t.pool, slot, time)
}

// evict is letGo for a record whose page is about to be dropped: it adds the record to the sum of
// the page.
func (t *Accesses) evict(w Word, r *record) {
	no, _ := split(w)
	t.letGo(Word(no)|WholePage, r)
	if s := t.ago[Word(no)|WholePage]; s != nil {
		s.mask = 0xff
		if w&WholePage != 0 {
			s.over = 0
		} else {
			s.over &^= 1 << (w % PageWords)
		}
	}
}

// evicted lets a page share the times of the page that was dropped before it, if they have the same
// slots.
func (t *Accesses) evicted(no uint64) {
	s := t.ago[Word(no)|WholePage]
	if s == nil {
		return
	}
	if old := t.lastTimes; old != nil && old != s.times && s.times.users == 1 && old.users < maxUsers && sameSlots(&s.known, &old.known) {
		old.known.Join(&t.pool, s.known.Vec(), vclock.NoOrders)
		old.blind = old.blind || s.blind
		old.users++
		s.known.Reset(&t.pool)
		s.times = old
	}
	t.lastTimes = s.times
}

// sameSlots reports whether b has a time for each slot for which a has one.
func sameSlots(a, b *vclock.Clock) bool {
	for i := range vclock.Slot(a.Vec().Len()) {
		if a.At(i) > 0 && b.At(i) == 0 {
			return false
		}
	}
	return true
}

// sums reports whether there are sums of a page, or of words of it.
func (t *Accesses) sums(no uint64) bool { return t.agos[no] > 0 || t.inRest(no) }

// mark adds n to the number of sums of a page.
func (t *Accesses) mark(no uint64, n int) {
	if t.agos == nil {
		t.agos = map[uint64]int{}
	}
	if t.agos[no] += n; t.agos[no] == 0 {
		delete(t.agos, no)
	}
	if p := t.find(no); p != nil {
		p.kept = t.sums(no)
	}
}

// fold is (L4).
func (t *Accesses) fold() {
	if t.restOf == nil {
		t.restOf = make([]uint64, 1<<restBits/64)
		t.rest = ago{times: &times{}, is: isWrite | isPlain, mask: 0xff}
	}
	for w, s := range t.ago {
		no, _ := split(w)
		t.restOf[restAt(no)/64] |= 1 << (restAt(no) % 64)
		t.rest.known.Join(&t.pool, s.known.Vec(), vclock.NoOrders)
		t.rest.blind = t.rest.blind || s.blind
		if s.users--; s.users == 0 {
			s.known.Reset(&t.pool)
		}
	}
	clear(t.ago)
	clear(t.agos)
	t.lastTimes = nil
}

const restBits = 20

func restAt(no uint64) uint64 { return no * 0x9E3779B97F4A7C15 >> (64 - restBits) }

func (t *Accesses) inRest(no uint64) bool {
	return t.restOf != nil && t.restOf[restAt(no)/64]>>(restAt(no)%64)&1 != 0
}

// unsum ends a sum.
func (t *Accesses) unsum(w Word, s *ago) {
	if s.users--; s.users == 0 {
		s.known.Reset(&t.pool)
		if t.lastTimes == s.times {
			t.lastTimes = nil
		}
	}
	delete(t.ago, w)
	no, _ := split(w)
	t.mark(no, -1)
}

// long compares an access of these bytes of w with the sums of w and of its page: (L2), (L3).
func (t *Accesses) long(w Word, m Mask, is traits, seq trace.Seq, a *Actor) {
	if s := t.ago[w]; s != nil && s.mask&m != 0 {
		if after := t.after(s, w, m, is, seq, a); after && is&(isWrite|isPlain) == isWrite|isPlain {
			if s.mask &^= m; s.mask == 0 {
				t.unsum(w, s)
			}
		}
	}
	if t.inRest(uint64(w) >> PageBits) {
		t.after(&t.rest, w, m, is, seq, a)
	}
	s := t.ago[Whole(w)]
	if s == nil || s.over.has(uint32(w)%PageWords) {
		return
	}
	if after := t.after(s, w, m, is, seq, a); after && m == 0xff && is&(isWrite|isPlain) == isWrite|isPlain {
		s.end(w)
	}
}

// end ends the sum of a page for one word, (L3).
func (s *ago) end(w Word) { s.over |= 1 << (w % PageWords) }

// after is (L2), and reports whether an access comes after all of the sum.
func (t *Accesses) after(s *ago, w Word, m Mask, is traits, seq trace.Seq, a *Actor) bool {
	conflicts := conflict(s.is, is)
	if !conflicts && is&(isWrite|isPlain) != isWrite|isPlain { // it ends no sum, so the answer does not matter
		return false
	}
	if !s.blind && !a.Shared && a.Known.Vec().CoversBut(s.known.Vec(), a.Slot, t.Slots) {
		return true
	}
	if conflicts {
		t.lossy(0, w, m&s.mask, seq)
	}
	return false
}

// longPage is long for all words of w's page.
func (t *Accesses) longPage(w Word, is traits, seq trace.Seq, a *Actor) {
	if s := t.ago[Whole(w)]; s != nil && t.after(s, Whole(w), 0xff, is, seq, a) && is&(isWrite|isPlain) == isWrite|isPlain {
		t.unsum(Whole(w), s)
	}
	if t.inRest(uint64(w) >> PageBits) {
		t.after(&t.rest, Whole(w), 0xff, is, seq, a)
	}
	if n := t.agos[uint64(w)>>PageBits]; n == 0 || n == 1 && t.ago[Whole(w)] != nil {
		return
	}
	for i := range Word(PageWords) {
		t.long(w+i, 0xff, is, seq, a)
	}
}

// endLife is (L3) for an Alloc of the bytes [addr, addr+size).
func (t *Accesses) endLife(addr trace.Addr, size uint32) {
	if len(t.ago) == 0 || size == 0 {
		return
	}
	last := WordOf(addr + trace.Addr(size) - 1)
	for w := WordOf(addr); w <= last; w++ {
		if t.agos[uint64(w)>>PageBits] == 0 {
			w = Word(uint64(w)>>PageBits+1)<<PageBits - 1
			continue
		}
		m := MaskOf(w, addr, size)
		if s := t.ago[w]; s != nil {
			if s.mask &^= m; s.mask == 0 {
				t.unsum(w, s)
			}
		}
		switch s := t.ago[Whole(w)]; {
		case s == nil || m != 0xff:
		case Covers(w, addr, size):
			t.unsum(Whole(w), s)
		default:
			s.end(w)
		}
	}
}
