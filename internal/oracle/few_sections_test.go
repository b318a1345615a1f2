package oracle_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/trace"
)

// fewSections is a trace of 60 events of goroutines that mostly synchronize by hard edges, of these
// kinds. So their clocks of happens-before and WCP are the same until one of the few sections makes
// them differ. The sections of one of the three locks are hard; if mixed is set, some of each lock.
// Some sections have edges and other sections inside. In between the goroutines access one of two
// variables.
func fewSections(rng *rand.Rand, edges []trace.Kind, mixed bool, first trace.G) (evs []trace.Event) {
	put := func(k trace.Kind, g trace.G, a trace.Addr, flags trace.Flags) {
		ev := trace.Event{Kind: k, G: g, Addr: a, Flags: flags, Site: trace.Site(len(evs) + 1)}
		if k.Spec().Access {
			ev.Size = 8
		}
		evs = append(evs, ev)
	}
	live, next := []trace.G{first, first + 1, first + 2}, first+3
	hard := trace.Addr(0x200 + 8*rng.IntN(3))
	access := func(g trace.G) {
		put([]trace.Kind{trace.Read, trace.Write}[rng.IntN(2)], g, trace.Addr(0x1000+8*rng.IntN(2)), 0)
	}
	edge := func(g trace.G) { put(edges[rng.IntN(len(edges))], g, trace.Addr(0x100+8*rng.IntN(3)), 0) }
	var section func(g trace.G, lock trace.Addr)
	section = func(g trace.G, lock trace.Addr) {
		flags := trace.Flags(0)
		if mixed && rng.IntN(4) == 0 || !mixed && lock == hard {
			flags = trace.FlagHard
		}
		acquire, release := trace.Acquire, trace.Release
		if lock == 0x208 && rng.IntN(2) == 0 {
			acquire, release = trace.RAcquire, trace.RRelease
		}
		put(acquire, g, lock, flags)
		for range rng.IntN(3) {
			switch n := rng.IntN(6); {
			case n < 3:
				access(g)
			case n < 4 && lock < 0x210:
				section(g, lock+8)
			default:
				edge(g)
			}
		}
		put(release, g, lock, 0)
	}
	for len(evs) < 60 {
		i := rng.IntN(len(live))
		g := live[i]
		switch n := rng.IntN(24); {
		case n < 10:
			edge(g)
		case n < 12: // a rendezvous
			object := trace.Addr(0x100 + 8*rng.IntN(3))
			put(trace.HardRelease, g, object, 0)
			put(trace.HardSwap, live[rng.IntN(len(live))], object, 0)
			put(trace.HardAcquire, g, object, 0)
		case n < 16:
			section(g, trace.Addr(0x200+8*rng.IntN(3)))
		case n < 17 && len(live) < 5:
			evs = append(evs, trace.Event{Kind: trace.Fork, G: g, Other: uint32(next), Site: trace.Site(len(evs) + 1)})
			live = append(live, next)
			next++
		case n < 18 && len(live) > 2:
			if rng.IntN(2) == 0 {
				put(trace.End, g, 0, 0)
			}
			live = append(live[:i], live[i+1:]...)
			if rng.IntN(2) == 0 {
				evs = append(evs, trace.Event{Kind: trace.Join, G: live[rng.IntN(len(live))], Other: uint32(g), Site: trace.Site(len(evs) + 1)})
			}
		default:
			access(g)
		}
	}
	return evs[:60]
}

// TestFewSections: WCP is its definition where only some events have an epoch of their own, and
// happens-before and WCP are mostly one vector. Own merges may order more, and so may hard sections
// of a goroutine that had soft ones of the same lock; with these, nothing that is ordered is
// proposed.
func TestFewSections(t *testing.T) {
	single := []trace.Kind{trace.HardAcquire, trace.HardRelease, trace.HardSwap}
	merged := append(single, trace.HardMerge)
	var others []trace.Event
	for g := range trace.G(70) {
		others = append(others, trace.Event{Kind: trace.Write, G: 1000 + g, Addr: trace.Addr(1<<20 + 8*g), Size: 8})
	}
	races, ordered, observed := 0, 0, 0
	for seed := range some(uint64(6000)) {
		edges, mixed := single, seed%5 == 0
		if seed%4 == 0 {
			edges = merged
		}
		evs := fewSections(rand.New(rand.NewPCG(seed, 33)), edges, mixed, 2)
		want := oracle.WCP(evs).Races(evs)
		before := 0
		if seed%3 == 0 {
			before = len(others)
		}
		got := map[oracle.Pair]bool{}
		for p := range oracletest.Run(slices.Concat(others[:before], evs), newWCP) {
			got[oracle.Pair{p[0] - before, p[1] - before}] = true
		}
		for p := range got {
			require.True(t, want[p], "seed %d: %v is ordered%s", seed, p, oracletest.Text(evs))
		}
		if seed%4 != 0 && !mixed {
			require.Equal(t, oracle.Seconds(want), oracle.Seconds(got), "seed %d%s", seed, oracletest.Text(evs))
		}
		races += len(want)
		ordered += len(conflicts(evs)) - len(want)
		observed += len(oracle.HB(evs).Races(evs))
	}
	require.Greater(t, races, observed+some(1000))
	require.Greater(t, ordered, some(1000))
	t.Logf("%d pairs race, %d of them by happens-before, too; %d are ordered", races, observed, ordered)
}
