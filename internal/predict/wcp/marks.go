package wcp

import (
	"cmp"
	"slices"

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
	markUpdate // an unseen Write, or a part of an append to a list; a mark without it and markWrite is one of a read
)

// markOf is what an access leaves, but for markShared.
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

// kind is what was done, whatever the section's mode.
func (is markFlags) kind() markFlags { return is &^ markShared }

// conflicts reports whether rule (a) orders accesses with these marks. (W9)
func (is markFlags) conflicts(with markFlags) bool {
	return is.kind() != with.kind() || is.kind() == markWrite
}

// standsFor reports whether whatever conflicts with old conflicts with is as well.
func (is markFlags) standsFor(old markFlags) bool {
	return is.kind() == markWrite || is.kind() == old.kind()
}

// markList has the marks of one word and lock, newest first. It is where the hash has it, two marks and all: mostly half a cache line is all that
// rule (a) has to look at.
//
// Invariant, outside of rule (a): every mark has bytes. The newest has none only if the list is empty, and the second only if there is one mark.
type markList struct {
	w    shadow.Word
	lock uint32 // 0: no list
	more uint32 // the block with the other marks; 0 none
	mark
	second mark // the newest but one
}

// marks has all marks: a list for each word and lock.
type marks struct {
	locks shadow.Table[uint32] // that a word has lists for
	lists
	wide   int // lists of whole pages
	blocks blocks
	refs   *sections
	copied []mark // for copy
}

// init makes m ready.
func (m *marks) init(refs *sections) {
	m.refs = refs
	m.lists.init()
	m.locks.Record = markBytes
	m.locks.Drop = func(w shadow.Word, lock *uint32) { m.remove(w, *lock) }
	m.locks.Materialize = func(from shadow.Ref, to shadow.Word) {
		lock, _ := m.locks.At(from)
		m.copy(shadow.Whole(to), to, *lock)
	}
}

// arena makes m keep there what has no pointers.
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

// renew makes an access of a mark's goroutine in section sec the one that a mark is of.
func (m *marks) renew(k *mark, sec uint32) {
	if k.sec != sec {
		m.refs.hold(sec)
		m.refs.unmark(k.sec)
		k.sec = sec
	}
}

// replace makes k the newest mark of a list and lets go of another one, whose place the one before it takes, and so on. It is the newest mark, the second,
// or that of the tail with number i.
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

// alone makes k the only mark of a list.
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

// gone is called for every mark that goes, before its place is given to another one.
func (m *marks) gone(k *mark) {
	m.locks.Extra--
	m.refs.unmark(k.sec)
}

// take takes bytes from a mark. It reports whether that was all it had: then compact is to be called.
func (m *marks) take(k *mark, bytes shadow.Mask) bool {
	if k.mask &^= bytes; k.mask != 0 {
		return false
	}
	m.gone(k)
	return true
}

// compact restores the invariant of a list of which some marks may have no bytes left.
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

// speak reports whether there may be marks of w's page as a whole that speak for w.
func (m *marks) speak(w shadow.Word) bool { return m.wide > 0 && m.locks.Covers(w) }

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

// cut takes bytes from all marks of a list.
func (m *marks) cut(l *markList, bytes shadow.Mask) {
	m.each(l, func(k *mark) { m.take(k, bytes) })
	m.compact(l)
}

// clear forgets what was done to the bytes [addr, addr+size).
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

// copy puts the marks that one word has for a lock between those of another, in the order of their sections.
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
