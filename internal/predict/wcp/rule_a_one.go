package wcp

import (
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/vclock"
)

// ruleAOne is ruleA for an access of some bytes of one word and one of the sections that it is in,
// when there are no marks of whole pages.
func (p *Predictor) ruleAOne(g *goroutine, s *section, w shadow.Word, mask shadow.Mask, is markFlags) {
	l := p.marks.find(w, s.lk.id)
	if l == nil {
		p.mark(s, w, nil, mask, is)
		return
	}
	k := mark{sec: s.id, slot: uint16(s.slot), mask: mask, is: is}
	switch {
	case l.sec == s.id:
		if mask&^l.mask == 0 && l.is.subsumes(is) {
			return // there is no other mark since then, and the goroutine has learned and dropped what it could
		}
	case l.slot == k.slot && l.mask == mask && !s.shared && l.is&markShared == 0:
		// The newest mark is the goroutine's own: rule (a) was applied to the older ones, and no mark was added since.
		switch {
		case l.is == k.is: // (M1)
			p.marks.renew(&l.mark, s.id)
			return
		case l.is == markWrite:
			p.marks.push(l, k)
			return
		} // a write after a read also learns from reads, and an access after an unseen write from unseen writes
	}
	if s.shared {
		if is == 0 && p.reader(g, s, l, mask) {
			return
		}
	} else if is == markWrite && p.writes(g, s, l, k) || is != markWrite && p.reads(g, s, l, k) {
		return
	}
	keep := mask
	p.look(g, s, l, mask, is, &keep, true)
	p.mark(s, w, l, keep, is)
}

// writes is look and mark in one for a write in write mode with mark k, if all marks of the list
// are of the same bytes: then it drops all of them. It returns false, and leaves the list as it is,
// if some mark is of other bytes.
func (p *Predictor) writes(g *goroutine, s *section, l *markList, k mark) bool {
	learn := !p.caughtUp(g, s)
	if l.mask != k.mask || !p.overwritten(g, s, &l.mark, learn) {
		return false
	}
	if l.second.mask != 0 {
		if l.second.mask != k.mask || !p.overwritten(g, s, &l.second, learn) {
			return false
		}
		older := p.marks.blocks.marks(l.more)
		for i := len(older) - 1; i >= 0; i-- {
			if m := &older[i]; m.mask != k.mask || !p.overwritten(g, s, m, learn) {
				return false
			}
		}
	}
	p.marks.alone(l, k)
	return true
}

// overwritten is rule (a) from a mark to a write, if learn says that it is needed. It returns false
// for a write of the same section.
func (p *Predictor) overwritten(g *goroutine, s *section, m *mark, learn bool) bool {
	switch {
	case m.sec == s.id:
		return m.is&markWrite == 0
	case learn && vclock.Slot(m.slot) != g.Slot:
		p.learnMark(g, m)
	}
	return true
}

// reading is what reads knows of a list so far.
type reading struct {
	learn bool  // rule (a) is needed
	seen  bool  // there is a mark of this kind of another goroutine in a write section
	n     int   // how many marks are to be dropped
	gone  *mark // the last of these
	at    int   // its number among the older ones
}

// reads is look and mark in one for a read, or an unseen write, in write mode with mark k, if all
// marks of the list are of the same bytes and at most one of them is to be dropped. Otherwise it
// returns false and leaves the list as it is.
func (p *Predictor) reads(g *goroutine, s *section, l *markList, k mark) bool {
	f := reading{learn: !p.caughtUp(g, s)}
	if l.mask != k.mask || !p.reread(g, s, &l.mark, k.is, &f, 0) {
		return false
	}
	if l.second.mask != 0 {
		if l.second.mask != k.mask || !p.reread(g, s, &l.second, k.is, &f, 0) {
			return false
		}
		older := p.marks.blocks.marks(l.more)
		for i := len(older) - 1; i >= 0; i-- {
			if m := &older[i]; m.mask != k.mask || !p.reread(g, s, m, k.is, &f, i) {
				return false
			}
		}
	}
	switch f.n {
	case 0:
		p.marks.push(l, k)
	case 1:
		p.marks.replace(l, k, f.gone, f.at)
	default:
		return false
	}
	return true
}

// reread is rule (a) and (M1) from the next older mark of the list to an access that reads is for.
// It returns false for a mark of the same section.
func (p *Predictor) reread(g *goroutine, s *section, m *mark, is markFlags, f *reading, i int) bool {
	drop := false
	switch {
	case m.sec == s.id:
		return false
	case vclock.Slot(m.slot) == g.Slot: // (M1)
		drop = m.is.kind() == is
	case m.is.conflicts(is):
		if f.learn {
			p.learnMark(g, m)
		}
	default: // (M1)
		drop = f.seen
		f.seen = f.seen || m.is&markShared == 0
	}
	if drop {
		f.n++
		f.gone, f.at = m, i
	}
	return true
}

// reader is look and mark in one for a read in read mode. Such a read replaces only a read of the
// same goroutine, in its place, which is as good as a new mark unless a newer mark is a read in
// write mode (M1). The goroutine has learned from all marks that are older than its own. It returns
// false, and leaves the list as it is, if a newer mark is of other bytes.
func (p *Predictor) reader(g *goroutine, s *section, l *markList, mask shadow.Mask) bool {
	k := mark{sec: s.id, slot: uint16(s.slot), mask: mask, is: markShared}
	reads := false // there is a newer read in write mode
	m, i := &l.mark, 0
	is := p.readPast(g, m, k, &reads)
	if is == passed && l.second.mask != 0 {
		m = &l.second
		is = p.readPast(g, m, k, &reads)
		older := p.marks.blocks.marks(l.more)
		for i = len(older); i > 0 && is == passed; {
			i--
			m = &older[i]
			if m.is == markShared && m.slot != k.slot && m.mask == mask { // (W5)
				continue
			}
			is = p.readPast(g, m, k, &reads)
		}
	}
	switch {
	case is == passed:
		p.marks.push(l, k)
	case is == otherBytes:
		return false
	case is == ownRead && reads:
		p.marks.replace(l, k, m, i)
	case is == ownRead:
		p.marks.renew(m, s.id)
	}
	return true
}

// passing is the relation of a mark to a read in read mode.
type passing uint8

const (
	passed     passing = iota // nothing is left to do with it
	ownRead                   // of a read of the same goroutine, in read mode
	ownSection                // of the same section
	otherBytes                // of other bytes, perhaps partly the same
)

// readPast is rule (a) from a mark to a read in read mode with mark k. It sets reads if the mark is
// of a read in write mode.
func (p *Predictor) readPast(g *goroutine, m *mark, k mark, reads *bool) passing {
	switch {
	case m.mask != k.mask:
		return otherBytes
	case m.sec == k.sec && m.is.subsumes(k.is):
		return ownSection
	case m.slot == k.slot:
		if m.is == markShared {
			return ownRead
		}
	case m.is&markShared == 0 && m.is != 0: // (W5)
		p.learnMark(g, m)
	}
	*reads = *reads || m.is == 0
	return passed
}
