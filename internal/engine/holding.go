package engine

import "github.com/racepred/racepred/internal/trace"

// Holding calls f for each section that a goroutine has begun and that is not over, in no particular order. It leaves out sections that another goroutine may have
// ended.
func (e *Engine) Holding(f func(g trace.G, lock trace.Addr, shared bool, begun trace.Seq)) {
	e.gs.busy.Each(func(g trace.G, b *busy) {
		for i := range b.held {
			if h := &b.held[i]; !e.gs.handed.over(h) {
				f(g, h.lock, h.shared, h.begun)
			}
		}
	})
}

// Present describes goroutine ev.G as it is now. ev is what the goroutine is about to do, and no event of the run.
func (e *Engine) Present(ev trace.Event) Participant {
	a := Participant{Seq: e.window.next(), Ev: ev}
	if a.Seq > e.window.first {
		a.Locks = e.locksAt(a.Seq-1, ev.G)
	}
	e.gs.describe(&a)
	return a
}

// Test is the test that runs on a goroutine, or ran on its creator when it was started; 0 is none.
func (e *Engine) Test(g trace.G) uint32 { return e.gs.test(g, e.window.next()) }

// Around is what the goroutines of these participants, which Present has described, did last.
func (e *Engine) Around(list []Participant) Around { return e.window.span().around(list, nil) }

// handedOver are the locks that were given back by another goroutine than the one that took them.
type handedOver struct {
	at     map[trace.Addr]trace.Seq // by lock, the last such release
	before trace.Seq                // of sections that began before, nothing is known any more
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
	return s.begun < h.before || h.between(s.lock, s.begun, ^trace.Seq(0))
}

// between reports whether another goroutine is known to have ended a section between its beginning and a later event.
func (h *handedOver) between(lock trace.Addr, begun, later trace.Seq) bool {
	at, ok := h.at[lock]
	return ok && begun < at && at <= later
}
