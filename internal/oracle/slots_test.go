package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/trace"
)

// shortLives is a trace of two goroutines that start others, which do a few things and end. When
// one of the two starts the next goroutine, some ends are ordered before that, or only the events
// before the ends, or nothing.
func shortLives(rng *rand.Rand) (evs []trace.Event) {
	put := func(k trace.Kind, g trace.G, a trace.Addr) {
		ev := trace.Event{Kind: k, G: g, Addr: a, Site: trace.Site(len(evs) + 1)}
		if k.Spec().Access {
			ev.Size = 8
		}
		evs = append(evs, ev)
	}
	variable := func() trace.Addr { return trace.Addr(0x1000 + 8*rng.IntN(3)) }
	object := func() trace.Addr { return trace.Addr(0x100 + 8*rng.IntN(3)) }
	next, live := trace.G(3), []trace.G(nil)
	for len(evs) < 56 {
		starter := trace.G(1 + rng.IntN(2))
		switch n := rng.IntN(8); {
		case n < 2 && len(live) < 4:
			evs = append(evs, trace.Event{Kind: trace.Fork, G: starter, Other: uint32(next), Site: trace.Site(len(evs) + 1)})
			live = append(live, next)
			next++
		case n == 2:
			put(trace.HardAcquire, starter, object())
		case n == 3:
			put([]trace.Kind{trace.Read, trace.Write}[rng.IntN(2)], starter, variable())
		case n == 4:
			l := trace.Addr(0x200)
			put(trace.Acquire, starter, l)
			put(trace.Write, starter, variable())
			put(trace.Release, starter, l)
		case len(live) > 0:
			i := rng.IntN(len(live))
			g := live[i]
			for range rng.IntN(3) {
				switch rng.IntN(5) {
				case 0:
					put(trace.HardMerge, g, object())
				case 1:
					put(trace.HardAcquire, g, object())
				case 2:
					put(trace.Acquire, g, 0x200)
					put(trace.Read, g, variable())
					put(trace.Release, g, 0x200)
				default:
					put([]trace.Kind{trace.Read, trace.Write}[rng.IntN(2)], g, variable())
				}
			}
			if rng.IntN(2) == 0 {
				break
			}
			for range rng.IntN(3) {
				put([]trace.Kind{trace.HardMerge, trace.HardMerge, trace.HardRelease}[rng.IntN(3)], g, object())
			}
			put(trace.End, g, 0)
			live = append(live[:i], live[i+1:]...)
		}
	}
	return evs[:min(len(evs), 64)]
}

// TestSlotsGoOn: the definitions hold if goroutines take over the slots of others whose ends are
// not ordered before.
func TestSlotsGoOn(t *testing.T) {
	for seed := range some(uint64(1000)) {
		evs := shortLives(rand.New(rand.NewPCG(seed, 21)))
		want := oracle.HB(evs).Races(evs)
		got := oracletest.Run(evs, newHB)
		for p := range got {
			require.True(t, want[p], "seed %d: hb: %v is ordered%s", seed, p, oracletest.Text(evs))
		}
		require.Equal(t, oracle.Seconds(want), oracle.Seconds(got), "seed %d: hb%s", seed, oracletest.Text(evs))
		want = oracle.WCP(evs).Races(evs)
		for p := range oracletest.Run(evs, newWCP) {
			require.True(t, want[p], "seed %d: wcp: %v is ordered%s", seed, p, oracletest.Text(evs))
		}
	}
}
