package shadow

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// fewRecords is how many a word may have without most being asked.
const fewRecords = 8

// one is Check for an access of one word, none of whose page's records are for the page as a whole, under order 0 alone, by a
// goroutine with a slot of its own: begins, list and put in one loop, which leaves lists as they are but for masks.
func (t *Accesses) one(p *page, w Word, seq trace.Seq, ev *trace.Event, a *Actor) {
	mask := maskInWord(ev)
	is := traitsOf(ev)
	keep := mask
	known := a.Known.Vec()
	var mine *node[record] // whose place is taken over
	n := 0
	e := empties{write: is&isWrite != 0}
	for ref := p.head[uint32(w)%PageWords]; ref != 0; {
		k := t.node(ref)
		r := &k.rec
		ref = k.next
		had := r.mask[0]
		if had&mask != 0 {
			if rs, rt := vclock.Slot(r.slot[0]), r.time[0]; rs == a.Slot {
				if rt == a.Now && r.is.standsFor(is) { // (A2)
					keep &^= had
					n++
					continue
				}
			} else if rt > known.At(rs) && rt != vclock.MaxTime {
				if conflict(r.is, is) {
					t.unordered(0, r, w, had&mask, a)
				}
				n++
				continue
			}
			if is.standsFor(r.is) { // (A1)
				had &^= mask
				r.mask[0] = had
				if had == 0 {
					e.made++
				}
			}
		}
		if had != 0 {
			n++
			continue
		}
		r.mask[1] = 0
		e.all++
		if mine == nil {
			mine = k
		}
	}
	if e.all > 1 && (e.made > 0 || e.write) || e.all > 0 && keep == 0 {
		if keep == 0 {
			mine = nil
		}
		t.thin(p, uint32(w)%PageWords, mine, e)
	}
	if keep == 0 {
		return
	}
	if mine == nil {
		if n >= fewRecords && n >= t.most(0, is) {
			t.dropOldest(0, w, p, uint32(w)%PageWords)
		}
		mine = t.node(t.add(p, uint32(w)%PageWords, record{}))
	} else {
		t.dropped(&mine.rec)
	}
	r := &mine.rec
	r.time[0], r.slot[0], r.mask[0], r.mask[1] = a.Now, uint16(a.Slot), keep, 0
	r.set(is, seq, ev)
}

// keepEmpty is how many empty records a word keeps beside one that is taken over, and minEmpty how many a read must empty for that at once.
//
// What many goroutines have read, many are going to read again, and in these places the records of words side by side stay side by side. When
// a read empties as many and there were others, one goes.
const (
	keepEmpty = 15
	minEmpty  = 4
)

// empties is what an access finds of empty records in a word's list.
type empties struct {
	all   int // when it was done
	made  int // of these, by it
	write bool
}

// thin lets go of the empty records of a list that are too many, mine not being one of them.
func (t *Accesses) thin(p *page, list uint32, mine *node[record], e empties) {
	others := e.all - 1 // when there is none mine, the access is not kept, and one goes in any case
	n := 0
	switch {
	case e.write || e.made > 0 && e.made < minEmpty:
		n = others
	case e.made > 0:
		n = max(others-keepEmpty, min(1, e.all-e.made), 0)
	}
	if mine == nil {
		n++
	}
	for at := &p.head[list]; n > 0; {
		k := t.node(*at)
		if k == mine || k.rec.mask != [Orders]Mask{} {
			at = &k.next
			continue
		}
		t.dropped(&k.rec)
		t.unlink(p, list, at)
		n--
	}
}

// unordered takes in that an access of bytes of w conflicts with a record's that its goroutine does not know of.
func (t *Accesses) unordered(o Order, r *record, w Word, common Mask, a *Actor) {
	if a.Slots.Stale(vclock.Slot(r.slot[o]), r.time[o]) { // (A3)
		t.lossy(o, w, common)
		return
	}
	t.races[o] = append(t.races[o], t.unpack(o, r, w))
}
