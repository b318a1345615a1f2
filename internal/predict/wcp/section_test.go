package wcp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// TestSectionsOfDeadLocksGo: what is kept of sections of a lock goes with the lock, though an older section, of a lock that lives, stays.
func TestSectionsOfDeadLocksGo(t *testing.T) {
	p := New(predict.Config{}, func(predict.Candidate) {})
	seq := trace.Seq(0)
	event := func(ev trace.Event) {
		p.Event(seq, &ev)
		seq++
	}
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
	require.Less(t, p.sections.made, locks/10)
	require.Less(t, p.pool.Live, 100*locks/10)
}
