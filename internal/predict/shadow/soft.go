package shadow

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Soft are accesses before the one that Check2 took in last, in conflict with it and before it by both orders: those that Again says are due. Their slots and
// times are those of order 1. They are good until the next call.
func (t *Accesses) Soft() []Record { return t.soft }

// isSoft takes in such an access.
func (t *Accesses) isSoft(r *record, w Word, ev *trace.Event) {
	stack := r.stack
	if r.is&isWide != 0 {
		stack = t.spans.at(uint32(stack)).stack
	}
	if !t.Again.Due(r.site, stack, ev) {
		return
	}
	seq := t.place(r)
	for i := range t.soft {
		if t.soft[i].Seq == seq {
			return
		}
	}
	t.soft = append(t.soft, t.unpack(1, r, w))
	t.raced = true
}

// maybeSoft is isSoft for a record of which it is not known whether the access comes after it by both orders; by order 1 it is another goroutine's.
func (t *Accesses) maybeSoft(r *record, w Word, ev *trace.Event, is traits, a, b *Actor) {
	after := func(o Order, by *Actor) bool {
		slot, time := vclock.Slot(r.slot[o]), r.time[o]
		return r.masks.of(o) != 0 && slot != by.Slot && (time <= by.Known.At(slot) || time == vclock.MaxTime)
	}
	if conflict(r.is, is) && after(0, a) && after(1, b) {
		t.isSoft(r, w, ev)
	}
}
