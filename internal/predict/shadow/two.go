package shadow

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// two is one under both orders.
func (t *Accesses) two(p *page, w Word, seq trace.Seq, ev *trace.Event, a, b *Actor) {
	mask := MaskOf(w, ev.Addr, ev.Size)
	list := uint32(w) % PageWords
	is := traitsOf(ev)
	slotA, slotB, keepA, keepB := uint16(a.Slot), uint16(b.Slot), mask, mask
	head := &p.head[list]
	var mine *node[record] // whose place is taken over
	var mineAt *Ref
	nA, nB := 0, 0
	var empty *Ref
	emptied := false
	empties := 0
	for at := head; *at != 0; {
		k := t.node(*at)
		r := &k.rec
		forA, forB := r.mask[0]&mask, r.mask[1]&mask
		if forB != 0 && t.since[1] > 0 && t.place(r) < t.since[1] {
			r.mask[1], forB = 0, 0
		}
		if forA|forB != 0 {
			sameA := r.slot[0] == slotA && r.time[0] == a.Now
			sameB := r.slot[1] == slotB && r.time[1] == b.Now
			after, before := is.standsFor(r.is), r.is.standsFor(is)
			switch {
			case forA == 0:
			case a.unordered(r.slot[0], r.time[0]):
				if !conflict(r.is, is) {
					break
				}
				if a.Slots.Stale(vclock.Slot(r.slot[0]), r.time[0]) { // (A3)
					t.lossy(0, w, forA)
				} else {
					t.races[0] = append(t.races[0], t.unpack(0, r, w))
				}
			case sameA && before && (sameB || !after): // (A2)
				keepA &^= forA
			case after: // (A1)
				r.mask[0] &^= forA
			}
			switch {
			case forB == 0:
			case b.unordered(r.slot[1], r.time[1]):
				if conflict(r.is, is) && !b.Slots.Stale(vclock.Slot(r.slot[1]), r.time[1]) {
					t.races[1] = append(t.races[1], t.unpack(1, r, w))
				}
			case sameB && before && (sameA || !after): // (A2)
				keepB &^= forB
			case after: // (A1)
				r.mask[1] &^= forB
			}
		}
		switch {
		case r.mask != [Orders]Mask{}:
		case mine == nil:
			mine, mineAt = k, at
			emptied = forA|forB != 0
		case is&isWrite != 0 || empties == keepEmpty:
			t.dropped(r)
			t.unlink(p, list, at)
			continue
		case forA|forB == 0:
			empty = at
			empties++
		default:
			emptied = true
			empties++
		}
		if r.mask[0] != 0 {
			nA++
		}
		if r.mask[1] != 0 {
			nB++
		}
		at = &k.next
	}
	if emptied && empty != nil {
		t.dropped(&t.node(*empty).rec)
		t.unlink(p, list, empty)
	}
	if keepA|keepB == 0 {
		if mine != nil {
			t.dropped(&mine.rec)
			t.unlink(p, list, mineAt)
		}
		return
	}
	if keepA != 0 && nA >= t.most(0, is) {
		t.dropOldest(0, w, p, list)
	}
	if keepB != 0 && nB >= t.most(1, is) {
		t.dropOldest(1, w, p, list)
	}
	if mine == nil {
		mine = t.node(t.add(p, list, record{}))
	} else {
		t.dropped(&mine.rec)
	}
	r := &mine.rec
	r.time, r.slot, r.mask = [Orders]vclock.Time{a.Now, b.Now}, [Orders]uint16{slotA, slotB}, [Orders]Mask{keepA, keepB}
	r.set(is, seq, ev)
}

// unordered reports whether the actor does not know the epoch.
func (a *Actor) unordered(slot uint16, time vclock.Time) bool {
	return vclock.Slot(slot) != a.Slot && time > a.Known.At(vclock.Slot(slot)) && time != vclock.MaxTime
}
