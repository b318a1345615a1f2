// Package gen makes up traces of any length: a workload's parameters -> events, one after the
// other, the same for the same seed.
//
// The traces are those of a possible run (package validate finds nothing wrong): goroutines are
// forked before their first event and joined after their last, sections of a lock do not overlap,
// all are closed at the end. Races are planted on request, each on variables and locks of its own.
package gen

import "github.com/racepred/racepred/internal/trace"

// Trace is a trace.Source that makes its events up as they are asked for.
type Trace struct {
	buf  []trace.Event
	at   int
	more func() bool // appends to buf; false: that was all
	done bool
}

// Next implements trace.Source. It never fails.
func (t *Trace) Next(ev *trace.Event) (trace.Answer, error) {
	for t.at == len(t.buf) {
		if t.done {
			return trace.Ended, nil
		}
		t.buf, t.at = t.buf[:0], 0
		t.done = !t.more()
	}
	*ev = t.buf[t.at]
	t.at++
	return trace.Next, nil
}

// Fill puts the next events into evs and returns how many; fewer than len(evs) at the end only.
func (t *Trace) Fill(evs []trace.Event) int {
	for i := range evs {
		if a, _ := t.Next(&evs[i]); a != trace.Next {
			return i
		}
	}
	return len(evs)
}

func (t *Trace) put(evs ...trace.Event) { t.buf = append(t.buf, evs...) }

// Where things lie. The three name spaces need not be apart, but are easier to read so.
const (
	lockBase   trace.Addr = 0x1000_0000
	sharedBase trace.Addr = 0x2000_0000
	objectBase trace.Addr = 0x3000_0000
	plantBase  trace.Addr = 0x3800_0000
	ownBase    trace.Addr = 0x4000_0000 // 1 MB for each goroutine

	lockStride   = 64
	sharedStride = 24
)
