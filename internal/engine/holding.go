package engine

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// Holding calls f for each section that a goroutine has begun and that is not over, in no
// particular order. It leaves out those that may be over, since another goroutine gave a read lock
// back.
func (e *Engine) Holding(f func(g trace.G, lock trace.Addr, shared bool, begun trace.Seq)) {
	e.gs.sections.Each(func(g trace.G, h *held) {
		if !h.unsure {
			f(g, h.lock, h.shared, h.begun)
		}
	})
}

// unsure notes that another goroutine ended the section s: a read lock has no owner, so any other
// section that reads the same lock may be the one that is over.
func (gs *goroutines) unsure(s *held) {
	if !s.shared {
		return
	}
	gs.sections.Each(func(_ trace.G, h *held) {
		if h.Like(s.lock, true) {
			h.unsure = true
		}
	})
}

// Present describes goroutine ev.G as it is now. ev is what the goroutine is about to do, and no
// event of the run.
func (e *Engine) Present(ev trace.Event) Participant {
	a := Participant{Seq: e.window.next(), Ev: ev}
	var in []predict.Event
	if a.Seq > e.window.first {
		in = e.sectionsAt(a.Seq-1, ev.G)
	}
	e.describe(&a, in)
	return a
}

// Test is the test that runs on a goroutine, or ran on its creator when it was started; 0 is none.
func (e *Engine) Test(g trace.G) uint32 { return e.gs.test(g, e.window.next()) }

// Around is what the goroutines of these participants, which Present has described, did last.
func (e *Engine) Around(list []Participant) Around { return e.window.span().around(list, nil) }

// handedOver has the latest sections that another goroutine ended than the one that began them:
// where they began, and where they ended.
type handedOver struct {
	ends   map[trace.Seq]trace.Seq
	latest predict.Latest[trace.Seq]
}

// keepHandedOver is how many such sections are known at least.
const keepHandedOver = 1 << 14

func (h *handedOver) add(begun, end trace.Seq) {
	h.ends[begun] = end
	for _, old := range h.latest.Add(begun) {
		delete(h.ends, old)
	}
}

// end is where another goroutine ended the section that begins at begun, if one is known to have
// done so.
func (h *handedOver) end(begun trace.Seq) (trace.Seq, bool) {
	end, ok := h.ends[begun]
	return end, ok
}
