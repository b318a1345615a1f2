package wcp

import (
	"cmp"
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
)

// mark says that a section has accesses of some bytes of a word. The marks of a word and lock are
// the paper's L^r and L^w. They are kept by section, so that the clock of the release is stored
// once, at the release.
type mark struct {
	sec  uint32 // the section, with its lock
	slot uint16 // the slot of its goroutine
	mask shadow.Mask
	is   markFlags
}

type markFlags uint8

const (
	markWrite  markFlags = 1 << iota // a seen Write
	markShared                       // the section is in read mode
	markUpdate                       // an unseen Write, or a part of an append to a list. A read has neither this nor markWrite
)

// markOf is the mark of an access, without markShared.
func markOf(ev *trace.Event) markFlags {
	switch {
	case ev.AppendPart():
		return markUpdate
	case ev.Kind != trace.Write:
		return 0
	case ev.Unseen():
		return markUpdate
	}
	return markWrite
}

// kind is the access without the mode of its section.
func (is markFlags) kind() markFlags { return is &^ markShared }

// conflicts reports whether accesses with these marks are in conflict for rule (a). (W9)
func (is markFlags) conflicts(with markFlags) bool {
	return is.kind() != with.kind() || is.kind() == markWrite
}

// subsumes reports whether all accesses that are in conflict with old are in conflict with is.
func (is markFlags) subsumes(old markFlags) bool {
	return is.kind() == markWrite || is.kind() == old.kind()
}

// markList has the marks of one word and lock, newest first. The entry of the hash table has the
// newest two, so that rule (a) mostly reads half a cache line.
//
// Invariant, except within rule (a): every mark has bytes. newest has none if the list is empty,
// and second if the list has one mark.
type markList struct {
	w    shadow.Word
	lock uint32 // 0: no list
	more uint32 // the block with all older marks; 0 none
	mark
	second mark // the second newest
}

// marks has all marks: a list for each word and lock.
type marks struct {
	locks shadow.Table[uint32] // the locks for which a word has lists
	lists
	wide   int // how many lists are of whole pages
	blocks blocks
	refs   *sections
	copied []mark // for copy
	dead   dead
}

// init makes m ready to use.
func (m *marks) init(refs *sections) {
	m.refs = refs
	m.lists.init()
	m.dead.ids.Tables(refs.tables)
	m.locks.Record = markBytes
	m.locks.Drop = func(w shadow.Word, lock *uint32) { m.remove(w, *lock) }
	m.locks.Materialize = func(from shadow.Ref, to shadow.Word) {
		lock, _ := m.locks.At(from)
		m.copy(shadow.Whole(to), to, *lock)
	}
}

// arena makes m allocate what has no pointers in a.
func (m *marks) arena(a predict.Arena) { m.locks.Arena, m.lists.arena, m.blocks.arena = a, a, a }

// bytes is about how much memory the marks take.
func (m *marks) bytes() int { return m.locks.Counted() * markBytes }

// make adds an empty list for a word and lock that has none.
func (m *marks) make(w shadow.Word, lock uint32) *markList {
	m.locks.Add(w, lock)
	if w&shadow.WholePage != 0 {
		m.wide++
	}
	return m.add(w, lock)
}

// remove drops the marks of a list, and the list.
func (m *marks) remove(w shadow.Word, lock uint32) {
	m.cut(m.find(w, lock), 0xff)
	if w&shadow.WholePage != 0 {
		m.wide--
	}
	m.lists.remove(w, lock)
}

// push makes k, which is new, the newest mark of a list.
func (m *marks) push(l *markList, k mark) {
	m.locks.Extra++
	m.refs.hold(k.sec)
	if l.mask != 0 {
		if l.second.mask != 0 {
			m.blocks.push(&l.more, l.second)
		}
		l.second = l.mark
	}
	l.mark = k
}

// renew moves a mark to a later section of the same goroutine, sec.
func (m *marks) renew(k *mark, sec uint32) {
	if k.sec != sec {
		m.refs.hold(sec)
		m.refs.unmark(k.sec)
		k.sec = sec
	}
}

// replace makes k the newest mark of a list and drops another one: the newest mark, the second, or
// the i-th of the older ones. The marks between them move by one place.
func (m *marks) replace(l *markList, k mark, gone *mark, i int) {
	m.refs.hold(k.sec)
	m.refs.unmark(gone.sec)
	if gone != &l.mark {
		if gone != &l.second {
			older := m.blocks.marks(l.more)
			copy(older[i:], older[i+1:])
			older[len(older)-1] = l.second
		}
		l.second = l.mark
	}
	l.mark = k
}

// alone drops all marks of a list and makes k its only one.
func (m *marks) alone(l *markList, k mark) {
	m.refs.hold(k.sec)
	m.locks.Extra++
	if l.second.mask != 0 {
		for _, o := range m.blocks.marks(l.more) {
			m.gone(&o)
		}
		m.blocks.keep(&l.more, 0)
		m.gone(&l.second)
		l.second = mark{}
	}
	if l.mask != 0 {
		m.gone(&l.mark)
	}
	l.mark = k
}

// gone takes a mark out of the counts. It must be called before another mark takes its place.
func (m *marks) gone(k *mark) {
	m.locks.Extra--
	m.refs.unmark(k.sec)
}

// take removes bytes from a mark, and reports whether none are left. Then the caller must call
// compact.
func (m *marks) take(k *mark, bytes shadow.Mask) bool {
	if k.mask &^= bytes; k.mask != 0 {
		return false
	}
	m.gone(k)
	return true
}

// compact restores the invariant of a list, some marks of which may have no bytes left.
func (m *marks) compact(l *markList) {
	older := m.blocks.marks(l.more)
	kept := older[:0]
	for _, k := range older {
		if k.mask != 0 {
			kept = append(kept, k)
		}
	}
	if l.mask == 0 {
		l.mark, l.second = l.second, mark{}
	}
	for l.second.mask == 0 && len(kept) > 0 {
		if l.mask == 0 {
			l.mark = kept[len(kept)-1]
		} else {
			l.second = kept[len(kept)-1]
		}
		kept = kept[:len(kept)-1]
	}
	m.blocks.keep(&l.more, len(kept))
}

// wholePages reports whether there may be marks of w's page as a whole, which then hold for w.
func (m *marks) wholePages(w shadow.Word) bool { return m.wide > 0 && m.locks.Covers(w) }

// each calls f with all marks of a list, the newest first.
func (m *marks) each(l *markList, f func(*mark)) {
	if l.mask == 0 {
		return
	}
	f(&l.mark)
	if l.second.mask == 0 {
		return
	}
	f(&l.second)
	older := m.blocks.marks(l.more)
	for i := len(older) - 1; i >= 0; i-- {
		f(&older[i])
	}
}

// cut removes bytes from all marks of a list.
func (m *marks) cut(l *markList, bytes shadow.Mask) {
	m.each(l, func(k *mark) { m.take(k, bytes) })
	m.compact(l)
}

// clear removes the bytes [addr, addr+size) from all marks.
func (m *marks) clear(addr trace.Addr, size uint32) {
	if size == 0 || m.n == 0 {
		return
	}
	m.locks.Clear(addr, size, func(w shadow.Word, lock *uint32, bytes shadow.Mask) bool {
		l := m.find(w, *lock)
		m.cut(l, bytes)
		return l.mask != 0
	})
}

// copy adds the marks that one word has for a lock to those of another, in the order of their
// sections.
func (m *marks) copy(from, to shadow.Word, lock uint32) {
	all := m.copied[:0]
	note := func(k *mark) {
		all = append(all, *k)
		m.refs.hold(k.sec)
	}
	l := m.find(to, lock)
	if l != nil {
		m.each(l, note)
		m.cut(l, 0xff)
	}
	m.each(m.find(from, lock), note)
	slices.SortStableFunc(all, func(a, b mark) int { return cmp.Compare(m.refs.number[a.sec], m.refs.number[b.sec]) })
	if l == nil {
		l = m.make(to, lock)
	}
	for _, k := range all {
		m.push(l, k)
		m.refs.unmark(k.sec)
	}
	m.copied = all
}
