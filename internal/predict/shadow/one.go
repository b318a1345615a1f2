package shadow

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// one is Check for an access of one word, none of whose page's records are for the page as a whole, by a goroutine with a slot of its
// own: looker.list and looker.put in one loop.
func (t *Accesses) one(p *page, w Word, seq trace.Seq, ev *trace.Event, a *Actor) []Record {
	mask := MaskOf(w, ev.Addr, ev.Size)
	list := uint32(w) % PageWords
	me := brief{slot: a.Slot, time: a.Now, mask: mask, kind: ev.Kind, flags: ev.Flags}
	head := &p.head[list]
	var mine *Ref // the link to a record whose place is taken over
	n := 0
	races := t.races[:0]
	for at := head; *at != 0; {
		k := t.node(*at)
		r := &k.rec
		common := r.mask & mask
		switch {
		case common == 0:
		case r.slot != a.Slot && r.time > a.Known.At(r.slot) && r.time != vclock.MaxTime:
			if !conflicts(r, &me) {
				break
			}
			if a.Slots.Stale(r.slot, r.time) { // (A3)
				t.lossy(w, common)
			} else {
				races = append(races, r.record(t.restOf(*at)))
			}
		case r.slot == a.Slot && r.time == a.Now && r.standsFor(&me): // (A2)
			me.mask &^= common
		case me.standsFor(r): // (A1)
			if r.mask &^= common; r.mask != 0 {
				break
			}
			if mine == nil {
				mine = at
				break
			}
			t.unlink(p, list, at)
			continue
		}
		n++
		at = &k.next
	}
	t.races = races
	if me.mask == 0 {
		if mine != nil {
			t.unlink(p, list, mine)
		}
		return races
	}
	var ref Ref
	if mine != nil {
		ref = *mine
		t.node(ref).rec = me
	} else {
		if n >= t.most(&me) {
			t.dropOldest(w, head)
		}
		ref = t.add(p, list, me)
	}
	*t.restOf(ref) = restOf(seq, ev)
	return races
}
