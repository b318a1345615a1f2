package records

import "github.com/racepred/racepred/internal/trace"

// ticketsAt is how many events had been given out when a ticket came, of the last tickets, by the
// ticket. An rpMissed has room for no more tickets than that.
type ticketsAt [1 << 16]uint32

// turn goes on to the next ticket.
func (c *Converter) turn() {
	c.at[c.next%uint64(len(c.at))] = uint32(c.events)
	c.next++
}

// missed emits an access that was left out, and that the goroutine's latest one conflicts with. It
// came after all events that had been given out when the first ticket came that was handed out
// after it. Those that waited then may have come before it or not (N3), (Y2).
func (c *Converter) missed(r *Record, ev *trace.Event) {
	ticket := r.stamp() - uint64(ev.Size)
	if ticket+uint64(len(c.at)) <= c.next {
		return
	}
	ev.Other, ev.Addr, ev.Size = uint32(ev.Addr), 0, 0
	if ticket < c.next {
		ev.Size = uint32(c.events) - c.at[ticket%uint64(len(c.at))]
	}
	kind := trace.MissedRead
	how := r.What >> 48 & 0xff
	if how&^rpMissedAtomic == rpWrite {
		kind = trace.MissedWrite
	}
	if how&rpMissedAtomic != 0 {
		ev.Flags = trace.FlagAtomic
	}
	c.emit(kind, ev)
}
