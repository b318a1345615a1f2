package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/trace"
)

// fewAccesses is a trace of goroutines that mostly synchronize, so that their clocks become the
// same: with all kinds of edges, ends, and new goroutines. In between they access one of two
// variables.
func fewAccesses(rng *rand.Rand, first trace.G) (evs []trace.Event) {
	put := func(k trace.Kind, g trace.G, a trace.Addr) {
		ev := trace.Event{Kind: k, G: g, Addr: a, Site: trace.Site(len(evs) + 1)}
		if k.Spec().Access {
			ev.Size = 8
		}
		evs = append(evs, ev)
	}
	live, next := []trace.G{first, first + 1, first + 2}, first+3
	edges := []trace.Kind{trace.HardAcquire, trace.HardRelease, trace.HardMerge, trace.HardMerge, trace.HardSwap, trace.HardSwap, trace.HardSwap}
	for len(evs) < 150 {
		i := rng.IntN(len(live))
		g := live[i]
		object := trace.Addr(0x100 + 8*rng.IntN(4))
		switch n := rng.IntN(24); {
		case n < 14:
			put(edges[rng.IntN(len(edges))], g, object)
		case n < 17: // a rendezvous
			put(trace.HardRelease, g, object)
			put(trace.HardSwap, live[rng.IntN(len(live))], object)
			put(trace.HardAcquire, g, object)
		case n < 19:
			put(trace.Acquire, g, 0x200)
			put(trace.Release, g, 0x200)
		case n < 20:
			put(trace.RAcquire, g, 0x208)
			put(trace.RRelease, g, 0x208)
		case n < 21 && len(live) < 6:
			evs = append(evs, trace.Event{Kind: trace.Fork, G: g, Other: uint32(next), Site: trace.Site(len(evs) + 1)})
			live = append(live, next)
			next++
		case n < 22 && len(live) > 2:
			if rng.IntN(2) == 0 {
				put(trace.End, g, 0)
			}
			live = append(live[:i], live[i+1:]...)
			if rng.IntN(2) == 0 {
				evs = append(evs, trace.Event{Kind: trace.Join, G: live[rng.IntN(len(live))], Other: uint32(g), Site: trace.Site(len(evs) + 1)})
			}
		default:
			put([]trace.Kind{trace.Read, trace.Write}[rng.IntN(2)], g, trace.Addr(0x1000+8*rng.IntN(2)))
		}
	}
	return evs
}

// TestFewAccesses: the definition holds if goroutines pass on clocks without adding to them, with
// few goroutines, and if the goroutines with accesses come after so many others that their times
// lie in the clocks' trees.
func TestFewAccesses(t *testing.T) {
	races, ordered := 0, 0
	for seed := range uint64(1500) {
		evs := fewAccesses(rand.New(rand.NewPCG(seed, 31)), 2)
		if seed%3 == 0 {
			var others []trace.Event
			for g := range trace.G(70) {
				others = append(others, trace.Event{Kind: trace.Write, G: 1000 + g, Addr: trace.Addr(1<<20 + 8*g), Size: 8})
			}
			evs = append(others, evs...)
		}
		want, pairs := map[oracle.Pair]bool{}, conflicts(evs)
		for _, p := range pairs {
			if !hb.Before(p[1]-p[0]+1, func(i int) *trace.Event { return &evs[p[0]+i] }) { // as TestBeforeIsTheDefinition says
				want[p] = true
			}
		}
		got := oracletest.Run(evs, newHB)
		for p := range got {
			require.True(t, want[p], "seed %d: %v is ordered%s", seed, p, oracletest.Text(evs))
		}
		require.Equal(t, oracle.Seconds(want), oracle.Seconds(got), "seed %d%s", seed, oracletest.Text(evs))
		races += len(want)
		ordered += len(pairs) - len(want)
	}
	require.Greater(t, races, 1000)
	require.Greater(t, ordered, 1000)
	t.Logf("%d pairs race, %d are ordered", races, ordered)
}
