package shadow

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// keepEmpty is how many empty records a word keeps.
const keepEmpty = 15

// one is CheckAll for an access of one word, none of whose page's records are for the page as a whole, under order 0 alone, by a
// goroutine with a slot of its own: begins, list and put in one loop.
//
// A read leaves empty records where there were several: what many goroutines have read, many are going to read again, and in these places the records
// of words side by side stay side by side. One goes each time that others become empty, and there are keepEmpty at most.
func (t *Accesses) one(p *page, w Word, seq trace.Seq, ev *trace.Event, a *Actor) {
	mask := MaskOf(w, ev.Addr, ev.Size)
	list := uint32(w) % PageWords
	is := traitsOf(ev)
	slot, keep := uint16(a.Slot), mask
	head := &p.head[list]
	var mine *node[record] // whose place is taken over
	var mineAt *Ref
	n := 0
	var empty *Ref // a record that was empty before, behind mine
	emptied := false
	empties := 0
	for at := head; *at != 0; {
		k := t.node(*at)
		r := &k.rec
		r.mask[1] = 0
		common := r.mask[0] & mask
		switch {
		case common == 0:
		case a.unordered(r.slot[0], r.time[0]):
			if !conflict(r.is, is) {
				break
			}
			if a.Slots.Stale(vclock.Slot(r.slot[0]), r.time[0]) { // (A3)
				t.lossy(0, w, common)
			} else {
				t.races[0] = append(t.races[0], t.unpack(0, r, w))
			}
		case r.slot[0] == slot && r.time[0] == a.Now && r.is.standsFor(is): // (A2)
			keep &^= common
		case is.standsFor(r.is): // (A1)
			r.mask[0] &^= common
		}
		switch {
		case r.mask[0] != 0:
			n++
		case mine == nil:
			mine, mineAt = k, at
			emptied = common != 0 // it was not empty before
		case is&isWrite != 0 || empties == keepEmpty:
			t.dropped(r)
			t.unlink(p, list, at)
			continue
		case common == 0:
			empty = at
			empties++
		default:
			emptied = true
			empties++
		}
		at = &k.next
	}
	if emptied && empty != nil {
		t.dropped(&t.node(*empty).rec)
		t.unlink(p, list, empty)
	}
	switch {
	case keep == 0:
		if mine != nil {
			t.dropped(&mine.rec)
			t.unlink(p, list, mineAt)
		}
		return
	case mine == nil:
		if n >= t.most(0, is) {
			t.dropOldest(0, w, p, list)
		}
		mine = t.node(t.add(p, list, record{}))
	default:
		t.dropped(&mine.rec)
	}
	r := &mine.rec
	r.time[0], r.slot[0], r.mask[0], r.mask[1] = a.Now, slot, keep, 0
	r.set(is, seq, ev)
}
