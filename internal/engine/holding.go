package engine

import "github.com/racepred/racepred/internal/trace"

// Holding calls f for each section that a goroutine has begun and nobody has ended, in no particular order. Another goroutine than the one that
// took a lock may give it back: that section is over.
func (e *Engine) Holding(f func(g trace.G, lock trace.Addr, shared bool, begun trace.Seq)) {
	e.gs.busy.Each(func(g trace.G, b *busy) {
		for i := range b.held {
			if h := &b.held[i]; !e.gs.handed.over(h) {
				f(g, h.lock, h.shared, h.begun)
			}
		}
	})
}

// Present describes goroutine ev.G as it is now. ev, which is no event of the run, holds what it is about to do.
func (e *Engine) Present(ev trace.Event) Participant {
	a := Participant{Seq: e.window.next(), Ev: ev}
	if a.Seq > e.window.first {
		a.Locks = e.locksAt(a.Seq-1, ev.G)
	}
	e.gs.describe(&a)
	return a
}

// Around is what the goroutines of the participants, as Present has them, did at last.
func (e *Engine) Around(list []Participant) Around { return e.window.span().around(list, nil) }

// handedOver are the locks that another goroutine gave back than the one that took them, with the last event that did.
type handedOver struct {
	at     map[trace.Addr]trace.Seq
	before trace.Seq // of what began before that nothing is known any more
}

// keepHandedOver is how many such locks are known.
const keepHandedOver = 1 << 16

func (h *handedOver) add(lock trace.Addr, seq trace.Seq) {
	if len(h.at) == keepHandedOver {
		clear(h.at)
		h.before = seq
	}
	if h.at == nil {
		h.at = map[trace.Addr]trace.Seq{}
	}
	h.at[lock] = seq
}

// over reports whether the section may have been ended by another goroutine.
func (h *handedOver) over(s *held) bool {
	at, ok := h.at[s.lock]
	return s.begun < h.before || ok && s.begun < at
}
