package shadow

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Soft are earlier accesses that conflict with the last access of Check2 and come before it by both
// orders, those that are due according to Again. Their slots and times are those of order 1. The
// result is valid until the next call of Check2.
func (t *Accesses) Soft() []Record { return t.soft }

// isSoft adds the record's access to the result of Soft, if it is due.
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

// maybeSoft is isSoft if the record comes before the access by both orders, and is of another
// goroutine.
func (t *Accesses) maybeSoft(r *record, w Word, ev *trace.Event, is traits, a, b *Actor) {
	after := func(o Order, by *Actor) bool {
		slot, time := vclock.Slot(r.slot[o]), r.time[o]
		return r.masks.of(o) != 0 && slot != by.Slot && (time <= by.Known.At(slot) || time == vclock.MaxTime)
	}
	if conflict(r.is, is) && after(0, a) && after(1, b) {
		t.isSoft(r, w, ev)
	}
}
