package shadow

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// two is one under both orders.
func (t *Accesses) two(p *page, w Word, seq trace.Seq, ev *trace.Event, a, b *Actor) {
	mask := maskInWord(ev)
	is := traitsOf(ev)
	keepA, keepB := mask, mask
	knownA, knownB := a.Known.Vec(), b.Known.Vec()
	since := t.since[1]
	var mine *node[record] // whose place is taken over
	n := 0
	e := empties{write: is&isWrite != 0}
	for ref := p.head[uint32(w)%PageWords]; ref != 0; {
		k := t.node(ref)
		r := &k.rec
		ref = k.next
		hadA, hadB := r.mask[0], r.mask[1]
		if since > 0 && hadB != 0 && t.place(r) < since {
			hadB, r.mask[1] = 0, 0
		}
		if (hadA|hadB)&mask != 0 {
			sameA, unA := false, false // of the same epoch; unordered
			if rs, rt := vclock.Slot(r.slot[0]), r.time[0]; rs == a.Slot {
				sameA = rt == a.Now
			} else {
				unA = rt > knownA.At(rs) && rt != vclock.MaxTime
			}
			sameB, unB := false, false
			if rs, rt := vclock.Slot(r.slot[1]), r.time[1]; rs == b.Slot {
				sameB = rt == b.Now
			} else {
				unB = rt > knownB.At(rs) && rt != vclock.MaxTime
			}
			after := is.standsFor(r.is)
			if (unA || unB) && conflict(r.is, is) {
				if unA && hadA&mask != 0 {
					t.unordered(0, r, w, hadA&mask, a)
				}
				if unB && hadB&mask != 0 {
					t.unordered(1, r, w, hadB&mask, b)
				}
			}
			if (sameA || sameB) && r.is.standsFor(is) { // (A2), but for a record that the other order's part of it is going to leave
				if sameA && (sameB || !after) {
					keepA &^= hadA
				}
				if sameB && (sameA || !after) {
					keepB &^= hadB
				}
				if sameA && sameB {
					n++
					continue
				}
			}
			if after && (!unA || !unB) { // (A1)
				if !unA {
					hadA &^= mask
				}
				if !unB {
					hadB &^= mask
				}
				r.mask[0], r.mask[1] = hadA, hadB
				if hadA|hadB == 0 {
					e.made++
				}
			}
		}
		if hadA|hadB != 0 {
			n++
			continue
		}
		e.all++
		if mine == nil {
			mine = k
		}
	}
	keep := keepA | keepB
	if e.all > 1 && (e.made > 0 || e.write) || e.all > 0 && keep == 0 {
		if keep == 0 {
			mine = nil
		}
		t.thin(p, uint32(w)%PageWords, mine, e)
	}
	if keep == 0 {
		return
	}
	if n >= fewRecords && n >= min(t.most(0, is), t.most(1, is)) {
		t.atMost(p, w, is, keepA, keepB)
	}
	if mine == nil {
		mine = t.node(t.add(p, uint32(w)%PageWords, record{}))
	} else {
		t.dropped(&mine.rec)
	}
	r := &mine.rec
	r.time[0], r.time[1] = a.Now, b.Now
	r.slot[0], r.slot[1] = uint16(a.Slot), uint16(b.Slot)
	r.mask[0], r.mask[1] = keepA, keepB
	r.set(is, seq, ev)
}

// atMost makes room in w's list for a record of the orders with bytes, (A3).
func (t *Accesses) atMost(p *page, w Word, is traits, keep ...Mask) {
	list := uint32(w) % PageWords
	var n [Orders]int
	for ref := p.head[list]; ref != 0; ref = t.node(ref).next {
		for o, m := range t.node(ref).rec.mask {
			if m != 0 {
				n[o]++
			}
		}
	}
	for o := range Order(Orders) {
		if keep[o] != 0 && n[o] >= t.most(o, is) {
			t.dropOldest(o, w, p, list)
		}
	}
}
