package engine_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/trace"
)

// TestEdgesInShort: Edge and Together are Take for the events that they stand for, in sparse parts.
func TestEdgesInShort(t *testing.T) {
	type found struct{ first, second trace.Seq }
	races := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		var whole, short []found
		a := engine.New(engine.Config{}, func(f engine.Finding) { whole = append(whole, found{f.First.Seq, f.Second.Seq}) })
		b := engine.New(engine.Config{}, func(f engine.Finding) { short = append(short, found{f.First.Seq, f.Second.Seq}) })
		sparse := false
		for n := range 300 {
			g, h := trace.G(1+rng.IntN(4)), trace.G(1+rng.IntN(4))
			object := trace.Addr(0x100 + 8*rng.IntN(3))
			both := func(ev trace.Event) {
				a.Event(ev)
				b.Event(ev)
			}
			steps := func(evs ...trace.Event) {
				for _, ev := range evs {
					a.Event(ev)
				}
			}
			switch c := rng.IntN(12); {
			case c < 2:
				both(trace.Event{Kind: []trace.Kind{trace.Read, trace.Write}[c], G: g, Addr: trace.Addr(0x1000 + 8*rng.IntN(3)), Size: 8, Site: trace.Site(n + 1)})
			case c == 2 && rng.IntN(3) == 0:
				sparse = !sparse
				both(trace.Event{Kind: map[bool]trace.Kind{true: trace.Sparse, false: trace.Full}[sparse], G: g})
			case !sparse:
				both(trace.Event{Kind: trace.HardSwap, G: g, Addr: object})
			case c < 6:
				k := []trace.Kind{trace.HardAcquire, trace.HardRelease, trace.HardMerge, trace.HardSwap}[rng.IntN(4)]
				steps(trace.Event{Kind: k, G: g, Addr: object})
				b.Edge(k, g, object)
			case g == h:
			case c < 9:
				steps(trace.Event{Kind: trace.HardRelease, G: g, Addr: object}, trace.Event{Kind: trace.HardSwap, G: h, Addr: object},
					trace.Event{Kind: trace.HardAcquire, G: g, Addr: object})
				require.EqualValues(t, 3, b.Together(true, g, h, object))
			default:
				steps(trace.Event{Kind: trace.HardSwap, G: g, Addr: object}, trace.Event{Kind: trace.HardSwap, G: h, Addr: object})
				require.EqualValues(t, 2, b.Together(false, g, h, object))
			}
		}
		require.Equal(t, whole, short, "seed %d", seed)
		require.Equal(t, a.Stats().Events, b.Stats().Events)
		races += len(whole)
	}
	require.Greater(t, races, 1000)
}
