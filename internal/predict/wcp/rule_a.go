package wcp

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// (M1) A new mark replaces older marks of its bytes and lock, unless a later goroutine could still
// learn something from these. A write in a write section has learned from all earlier marks of its
// bytes, and subsumes them. A read subsumes its goroutine's own reads and, if there is one newer
// read of another goroutine, all reads of other goroutines, since the release of the newer section
// includes those of the older ones. The same holds for unseen writes, which commute as reads do
// (W9).

// farRecords is how many records of accesses, about 256 KB, are too many for the processor's
// nearest cache.
const farRecords = 1 << 13

// ruleA is (W1) at an access of g, and adds a mark for each held section that is not hard. Hard
// sections need no rule (a): they are ordered anyway.
func (p *Predictor) ruleA(g *goroutine, ev *trace.Event) {
	if ev.Size == 0 {
		return
	}
	if p.in.Live() >= farRecords {
		p.in.Look(ev) // loads memory while rule (a) looks for marks
	}
	is := markOf(ev)
	w := shadow.WordOf(ev.Addr)
	if uint64(ev.Addr)&7+uint64(ev.Size) <= 8 && !p.marks.wholePages(w) && !p.longWay {
		mask := shadow.MaskOf(w, ev.Addr, ev.Size)
		for _, s := range g.held {
			if !s.hard {
				p.ruleAOne(g, s, w, mask, is)
			}
		}
		return
	}
	for last := shadow.WordOf(ev.Addr + trace.Addr(ev.Size) - 1); w <= last; w++ {
		if shadow.Covers(w, ev.Addr, ev.Size) {
			for _, s := range g.held {
				if !s.hard {
					p.markPage(g, s, w, is)
				}
			}
			w += shadow.PageWords - 1
			continue
		}
		mask, speak := shadow.MaskOf(w, ev.Addr, ev.Size), p.marks.wholePages(w)
		for _, s := range g.held {
			if s.hard {
				continue
			}
			keep := mask
			if speak {
				if l := p.marks.find(shadow.Whole(w), s.lk.id); l != nil {
					p.look(g, s, l, mask, is, &keep, false)
				}
			}
			l := p.marks.find(w, s.lk.id)
			if l != nil {
				p.look(g, s, l, mask, is, &keep, true)
			}
			p.mark(s, w, l, keep, is)
		}
	}
}

// markPage is rule (a) for all words of the page that begins with w.
func (p *Predictor) markPage(g *goroutine, s *section, w shadow.Word, is markFlags) {
	keep := shadow.Mask(0xff)
	if words, _, narrow := p.marks.locks.Page(w); narrow {
		for i, list := range words {
			if list == 0 {
				continue
			}
			if l := p.marks.find(w+shadow.Word(i), s.lk.id); l != nil {
				some := keep
				p.look(g, s, l, 0xff, is, &some, true)
			}
		}
	}
	l := p.marks.find(shadow.Whole(w), s.lk.id)
	if l != nil {
		p.look(g, s, l, 0xff, is, &keep, true)
	}
	p.mark(s, shadow.Whole(w), l, keep, is)
}

// mark adds a mark to the list l of w and the section's lock; nil means that there is none yet.
func (p *Predictor) mark(s *section, w shadow.Word, l *markList, keep shadow.Mask, is markFlags) {
	if keep == 0 {
		return
	}
	if l == nil {
		l = p.marks.make(w, s.lk.id)
	}
	k := mark{sec: s.id, slot: uint16(s.slot), mask: keep, is: is}
	if s.shared {
		k.is |= markShared
	}
	p.marks.push(l, k)
}

// look applies rule (a) from a list of marks to an access of g in section s. It removes from keep
// the bytes for which a mark of the same section subsumes the access. take says that the access
// gets a mark for all bytes of the list's word; then look applies (M1).
func (p *Predictor) look(g *goroutine, s *section, l *markList, mask shadow.Mask, is markFlags, keep *shadow.Mask, take bool) {
	learn := !p.caughtUp(g, s)
	var seen shadow.Mask // bytes with a newer mark of the same kind, a read or an unseen write, of another goroutine in a write section
	gone := false
	p.marks.each(l, func(m *mark) {
		common := m.mask & mask
		if common == 0 {
			return
		}
		shared := m.is&markShared != 0
		drop := shadow.Mask(0)
		switch {
		case m.sec == s.id:
			if m.is.subsumes(is) {
				*keep &^= common
			} else if is.subsumes(m.is) {
				drop = common
			}
		case vclock.Slot(m.slot) == g.Slot:
			if is.subsumes(m.is) && (!s.shared || shared) { // (M1)
				drop = common
			}
		case s.shared && shared: // (W5)
		default:
			if learn && is.conflicts(m.is) {
				p.learnMark(g, m)
			}
			switch {
			case s.shared:
			case is == markWrite: // (M1)
				drop = common
			case m.is.kind() == is: // (M1)
				drop = common & seen
				if !shared {
					seen |= common
				}
			}
		}
		if take && drop != 0 && p.marks.take(m, drop) {
			gone = true
		}
	})
	if gone {
		p.marks.compact(l)
	}
}

// caughtUp reports whether g, in section s, knows by W all releases of the lock by others, so that
// rule (a) has nothing to add. It looks at the last release, which includes all before it. It may
// return false though g knows all.
func (p *Predictor) caughtUp(g *goroutine, s *section) bool {
	l := s.lk
	if s.shared || l.loose || l.hr.Vec() != nil {
		return false
	}
	if s.caught { // no other section is released while s is open
		return true
	}
	last := &l.hw.Stamp
	if last.Slot == g.Slot {
		last = &l.hx
	}
	s.caught = last.Time == 0 || p.slots.Knows(g.w.Vec(), *last)
	return s.caught
}

// opaque is (W8): rule (a) for one variable that represents all that is not recorded.
func (p *Predictor) opaque(ev *trace.Event) {
	g := p.of(ev.G)
	for _, s := range g.held {
		if s.hard {
			continue
		}
		l := s.lk
		mine := false
		keep := l.opaque[:0]
		for _, old := range l.opaque {
			switch {
			case old == s:
				mine = true
			case old.slot == g.Slot:
				if !s.shared || old.shared { // (M1)
					p.sections.drop(old)
					continue
				}
			case old.open || s.shared && old.shared:
			default:
				p.learnP(g, old.leave.Stamp)
				if !s.shared { // (M1)
					p.sections.drop(old)
					continue
				}
			}
			keep = append(keep, old)
		}
		if !mine {
			s.users++
			keep = predict.Append(&p.tables, keep, s)
		}
		if len(keep) < len(l.opaque) {
			clear(l.opaque[len(keep):])
		}
		l.opaque = keep
	}
}
