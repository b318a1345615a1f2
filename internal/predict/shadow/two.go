package shadow

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Check2 is Check under both orders; nil if the access races under none of them.
func (t *Accesses) Check2(seq trace.Seq, ev *trace.Event, a, b *Actor) *[Orders][]Record {
	t.ready(seq)
	w := WordOf(ev.Addr)
	p := t.find(uint64(w) >> PageBits)
	switch {
	case p == nil || a.Shared || b.Shared:
		t.checkAll(seq, ev, [Orders]*Actor{a, b})
	case fits(ev) && !p.covers(uint32(w)%PageWords):
		t.word2(p, w, maskInWord(ev), seq, ev, a, b, nil)
	case p.wide == 0 && inPage(ev):
		span := uint32(0)
		for last := WordOf(ev.Addr + trace.Addr(ev.Size) - 1); w <= last; w++ {
			t.word2(p, w, MaskOf(w, ev.Addr, ev.Size), seq, ev, a, b, &span)
		}
		if span != 0 {
			t.dropSpan(span)
		}
	default:
		t.checkAll(seq, ev, [Orders]*Actor{a, b})
	}
	return t.found()
}

// word2 is Check2 for the access's bytes of one word. span is as in fill, and nil for an access
// that fits.
func (t *Accesses) word2(p *page, w Word, mask Mask, seq trace.Seq, ev *trace.Event, a, b *Actor, span *uint32) {
	maskA := mask.under(0)
	maskB := maskA << 8
	keep := maskA | maskB
	is := traitsOf(ev)
	if p.kept {
		t.long(w, mask, is, seq, a)
	}
	knownA, knownB := a.Known.Vec(), b.Known.Vec()
	var mine *node[record] // which is overwritten with the access
	n, empty, made := 0, 0, 0
	for ref := p.words[uint32(w)%PageWords]; ref != 0; {
		k := t.node(ref)
		ref = k.next
		r := &k.rec
		had := r.masks
		if had&(maskA|maskB) != 0 {
			after, same := masks(0), masks(0) // under which orders the access comes after the record; under which the record is of its epoch
			others := false                   // the record is another goroutine's, and the access comes after it under order 0
			if rs, rt := vclock.Slot(r.slot[0]), r.time[0]; rs == a.Slot {
				after = maskA
				if rt == a.Now {
					same = maskA
				}
			} else if rt <= knownA.At(rs) || rt == vclock.MaxTime {
				after = maskA
				others = had&maskA != 0
			}
			if rs, rt := vclock.Slot(r.slot[1]), r.time[1]; rs == b.Slot {
				after |= maskB
				if rt == b.Now {
					same |= maskB
				}
			} else if rt <= knownB.At(rs) || rt == vclock.MaxTime {
				after |= maskB
			}
			if un := had & (maskA | maskB) &^ after; un != 0 && conflict(r.is, is) {
				t.unordered(r, w, un, seq, a, b)
			}
			if others && after == maskA|maskB && t.Again != nil && conflict(r.is, is) {
				t.isSoft(r, w, ev)
			}
			stands := is.subsumes(r.is)
			if same != 0 && r.is.subsumes(is) { // (A2), unless the other order replaces the record with the access
				if same == maskA|maskB {
					keep &^= had
					n++
					continue
				}
				if !stands {
					keep &^= had & same
				}
			}
			if stands { // (A1)
				had &^= after
				r.masks = had
				if had == 0 {
					made++
				}
			}
		}
		if had != 0 {
			n++
			continue
		}
		empty++
		if mine == nil {
			mine = k
		}
	}
	if keep == 0 {
		if empty > 0 {
			t.thin(p, uint32(w)%PageWords, nil, is, empty, made)
		}
		return
	}
	if empty > 1 {
		t.thin(p, uint32(w)%PageWords, mine, is, empty, made)
	}
	if n >= fewRecords && n >= most(is) {
		t.atMost(p, w, is, keep)
	}
	if mine == nil {
		mine = t.node(t.add(p, uint32(w)%PageWords, record{}))
	} else {
		t.dropped(&mine.rec)
	}
	r := &mine.rec
	r.time[0], r.time[1] = a.Now, b.Now
	r.slot[0], r.slot[1] = uint16(a.Slot), uint16(b.Slot)
	r.masks = keep
	if span == nil {
		r.set(is, seq, ev)
	} else {
		t.fill(r, is, seq, ev, span)
	}
}

func (t *Accesses) found() *[Orders][]Record {
	if t.raced {
		return &t.races
	}
	return nil
}

// atMost makes room in w's list for a record of the orders that have bytes in it, (A3).
func (t *Accesses) atMost(p *page, w Word, is traits, keep masks) {
	list := uint32(w) % PageWords
	var n [Orders]int
	for ref := *p.head(list); ref != 0; ref = t.node(ref).next {
		for o := range n {
			if t.node(ref).rec.masks.of(Order(o)) != 0 {
				n[o]++
			}
		}
	}
	for o := range Order(Orders) {
		if keep.of(o) != 0 && n[o] >= most(is) {
			t.dropOldest(o, w, p, list)
		}
	}
}
