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

// TestNoSectionsOfCrowd: of the sections of goroutines without slots of their own nothing is kept,
// and they are ordered with all others.
func TestNoSectionsOfCrowd(t *testing.T) {
	var found []predict.Candidate
	p := New(predict.Config{}, func(c predict.Candidate) { found = append(found, c) })
	p.slots.Limit = 2
	const lock, other, word, crowd = 0x100, 0x180, 0x200, 500
	at := trace.Seq(0)
	do := func(evs ...trace.Event) {
		for _, ev := range evs {
			p.Event(at, &ev)
			at++
		}
	}
	do(trace.Event{Kind: trace.Write, G: 1, Addr: word + 8, Size: 8})
	for g := range uint32(crowd) {
		do(trace.Event{Kind: trace.Fork, G: 1, Other: 2 + g})
	}
	do(trace.Event{Kind: trace.Write, G: 1, Addr: word, Size: 8})
	do(trace.Event{Kind: trace.Acquire, G: 1, Addr: other}, trace.Event{Kind: trace.Release, G: 1, Addr: other})
	for g := range trace.G(crowd) {
		do(trace.Event{Kind: trace.RAcquire, G: 2 + g, Addr: lock}, trace.Event{Kind: trace.Opaque, G: 2 + g})
	}
	l := p.lock(lock)
	require.Greater(t, l.nameless, crowd/2)
	require.LessOrEqual(t, len(l.open)+l.nameless, crowd)
	p.threads.Live(func(g *goroutine) bool {
		require.True(t, !g.Shared || len(g.held) == 0)
		return true
	})
	for g := range trace.G(crowd) {
		do(trace.Event{Kind: trace.RRelease, G: 2 + g, Addr: lock})
	}
	require.Zero(t, l.nameless)
	require.Empty(t, l.open)
	require.Empty(t, found)

	last := trace.G(1 + crowd) // one of the crowd
	do(trace.Event{Kind: trace.Acquire, G: last, Addr: other}, trace.Event{Kind: trace.Read, G: last, Addr: word, Size: 8})
	require.Empty(t, found, "the section of the goroutine that wrote comes before")
	do(trace.Event{Kind: trace.Release, G: last, Addr: other}, trace.Event{Kind: trace.Acquire, G: 1, Addr: other}, trace.Event{Kind: trace.Write, G: 1, Addr: word, Size: 8})
	require.Empty(t, found, "the section of the goroutine that read comes before")
}
