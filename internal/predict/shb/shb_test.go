package shb_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/shb"
	"github.com/racepred/racepred/internal/trace"
)

func run(evs []trace.Event, cfg predict.Config) map[oracle.Pair]bool {
	return oracletest.Run(evs, func(sink func(predict.Candidate)) predict.Predictor { return shb.New(cfg, sink) })
}

// races are the pairs that the relation leaves unordered; what the later access itself reads does
// not order it.
func races(evs []trace.Event) map[oracle.Pair]bool {
	all := map[oracle.Pair]bool{}
	for j := range evs {
		if !evs[j].Kind.Spec().Access {
			continue
		}
		known := append(append([]trace.Event{}, evs[:j]...), evs[j])
		known[j].Kind = trace.Write // in place of a Read, which would come after its writer
		r := oracle.SHB(known)
		for i := range j {
			if trace.Conflict(&evs[i], &evs[j]) && !r.Before(i, j) {
				all[oracle.Pair{i, j}] = true
			}
		}
	}
	return all
}

// TestIsTheDefinition: the same later accesses race as by the definition, and each pair is one of
// the definition's.
func TestIsTheDefinition(t *testing.T) {
	for name, f := range map[string]oracle.Features{
		"paper":                  {},
		"fork and join":          {Fork: true},
		"locks that do not nest": {NonLIFO: true},
		"read mode":              {RW: true, Fork: true},
		"sizes":                  {Sizes: true, Atomic: true},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			for seed := range uint64(800) {
				evs := oracle.Random(rand.New(rand.NewPCG(seed, 42)), 10+int(seed%45), f)
				want, got := races(evs), run(evs, predict.Config{Complete: true})
				for p := range got {
					require.True(t, want[p], "seed %d: %v is ordered%s", seed, p, oracletest.Text(evs))
				}
				require.Equal(t, oracle.Seconds(want), oracle.Seconds(got), "seed %d%s", seed, oracletest.Text(evs))
				n += len(got)
			}
			require.NotZero(t, n)
		})
	}
}

// TestAllAreSchedulable: with everything Go has in the traces, what is reported are races of the
// oracle's.
func TestAllAreSchedulable(t *testing.T) {
	n := 0
	for seed := range uint64(1200) {
		evs := oracle.Random(rand.New(rand.NewPCG(seed, 43)), 10+int(seed%20), oracle.All)
		truth := oracle.Explore(evs, 200_000)
		if !truth.Complete {
			continue
		}
		for p := range run(evs, predict.Config{Complete: true}) {
			require.True(t, truth.Races[p], "seed %d: %v is not schedulable%s", seed, p, oracletest.Text(evs))
			n++
		}
	}
	t.Logf("%d races, all of them schedulable", n)
	require.NotZero(t, n)
}

// TestReadsFrom: the second race of a run is one only if it does not depend on the first.
func TestReadsFrom(t *testing.T) {
	for _, c := range []struct {
		text string
		want map[oracle.Pair]bool
	}{
		{"g1 write y\n g1 write x\n g2 read x\n g2 write y", map[oracle.Pair]bool{{1, 2}: true}},
		{"g1 write y\n g1 write x\n g2 write x\n g2 write y", map[oracle.Pair]bool{{1, 2}: true, {0, 3}: true}},
	} {
		evs, err := trace.Parse(c.text)
		require.NoError(t, err)
		require.Equal(t, c.want, run(evs, predict.Config{Complete: true}))
	}
}

// TestOverlappingUpdates: unseen stores of the same bytes may trade places, those that overlap
// otherwise may not.
func TestOverlappingUpdates(t *testing.T) {
	update := func(g trace.G, size uint32) trace.Event {
		return trace.Event{Kind: trace.Write, G: g, Addr: 0x1000, Size: size, Flags: trace.FlagAtomic | trace.FlagUnseen}
	}
	for size, want := range map[uint32]map[oracle.Pair]bool{8: {{1, 4}: true}, 4: {}} {
		evs := []trace.Event{
			{Kind: trace.Fork, G: 1, Other: 2},
			{Kind: trace.Read, G: 1, Addr: 0x1040, Size: 8},
			update(1, 8),
			update(2, size),
			{Kind: trace.Write, G: 2, Addr: 0x1040, Size: 8},
		}
		require.Equal(t, want, run(evs, predict.Config{}), oracletest.Text(evs))
		require.Equal(t, len(want) > 0, oracle.Explore(evs, 1<<16).Races[oracle.Pair{1, 4}], oracletest.Text(evs))
	}
	// The third one has the bytes of the second one, but not of the first one.
	evs := []trace.Event{
		{Kind: trace.Fork, G: 1, Other: 2},
		{Kind: trace.Fork, G: 1, Other: 3},
		{Kind: trace.Read, G: 1, Addr: 0x1040, Size: 8},
		update(1, 8),
		update(2, 4),
		update(3, 4),
		{Kind: trace.Write, G: 3, Addr: 0x1040, Size: 8},
	}
	require.Empty(t, run(evs, predict.Config{}), oracletest.Text(evs))
}
