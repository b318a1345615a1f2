package wcp

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
)

// mark says that a section has accesses of some bytes of a word. The marks of a word and lock are
// the paper's L^r and L^w, kept per section so that the release clock is filled in once, at the release.
type mark struct {
	sec  uint32 // the section, with its lock
	slot uint16 // the section's
	mask shadow.Mask
	is   markFlags
}

type markFlags uint8

const (
	markWrite markFlags = 1 << iota
	markShared
)

// markList has the marks of one word and lock, newest first. It is where the hash has it, two marks and all: mostly half a cache line is all that
// rule (a) has to look at.
//
// Invariant, but while rule (a) is at it: when the newest mark has no bytes, there is no mark.
type markList struct {
	w    shadow.Word
	lock uint32 // 0: no list
	next uint32 // the newest of the others; 0 none
	mark
	second mark // the newest but one; if it has no bytes, that one is with the others
}

// older is a mark that is not its list's newest.
type older struct {
	next uint32
	mark
}

// marks has all marks: a list for each word and lock, found by hash.
type marks struct {
	locks shadow.Table[uint32] // that a word has lists for
	hash  []markList           // open addressing; a power of two long, and at least one of them free
	used  int                  // lists
	wide  int                  // lists of whole pages

	chunks []*[markChunk]older
	free   uint32
	next   uint32 // never used yet
}

const (
	markChunkBits = 10
	markChunk     = 1 << markChunkBits
)

// init makes m ready.
func (m *marks) init() {
	m.next = 1
	m.hash = make([]markList, 1)
	m.locks.Record = markBytes
	m.locks.Drop = func(w shadow.Word, lock *uint32) { m.remove(w, *lock) }
}

// bytes is about how much memory the marks take.
func (m *marks) bytes() int { return m.locks.Counted() * markBytes }

// at is an older mark by its name.
func (m *marks) at(r uint32) *older { return &m.chunks[r>>markChunkBits][r%markChunk] }

// home is where the list of a word and lock is looked for first, before masking.
func home(w shadow.Word, lock uint32) uint64 {
	return (uint64(w) ^ uint64(lock)*0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93 >> 32
}

// list is that of a word and lock; nil when there is none. The pointer is good until a list is made or removed.
func (m *marks) list(w shadow.Word, lock uint32) *markList {
	l := &m.hash[home(w, lock)&uint64(len(m.hash)-1)]
	if l.w != w || l.lock != lock {
		l = m.place(w, lock)
	}
	if l.lock == 0 {
		return nil
	}
	return l
}

// find is list with all marks but the newest in one place.
func (m *marks) find(w shadow.Word, lock uint32) *markList {
	l := m.list(w, lock)
	if l != nil && l.second.mask != 0 {
		m.spill(l)
	}
	return l
}

// after is the mark behind k, and the name of the next of the others; nil when k is the last. A walk begins with the newest mark and l.next.
func (m *marks) after(l *markList, k *mark, next uint32) (*mark, uint32) {
	if k == &l.mark && l.second.mask != 0 {
		return &l.second, next
	}
	if next == 0 {
		return nil, 0
	}
	o := m.at(next)
	return &o.mark, o.next
}

// spill puts the second mark of a list, which has one, to the others.
func (m *marks) spill(l *markList) {
	r := m.one()
	*m.at(r) = older{l.next, l.second}
	l.next, l.second = r, mark{}
}

// push makes k the newest mark of a list that has some.
func (m *marks) push(l *markList, k mark) {
	m.locks.Extra++
	if l.second.mask != 0 {
		m.spill(l)
	}
	l.second, l.mark = l.mark, k
}

// place is the list of a word and lock, or where it would be.
func (m *marks) place(w shadow.Word, lock uint32) *markList {
	mask := uint64(len(m.hash) - 1)
	for i := home(w, lock) & mask; ; i = (i + 1) & mask {
		if l := &m.hash[i]; l.w == w && l.lock == lock || l.lock == 0 {
			return l
		}
	}
}

// make adds an empty list for a word and lock that has none.
func (m *marks) make(w shadow.Word, lock uint32) *markList {
	m.locks.Add(w, lock)
	if 4*(m.used+1) > 3*len(m.hash) {
		m.rehash(max(2*len(m.hash), 1<<8))
	}
	l := m.place(w, lock)
	*l = markList{w: w, lock: lock}
	m.used++
	if w&shadow.WholePage != 0 {
		m.wide++
	}
	return l
}

func (m *marks) rehash(n int) {
	old := m.hash
	m.hash = make([]markList, n)
	for i := range old {
		if l := &old[i]; l.lock != 0 {
			*m.place(l.w, l.lock) = *l
		}
	}
}

// remove drops the marks of a list and takes it out of the hash, moving those behind it up (Knuth, volume 3, 6.4, Algorithm R).
func (m *marks) remove(w shadow.Word, lock uint32) {
	l := m.find(w, lock)
	m.cut(l, 0xff)
	if w&shadow.WholePage != 0 {
		m.wide--
	}
	mask := uint64(len(m.hash) - 1)
	i := home(w, lock) & mask
	for &m.hash[i] != l {
		i = (i + 1) & mask
	}
	for j := i; ; {
		j = (j + 1) & mask
		o := &m.hash[j]
		if o.lock == 0 {
			break
		}
		if (j-home(o.w, o.lock))&mask >= (j-i)&mask {
			m.hash[i] = *o
			i = j
		}
	}
	m.hash[i] = markList{}
	m.used--
}

// add makes k the newest mark of a list that find gave.
func (m *marks) add(l *markList, k mark) {
	m.locks.Extra++
	if l.mask == 0 {
		l.mark = k
		return
	}
	r := m.one()
	*m.at(r) = older{l.next, l.mark}
	l.next, l.mark = r, k
}

// one is the name of a mark that is not used yet.
func (m *marks) one() uint32 {
	r := m.free
	if r != 0 {
		m.free = m.at(r).next
	} else {
		r = m.next
		if int(r>>markChunkBits) == len(m.chunks) {
			m.chunks = append(m.chunks, predict.Make[[markChunk]older](m.locks.Arena))
		}
		m.next++
	}
	return r
}

// alone makes k the only mark of a list, which had so many.
func (m *marks) alone(l *markList, k mark, had int) {
	m.locks.Extra += 1 - had
	l.mark, l.second = k, mark{}
	for l.next != 0 {
		m.unlink(&l.next)
	}
}

// rotate makes k the newest mark of a list and lets go of another one, whose place the one before it takes, and so on.
func (m *marks) rotate(l *markList, k mark, gone *mark) {
	for o, next := &l.mark, l.next; ; o, next = m.after(l, o, next) {
		*o, k = k, *o
		if o == gone {
			return
		}
	}
}

// take takes bytes from a mark. It reports whether that was all it had: then the mark is to go.
func (m *marks) take(k *mark, bytes shadow.Mask) (gone bool) {
	if k.mask &^= bytes; k.mask != 0 {
		return false
	}
	m.locks.Extra--
	return true
}

// unlink lets go of the older mark that *at names.
func (m *marks) unlink(at *uint32) {
	r := *at
	o := m.at(r)
	*at = o.next
	o.next = m.free
	m.free = r
}

// settle makes the invariant hold again for a list whose newest mark may be gone.
func (m *marks) settle(l *markList) {
	if l.mask == 0 && l.next != 0 {
		l.mark = m.at(l.next).mark
		m.unlink(&l.next)
	}
}

// cut takes bytes from all marks of a list.
func (m *marks) cut(l *markList, bytes shadow.Mask) {
	if l.mask != 0 {
		m.take(&l.mark, bytes)
	}
	for at := &l.next; *at != 0; {
		if o := m.at(*at); m.take(&o.mark, bytes) {
			m.unlink(at)
		} else {
			at = &o.next
		}
	}
	m.settle(l)
}

// clear forgets what was done to the bytes [addr, addr+size).
func (m *marks) clear(addr trace.Addr, size uint32) {
	if size == 0 || m.used == 0 {
		return
	}
	if m.wide > 0 {
		first, last := shadow.WordOf(addr)>>shadow.PageBits, shadow.WordOf(addr+trace.Addr(size)-1)>>shadow.PageBits
		for _, no := range []shadow.Word{first, last} { // those between are cleared as a whole
			if w := no << shadow.PageBits; !shadow.Covers(w, addr, size) {
				m.spread(w)
			}
		}
	}
	m.locks.Clear(addr, size, func(w shadow.Word, lock *uint32, bytes shadow.Mask) bool {
		l := m.find(w, *lock)
		m.cut(l, bytes)
		return l.mask != 0
	}, nil)
}

// spread hands the marks of w's page as a whole out to its words.
func (m *marks) spread(w shadow.Word) {
	lists, _ := m.locks.Page(w)
	if lists == nil {
		return
	}
	for at := &lists[shadow.PageWords]; *at != 0; {
		lock, _ := m.locks.At(*at)
		for i := range shadow.Word(shadow.PageWords) {
			m.copy(shadow.Whole(w), w+i, *lock)
		}
		lock, _ = m.locks.At(*at)
		m.remove(shadow.Whole(w), *lock)
		m.locks.Remove(shadow.Whole(w), at)
	}
}

// copy adds the marks that one word has for a lock to those of another.
func (m *marks) copy(from, to shadow.Word, lock uint32) {
	l := m.find(from, lock)
	var all []mark
	if l.mask != 0 {
		all = append(all, l.mark)
	}
	for r := l.next; r != 0; r = m.at(r).next {
		all = append(all, m.at(r).mark)
	}
	if l = m.find(to, lock); l == nil {
		l = m.make(to, lock)
	}
	for k := len(all) - 1; k >= 0; k-- {
		m.add(l, all[k])
	}
}

// size is how much there is to look at for sections.
func (m *marks) size() int { return len(m.hash) + int(m.next) }

// sections sets the bits of all sections that have marks.
func (m *marks) sections(found []uint64) {
	for i := range m.hash {
		l := &m.hash[i]
		if l.mask == 0 {
			continue
		}
		for k, next := &l.mark, l.next; k != nil; k, next = m.after(l, k, next) {
			found[k.sec/64] |= 1 << (k.sec % 64)
		}
	}
}
