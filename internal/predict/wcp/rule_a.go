package wcp

import (
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// mark says that a section has accesses of some bytes of a word. The marks of a word are
// the paper's L^r and L^w, kept per section so that the release clock is filled in once, at the release.
//
// (M1) Of the marks of a lock that a newer mark m covers, those that a later goroutine could still learn
// something from stay: a write in a write section has learned from, and stands for, all earlier marks of its bytes; a
// read stands for the goroutine's own reads, and with one newer foreign read for all foreign reads.
type mark struct {
	sec    uint32 // the section, with its lock, slot and mode
	lock   uint32
	slot   vclock.Slot
	shared bool
	mask   shadow.Mask
	write  bool
}

// ruleA is (W1) at an access of g, and leaves a mark for each held section.
func (p *Predictor) ruleA(g *goroutine, ev *trace.Event) {
	if ev.Size == 0 {
		return
	}
	write := ev.Kind == trace.Write
	for w, last := shadow.WordOf(ev.Addr), shadow.WordOf(ev.Addr+trace.Addr(ev.Size)-1); w <= last; w++ {
		if shadow.Covers(w, ev.Addr, ev.Size) {
			for _, s := range g.held {
				p.markPage(g, s, w, write)
			}
			w += shadow.PageWords - 1
			continue
		}
		mask := shadow.MaskOf(w, ev.Addr, ev.Size)
		for _, s := range g.held {
			keep := mask
			list, wide := p.marks.Lists(w)
			if wide != nil {
				p.look(g, s, w, wide, mask, write, &keep, false)
			}
			if list != nil {
				p.look(g, s, w, list, mask, write, &keep, true)
			}
			p.mark(s, w, keep, write)
		}
	}
}

// markPage is rule (a) for all words of the page that begins with w.
func (p *Predictor) markPage(g *goroutine, s *section, w shadow.Word, write bool) {
	keep := shadow.Mask(0xff)
	if lists, narrow := p.marks.Page(w); lists != nil {
		for i := range shadow.Word(shadow.PageWords) {
			if narrow && lists[i] != 0 {
				some := keep
				p.look(g, s, w+i, &lists[i], 0xff, write, &some, true)
			}
		}
		p.look(g, s, shadow.Whole(w), &lists[shadow.PageWords], 0xff, write, &keep, true)
	}
	p.mark(s, shadow.Whole(w), keep, write)
}

func (p *Predictor) mark(s *section, w shadow.Word, keep shadow.Mask, write bool) {
	if keep != 0 {
		s.refs++
		p.marks.Add(w, mark{sec: s.id, lock: s.lk.id, slot: s.slot, shared: s.shared, mask: keep, write: write})
	}
}

// look goes over a list of marks for an access of g in section s. From keep go the bytes that a mark of the same section
// stands for. When the access is going to have a mark for all bytes of the list's, take is set and (M1) applied.
func (p *Predictor) look(g *goroutine, s *section, w shadow.Word, at *shadow.Ref, mask shadow.Mask, write bool, keep *shadow.Mask, take bool) {
	var seen shadow.Mask // bytes with a newer read by another goroutine in a write section
	for *at != 0 {
		m, next := p.marks.At(*at)
		common := m.mask & mask
		if common == 0 || m.lock != s.lk.id {
			at = next
			continue
		}
		drop := shadow.Mask(0)
		switch {
		case m.sec == s.id:
			if m.write || !write {
				*keep &^= common
			} else {
				drop = common
			}
		case m.slot == g.slot:
			if (write || !m.write) && (!s.shared || m.shared) { // (M1)
				drop = common
			}
		case s.shared && m.shared: // (W5)
		default:
			if write || m.write {
				p.learnP(g, p.sections.all[m.sec].leave)
			}
			switch {
			case s.shared:
			case write: // (M1)
				drop = common
			case !m.write: // (M1)
				drop = common & seen
				if !m.shared {
					seen |= common
				}
			}
		}
		if take && drop != 0 {
			if m.mask &^= drop; m.mask == 0 {
				p.sections.drop(m.sec)
				p.marks.Remove(w, at)
				continue
			}
		}
		at = next
	}
}

// opaque is (W8): rule (a) for the variable that stands for what nobody records.
func (p *Predictor) opaque(ev *trace.Event) {
	g := p.of(ev.G)
	for _, s := range g.held {
		l := s.lk
		mine := false
		keep := l.opaque[:0]
		for _, old := range l.opaque {
			switch {
			case old == s:
				mine = true
			case old.slot == g.slot:
				if !s.shared || old.shared { // (M1)
					p.sections.drop(old.id)
					continue
				}
			case old.open || s.shared && old.shared:
			default:
				p.learnP(g, old.leave)
				if !s.shared { // (M1)
					p.sections.drop(old.id)
					continue
				}
			}
			keep = append(keep, old)
		}
		if !mine {
			s.refs++
			keep = append(keep, s)
		}
		if len(keep) < len(l.opaque) {
			clear(l.opaque[len(keep):])
		}
		l.opaque = keep
	}
}
