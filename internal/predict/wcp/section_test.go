package wcp

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// events gives p one event after the other.
func events(p *Predictor) func(trace.Event) {
	seq := trace.Seq(0)
	return func(ev trace.Event) {
		p.Event(seq, &ev)
		seq++
	}
}

// TestSectionsOfDeadLocksGo: what is kept of sections of a lock goes with the lock, though an older
// section, of a lock that lives, stays.
func TestSectionsOfDeadLocksGo(t *testing.T) {
	p := New(predict.Config{}, func(predict.Candidate) {})
	event := events(p)
	section := func(lock trace.Addr) {
		event(trace.Event{Kind: trace.Acquire, G: 1, Addr: lock})
		event(trace.Event{Kind: trace.Write, G: 1, Addr: 0x900, Size: 8})
		event(trace.Event{Kind: trace.HardRelease, G: 1, Addr: 0x800}) // so that it is logged
		event(trace.Event{Kind: trace.Release, G: 1, Addr: lock})
	}
	event(trace.Event{Kind: trace.Fork, G: 1, Other: 2}) // learns nothing
	section(0x100)
	const locks = 10_000
	for range locks {
		section(0x200)
		event(trace.Event{Kind: trace.Alloc, G: 1, Addr: 0x200, Size: 8})
	}
	section(0x300)
	require.Equal(t, 2, len(p.sections.queue)-p.sections.head-p.sections.dead)
	require.Less(t, len(p.sections.queue), locks/10)
	require.Less(t, p.sections.free.Bytes(), int(unsafe.Sizeof(*p.sections.queue[0]))*locks/10)
	require.Less(t, p.pool.Live, 100*locks/10)
}

// TestLongRunsAreThinnedOut: of the sections of a lock that one goroutine uses all the time few are
// kept, the newest among them; those of two goroutines in turn all are.
func TestLongRunsAreThinnedOut(t *testing.T) {
	for name, goroutines := range map[string]trace.G{"one": 1, "two": 2} {
		t.Run(name, func(t *testing.T) {
			p := New(predict.Config{}, func(predict.Candidate) {})
			event := events(p)
			event(trace.Event{Kind: trace.Fork, G: 1, Other: 2})
			event(trace.Event{Kind: trace.Fork, G: 1, Other: 3}) // learns nothing
			const sections = 50_000
			for i := range trace.G(sections) {
				g := 1 + i%goroutines
				event(trace.Event{Kind: trace.RAcquire, G: g, Addr: 0x100})
				event(trace.Event{Kind: trace.Read, G: g, Addr: 0x900, Size: 8})
				event(trace.Event{Kind: trace.HardMerge, G: g, Addr: 0x800 + trace.Addr(g)*8}) // so that it is logged
				event(trace.Event{Kind: trace.RRelease, G: g, Addr: 0x100})
			}
			log := p.lock(0x100).reads.live()
			require.Equal(t, p.of(1+(sections-1)%goroutines).Acted, log[len(log)-1].leave.Time)
			if goroutines == 2 {
				require.Len(t, log, sections)
				return
			}
			require.Less(t, len(log), sections/20)
			require.Less(t, len(p.sections.queue), sections/10)
			require.Less(t, p.sections.bytes, 160*sections/10)
		})
	}
}
