package shadow

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// fewRecords is a number of records that needs no call of most.
const fewRecords = 8

// Check takes in an access under order 0 and returns the accesses before it with which it races,
// each once. The result is valid until the next call.
//
// Mostly the access has one word or a few, their page has no records as a whole, and the goroutine
// has a slot of its own. Then one loop for each word does what begins, list and put do, and changes
// only masks in lists.
func (t *Accesses) Check(seq trace.Seq, ev *trace.Event, a *Actor) []Record {
	t.ready(seq)
	w := WordOf(ev.Addr)
	p := t.find(uint64(w) >> PageBits)
	switch {
	case p == nil || a.Shared:
		t.checkAll(seq, ev, [Orders]*Actor{a})
	case fits(ev) && !p.covers(uint32(w)%PageWords):
		t.word1(p, w, maskInWord(ev), seq, ev, a, nil)
	case p.wide == 0 && inPage(ev):
		span := uint32(0)
		for last := WordOf(ev.Addr + trace.Addr(ev.Size) - 1); w <= last; w++ {
			t.word1(p, w, MaskOf(w, ev.Addr, ev.Size), seq, ev, a, &span)
		}
		if span != 0 {
			t.dropSpan(span)
		}
	default:
		t.checkAll(seq, ev, [Orders]*Actor{a})
	}
	return t.races[0]
}

// word1 is Check for the access's bytes of one word. span is as in fill, and nil for an access that
// fits.
func (t *Accesses) word1(p *page, w Word, bytes Mask, seq trace.Seq, ev *trace.Event, a *Actor, span *uint32) {
	mask := bytes.under(0)
	keep := mask
	is := traitsOf(ev)
	if p.kept {
		t.long(w, bytes, is, seq, a)
	}
	known := a.Known.Vec()
	var mine *node[record] // which is overwritten with the access
	n, empty, made := 0, 0, 0
	for ref := p.words[uint32(w)%PageWords]; ref != 0; {
		k := t.node(ref)
		ref = k.next
		r := &k.rec
		had := r.masks & 0xff
		if had&mask != 0 {
			if rs, rt := vclock.Slot(r.slot[0]), r.time[0]; rs == a.Slot {
				if rt == a.Now && r.is.subsumes(is) { // (A2)
					keep &^= had
					n++
					continue
				}
			} else if rt > known.At(rs) && rt != vclock.MaxTime {
				if conflict(r.is, is) {
					t.unordered(r, w, had&mask, seq, a, nil)
				}
				n++
				continue
			}
			if is.subsumes(r.is) { // (A1)
				had &^= mask
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
		r.masks = 0
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
	if mine == nil {
		if n >= fewRecords && n >= most(is) {
			t.dropOldest(0, w, p, uint32(w)%PageWords)
		}
		mine = t.node(t.add(p, uint32(w)%PageWords, record{}))
	} else {
		t.dropped(&mine.rec)
	}
	r := &mine.rec
	r.time[0], r.slot[0], r.masks = a.Now, uint16(a.Slot), keep
	if span == nil {
		r.set(is, seq, ev)
	} else {
		t.fill(r, is, seq, ev, span)
	}
}

// keepEmpty is how many empty records a word keeps beside one that is overwritten, and minEmpty how
// many an access must have emptied at once for that.
//
// If many goroutines have read a word, many will read it again. Their records then go where the
// empty ones are, so that the records of neighbouring words stay neighbours. When a read empties as
// many and there were empty ones before, one is dropped.
const (
	keepEmpty = 15
	minEmpty  = 4
)

// thin drops empty records of a list, if there are too many after an access. There are so many
// empty ones, some of which the access has just emptied. It does not drop mine, which is nil if the
// access needs no record.
func (t *Accesses) thin(p *page, list uint32, mine *node[record], is traits, empty, made int) {
	others := empty - 1
	n := 0
	switch {
	case is&isWrite != 0 || made > 0 && made < minEmpty:
		n = others
	case made > 0:
		n = max(others-keepEmpty, min(1, empty-made))
	}
	if mine == nil {
		n++
	}
	for at := p.head(list); n > 0; {
		k := t.node(*at)
		if k == mine || k.rec.masks != 0 {
			at = &k.next
			continue
		}
		t.dropped(&k.rec)
		t.unlink(p, list, at)
		n--
	}
}

// unordered reports a race of the access at seq with a record of w, under the orders whose bytes
// are given, or calls Lossy.
func (t *Accesses) unordered(r *record, w Word, bytes masks, seq trace.Seq, a, b *Actor) {
	for o, by := range [Orders]*Actor{a, b} {
		switch m := bytes.of(Order(o)); {
		case m == 0:
		case by.Slots.Stale(vclock.Slot(r.slot[o]), r.time[o]): // (A3)
			t.lossy(Order(o), w, m, seq)
		default:
			t.race(Order(o), r, w)
		}
	}
}
