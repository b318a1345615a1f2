package wcp

import (
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/vclock"
)

// ruleAOne is rule (a) for an access of some bytes of one word in one of the sections it is in, when there are no marks of whole pages.
func (p *Predictor) ruleAOne(g *goroutine, s *section, w shadow.Word, mask shadow.Mask, write bool) {
	l := p.marks.list(w, s.lk.id)
	if l == nil {
		p.mark(s, w, nil, mask, write)
		return
	}
	k := mark{sec: s.id, slot: uint16(s.slot), mask: mask}
	if write {
		k.is = markWrite
	}
	switch {
	case l.sec == s.id:
		if mask&^l.mask == 0 && (!write || l.is&markWrite != 0) {
			return // nobody else left a mark since then, and what there was to learn and to drop was done
		}
	case l.slot == k.slot && l.mask == mask && !s.shared && l.is&markShared == 0:
		// The newest mark is the goroutine's own: rule (a) was applied to what is behind it, and nobody has left a mark since.
		switch {
		case l.is == k.is: // (M1)
			l.mark, s.marked = k, true
			return
		case !write:
			p.marks.push(l, k)
			s.marked = true
			return
		} // a write after a read learns from reads, too
	}
	if s.shared {
		if !write && p.reader(g, s, l, mask) {
			return
		}
	} else if p.few(g, s, l, k) {
		return
	}
	keep := mask
	l = p.marks.find(w, s.lk.id)
	p.look(g, s, l, mask, write, &keep, true)
	p.mark(s, w, l, keep, write)
}

// fewMarks is how many marks most lists have at most.
const fewMarks = 4

// few is look and mark k at once, for a section in write mode and a list of few marks, all of them of the very same bytes. It reports whether the list is
// of that kind; otherwise it is as it was.
func (p *Predictor) few(g *goroutine, s *section, l *markList, k mark) bool {
	write := k.is&markWrite != 0
	learn := !p.caughtUp(g, s)
	n, drops := 0, 0
	var first *mark // to go
	seen := false   // a newer read by another goroutine in a write section
	for m, next := &l.mark, l.next; m != nil; m, next = p.marks.after(l, m, next) {
		if m.mask != k.mask || n == fewMarks {
			return false
		}
		n++
		wrote, drop := m.is&markWrite != 0, write
		switch {
		case m.sec == s.id:
			if wrote || !write {
				return false
			}
		case vclock.Slot(m.slot) == g.Slot: // (M1)
			drop = write || !wrote
		default:
			if learn && (write || wrote) {
				p.learnMark(g, m)
			}
			if !write && !wrote { // (M1)
				drop = seen
				seen = seen || m.is&markShared == 0
			}
		}
		if drop {
			if drops++; first == nil {
				first = m
			}
		}
	}
	switch {
	case write: // all go
		p.marks.alone(l, k, n)
	case drops == 0:
		p.marks.push(l, k)
	case drops == 1:
		p.marks.rotate(l, k, first)
	default:
		return false
	}
	s.marked = true
	return true
}

// reader is look and mark at once for a read in read mode, which drops nothing but the goroutine's own read: that one becomes the new one where it is,
// which is as good as making it the newest unless a read in write mode is in front of it (M1). It reports whether it could do so.
func (p *Predictor) reader(g *goroutine, s *section, l *markList, mask shadow.Mask) bool {
	var own *mark
	reads := false // in write mode, newer than own
	covered := false
	for m, next := &l.mark, l.next; m != nil; m, next = p.marks.after(l, m, next) {
		wrote, shared := m.is&markWrite != 0, m.is&markShared != 0
		switch {
		case m.mask != mask:
			return false
		case m.sec == s.id:
			covered = true
		case vclock.Slot(m.slot) == g.Slot:
			if shared && !wrote && own == nil {
				own = m
			}
		case !shared && wrote:
			p.learnMark(g, m)
		}
		reads = reads || own == nil && !shared && !wrote
	}
	s.marked = true
	switch {
	case covered:
	case own == nil:
		p.marks.push(l, mark{sec: s.id, slot: uint16(s.slot), mask: mask, is: markShared})
	case reads:
		return false
	default:
		own.sec = s.id
	}
	return true
}
