package engine

import "github.com/racepred/racepred/internal/trace"

// Holding calls f for each section that a goroutine has begun and that is not over, in no particular order.
func (e *Engine) Holding(f func(g trace.G, lock trace.Addr, shared bool, begun trace.Seq)) {
	e.gs.sections.Each(func(g trace.G, h *held) { f(g, h.lock, h.shared, h.begun) })
}

// Present describes goroutine ev.G as it is now. ev is what the goroutine is about to do, and no event of the run.
func (e *Engine) Present(ev trace.Event) Participant {
	a := Participant{Seq: e.window.next(), Ev: ev}
	if a.Seq > e.window.first {
		for _, begin := range e.sectionsAt(a.Seq-1, ev.G) {
			a.Locks = append(a.Locks, begin.Ev)
		}
	}
	e.gs.describe(&a)
	return a
}

// Test is the test that runs on a goroutine, or ran on its creator when it was started; 0 is none.
func (e *Engine) Test(g trace.G) uint32 { return e.gs.test(g, e.window.next()) }

// Around is what the goroutines of these participants, which Present has described, did last.
func (e *Engine) Around(list []Participant) Around { return e.window.span().around(list, nil) }

// handedOver are the sections that another goroutine ended than the one that began them, and where they ended. The latest ones are known.
type handedOver struct {
	at    map[begun]trace.Seq
	first []begun // in the order of their ends
}

// begun is where a section of a lock begins.
type begun struct {
	lock trace.Addr
	seq  trace.Seq
}

// keepHandedOver is how many such sections are known.
const keepHandedOver = 1 << 14

func (h *handedOver) add(s *held, end trace.Seq) {
	if h.at == nil {
		h.at = map[begun]trace.Seq{}
	}
	if len(h.first) == 2*keepHandedOver {
		for _, b := range h.first[:keepHandedOver] {
			delete(h.at, b)
		}
		h.first = append(h.first[:0], h.first[keepHandedOver:]...)
	}
	b := begun{s.lock, s.begun}
	h.at[b] = end
	h.first = append(h.first, b)
}

// end is where another goroutine ended the section of a lock that begins at seq, if one is known to have done so.
func (h *handedOver) end(lock trace.Addr, seq trace.Seq) (trace.Seq, bool) {
	at, ok := h.at[begun{lock, seq}]
	return at, ok
}
