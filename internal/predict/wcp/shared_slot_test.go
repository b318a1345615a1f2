package wcp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/threads"
	"github.com/racepred/racepred/internal/trace"
)

// TestSectionOfCrowdIsHandedOver: a goroutine without a slot of its own ends in a section, which
// another goroutine ends then. Nobody is in it any more.
func TestSectionOfCrowdIsHandedOver(t *testing.T) {
	p := New(predict.Config{}, func(predict.Candidate) {})
	p.slots.Limit = 1
	const lock, word = 0x100, 0x200
	access := func(g trace.G) trace.Event { return trace.Event{Kind: trace.Write, G: g, Addr: word, Size: 8} }
	for i, ev := range []trace.Event{
		access(1),
		{Kind: trace.Fork, G: 1, Other: 2},
		{Kind: trace.Fork, G: 1, Other: 2 + threads.SharedSlots},
		{Kind: trace.Acquire, G: 2, Addr: lock},
		{Kind: trace.End, G: 2},
		{Kind: trace.Release, G: 1, Addr: lock},
		access(2 + threads.SharedSlots),
	} {
		p.Event(trace.Seq(i), &ev)
	}
	require.NotZero(t, p.threads.Shared)
	shared := 0
	p.threads.Live(func(g *goroutine) bool {
		if g.Shared {
			shared++
			require.Empty(t, g.held)
		}
		return true
	})
	require.NotZero(t, shared)
}
