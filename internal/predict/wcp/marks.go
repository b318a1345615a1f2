package wcp

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
)

// mark says that a section has accesses of some bytes of a word. The marks of a word and lock are
// the paper's L^r and L^w, kept per section so that the release clock is filled in once, at the release.
type mark struct {
	next uint32 // in its list, the next older one; 0 none
	sec  uint32 // the section, with its lock
	slot uint32 // the section's
	mask shadow.Mask
	is   markFlags
}

type markFlags uint8

const (
	markWrite markFlags = 1 << iota
	markShared
)

// markList heads the marks of one word and lock, newest first.
type markList struct {
	w    shadow.Word
	lock uint32
	head uint32
}

// marks has all marks: a list for each word and lock, found by hash, and for each word its lists.
type marks struct {
	lists shadow.Table[markList]
	hash  []place // lists by word and lock, open addressing; a power of two long, or empty
	used  int     // places of hash that are not 0
	wide  int     // lists of whole pages

	chunks []*[markChunk]mark
	free   uint32
	next   uint32 // never used yet
	drop   func(sec uint32)
}

// place is a list in the hash, and part of its hash value to tell it from others.
type place struct {
	list shadow.Ref // 0: none
	tag  uint32
}

const (
	markChunkBits = 10
	markChunk     = 1 << markChunkBits
)

// init makes m ready; drop is called with the section of every mark that goes.
func (m *marks) init(drop func(sec uint32)) {
	m.drop, m.next = drop, 1
	m.lists.Drop = m.emptied
}

// at is a mark by its name.
func (m *marks) at(r uint32) *mark { return &m.chunks[r>>markChunkBits][r%markChunk] }

// hashOf is where to look first, before masking, and the tag.
func hashOf(w shadow.Word, lock uint32) (home uint64, tag uint32) {
	h := (uint64(w) ^ uint64(lock)*0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93
	return h >> 32, uint32(h)
}

// find is the list of a word and lock; nil when it has no marks.
func (m *marks) find(w shadow.Word, lock uint32) *markList {
	if len(m.hash) == 0 {
		return nil
	}
	mask := uint64(len(m.hash) - 1)
	i, tag := hashOf(w, lock)
	for i &= mask; ; i = (i + 1) & mask {
		p := m.hash[i]
		if p.list == 0 {
			return nil
		}
		if p.tag != tag {
			continue
		}
		if l, _ := m.lists.At(p.list); l.w == w && l.lock == lock {
			return l
		}
	}
}

// make adds an empty list for a word and lock that has none.
func (m *marks) make(w shadow.Word, lock uint32) *markList {
	if 3*(m.used+1) > 2*len(m.hash) {
		m.rehash(max(2*len(m.hash), 1<<8))
	}
	r := m.lists.Add(w, markList{w: w, lock: lock})
	m.put(r)
	m.used++
	if w&shadow.WholePage != 0 {
		m.wide++
	}
	l, _ := m.lists.At(r)
	return l
}

func (m *marks) put(r shadow.Ref) {
	l, _ := m.lists.At(r)
	mask := uint64(len(m.hash) - 1)
	i, tag := hashOf(l.w, l.lock)
	for i &= mask; m.hash[i].list != 0; {
		i = (i + 1) & mask
	}
	m.hash[i] = place{r, tag}
}

func (m *marks) rehash(n int) {
	old := m.hash
	m.hash = make([]place, n)
	for _, p := range old {
		if p.list != 0 {
			m.put(p.list)
		}
	}
}

// unhash takes a list out of the hash, moving those behind it up (Knuth, volume 3, 6.4, Algorithm R).
func (m *marks) unhash(l *markList) {
	mask := uint64(len(m.hash) - 1)
	i, _ := hashOf(l.w, l.lock)
	for i &= mask; ; i = (i + 1) & mask {
		if o, _ := m.lists.At(m.hash[i].list); o == l {
			break
		}
	}
	for j := i; ; {
		j = (j + 1) & mask
		if m.hash[j].list == 0 {
			break
		}
		o, _ := m.lists.At(m.hash[j].list)
		if home, _ := hashOf(o.w, o.lock); (j-home)&mask >= (j-i)&mask {
			m.hash[i] = m.hash[j]
			i = j
		}
	}
	m.hash[i] = place{}
	m.used--
}

// emptied is called before a list goes.
func (m *marks) emptied(l *markList) {
	for l.head != 0 {
		m.remove(&l.head)
	}
	if l.w&shadow.WholePage != 0 {
		m.wide--
	}
	m.unhash(l)
}

// add puts a mark at the head of a list.
func (m *marks) add(l *markList, k mark) {
	r := m.free
	if r != 0 {
		m.free = m.at(r).next
	} else {
		r = m.next
		if int(r>>markChunkBits) == len(m.chunks) {
			m.chunks = append(m.chunks, predict.Make[[markChunk]mark](m.lists.Arena))
		}
		m.next++
	}
	k.next = l.head
	*m.at(r) = k
	l.head = r
	m.lists.Extra++
}

// remove takes the mark that *at names out of its list.
func (m *marks) remove(at *uint32) {
	r := *at
	k := m.at(r)
	*at = k.next
	k.next = m.free
	m.free = r
	m.lists.Extra--
	m.drop(k.sec)
}

// clear forgets what was done to the bytes [addr, addr+size). hold is called with the section of every mark that is
// copied, when the marks of a page are handed out to its words.
func (m *marks) clear(addr trace.Addr, size uint32, hold func(sec uint32)) {
	if size == 0 || m.used == 0 {
		return
	}
	if m.wide > 0 {
		first, last := shadow.WordOf(addr)>>shadow.PageBits, shadow.WordOf(addr+trace.Addr(size)-1)>>shadow.PageBits
		for _, no := range []shadow.Word{first, last} { // those between are cleared as a whole
			if w := no << shadow.PageBits; !shadow.Covers(w, addr, size) {
				m.spread(w, hold)
			}
		}
	}
	m.lists.Clear(addr, size, func(l *markList, bytes shadow.Mask) bool {
		for at := &l.head; *at != 0; {
			k := m.at(*at)
			if k.mask &^= bytes; k.mask == 0 {
				m.remove(at)
			} else {
				at = &k.next
			}
		}
		return l.head != 0
	}, nil)
}

// spread hands the marks of w's page as a whole out to its words.
func (m *marks) spread(w shadow.Word, hold func(sec uint32)) {
	lists, _ := m.lists.Page(w)
	if lists == nil {
		return
	}
	for at := &lists[shadow.PageWords]; *at != 0; {
		l, _ := m.lists.At(*at)
		var old []mark
		for r := l.head; r != 0; r = m.at(r).next {
			old = append(old, *m.at(r))
		}
		lock := l.lock
		for i := range shadow.Word(shadow.PageWords) {
			to := m.find(w+i, lock)
			if to == nil {
				to = m.make(w+i, lock)
			}
			for k := len(old) - 1; k >= 0; k-- {
				hold(old[k].sec)
				m.add(to, old[k])
			}
		}
		l, _ = m.lists.At(*at)
		m.emptied(l)
		m.lists.Remove(shadow.Whole(w), at)
	}
}
