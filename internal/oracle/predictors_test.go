package oracle_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/trace"
)

func newHB(sink func(predict.Candidate)) predict.Predictor  { return hb.New(predict.Config{}, sink) }
func newWCP(sink func(predict.Candidate)) predict.Predictor { return wcp.New(predict.Config{}, sink) }

// TestBeforeIsTheDefinition: hb.Before, from one access to another, is happens-before by its
// definition.
func TestBeforeIsTheDefinition(t *testing.T) {
	f := oracle.All
	f.Alloc = false // Before forgets locks and objects in reused memory, the definition does not
	var ordered, not int
	for seed := range uint64(600) {
		evs := oracle.Random(rand.New(rand.NewPCG(seed, 9)), 10+int(seed%40), f)
		order := oracle.HB(evs)
		for _, p := range conflicts(evs) {
			want := order.Before(p[0], p[1])
			require.Equal(t, want, hb.Before(p[1]-p[0]+1, func(i int) *trace.Event { return &evs[p[0]+i] }), "seed %d: %v%s", seed, p, oracletest.Text(evs))
			if want {
				ordered++
			} else {
				not++
			}
		}
	}
	require.NotZero(t, ordered)
	require.NotZero(t, not)
}

// TestHBIsTheDefinition: reports of hb are races by definition, and every access that races with an
// earlier one is reported.
func TestHBIsTheDefinition(t *testing.T) {
	for seed := range uint64(2000) {
		f := oracle.All
		f.Lists = seed%2 == 0
		evs := oracle.Random(rand.New(rand.NewPCG(seed, 1)), 10+int(seed%40), f)
		want := oracle.HB(evs).Races(evs)
		got := oracletest.Run(evs, newHB)
		for p := range got {
			require.True(t, want[p], "seed %d: %v is ordered%s", seed, p, oracletest.Text(evs))
		}
		require.Equal(t, oracle.Seconds(want), oracle.Seconds(got), "seed %d%s", seed, oracletest.Text(evs))
	}
}

// TestWideAccesses compares the predictors with the definitions for accesses of whole pages of
// their tables.
func TestWideAccesses(t *testing.T) {
	for seed := range some(uint64(150)) {
		evs := oracle.Random(rand.New(rand.NewPCG(seed, 8)), 10+int(seed%30), oracle.Features{Sizes: true, Wide: true, RW: true, Alloc: seed%2 == 0})
		want := oracle.HB(evs).Races(evs)
		got := oracletest.Run(evs, newHB)
		for p := range got {
			require.True(t, want[p], "seed %d: hb: %v is ordered%s", seed, p, oracletest.Text(evs))
		}
		require.Equal(t, oracle.Seconds(want), oracle.Seconds(got), "seed %d: hb%s", seed, oracletest.Text(evs))
		want = oracle.WCP(evs).Races(evs)
		got = oracletest.Run(evs, newWCP)
		for p := range got {
			require.True(t, want[p], "seed %d: wcp: %v is ordered%s", seed, p, oracletest.Text(evs))
		}
		require.Equal(t, oracle.Seconds(want), oracle.Seconds(got), "seed %d: wcp%s", seed, oracletest.Text(evs))
	}
}

// TestWCPIsTheDefinition does the same for WCP, where the definition reaches.
func TestWCPIsTheDefinition(t *testing.T) {
	for name, f := range map[string]oracle.Features{
		"paper":           {},
		"fork":            {Fork: true},
		"sizes":           {Fork: true, Sizes: true, Atomic: true, Alloc: true},
		"rw":              {RW: true},
		"opaque":          {Opaque: true, RW: true},
		"unseen":          {Fork: true, RW: true, Unseen: true, Atomic: true, Pins: true},
		"unseen sections": {Fork: true, RW: true, Locks: true, UnseenSections: true},
		"unseen and hard": {Fork: true, RW: true, Locks: true, UnseenSections: true, HardSections: true, Hard: true},
		"update":          {Fork: true, RW: true, Updates: true},
		"lists":           {RW: true, Lists: true, Locks: true},
		"parts":           {RW: true, Updates: true, Sizes: true, Locks: true},
		"edges":           {Fork: true, RW: true, Hard: true, Pins: true, HardSections: true, Opaque: true, Sizes: true},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range some(uint64(1200)) {
				evs := oracle.Random(rand.New(rand.NewPCG(seed, 2)), 10+int(seed%45), f)
				want := withoutExclusive(oracle.WCP(evs).Races(evs), evs)
				got := oracletest.Run(evs, newWCP)
				for p := range got {
					require.True(t, want[p], "seed %d: %v is ordered%s", seed, p, oracletest.Text(evs))
				}
				// There, merges of its own may order more, and a part may subsume a write in whose
				// place it is no candidate (wcp/W14).
				if name != "edges" && name != "unseen" && name != "unseen and hard" && name != "lists" {
					require.Equal(t, oracle.Seconds(want), oracle.Seconds(got), "seed %d%s", seed, oracletest.Text(evs))
				}
			}
		})
	}
}

// withoutExclusive takes wcp/W13 and W14 off the races: pairs of plain unseen writes of the same
// bytes, if all such writes of them so far lie in write sections of one lock, and of parts of
// appends to lists.
func withoutExclusive(races map[oracle.Pair]bool, evs []trace.Event) map[oracle.Pair]bool {
	type variable struct {
		locks []trace.Addr
		size  uint32
	}
	held := map[trace.G][]trace.Addr{}
	variables := map[trace.Addr]*variable{}
	excluded := map[int]bool{}
	update := func(ev *trace.Event) bool {
		return ev.Kind == trace.Write && ev.Unseen() && ev.Flags&trace.FlagAtomic == 0
	}
	for i := range evs {
		ev := &evs[i]
		locks := held[ev.G]
		switch {
		case ev.Kind == trace.Acquire:
			held[ev.G] = append(locks, ev.Addr)
		case ev.Kind == trace.Release:
			held[ev.G] = slices.DeleteFunc(slices.Clone(locks), func(l trace.Addr) bool { return l == ev.Addr })
		case ev.Kind == trace.Alloc:
			for a := range variables {
				if a >= ev.Addr && a < ev.Addr+trace.Addr(ev.Size) {
					delete(variables, a)
				}
			}
		case update(ev):
			v := variables[ev.Addr]
			if v == nil {
				v = &variable{size: ev.Size, locks: slices.Clone(locks)}
				variables[ev.Addr] = v
			}
			v.locks = slices.DeleteFunc(v.locks, func(l trace.Addr) bool { return v.size != ev.Size || !slices.Contains(locks, l) })
			excluded[i] = len(v.locks) > 0
		}
	}
	for p := range races {
		a, b := &evs[p[0]], &evs[p[1]]
		if a.AppendPart() && b.AppendPart() || update(a) && update(b) && a.Addr == b.Addr && a.Size == b.Size && excluded[p[1]] {
			delete(races, p)
		}
	}
	return races
}

// TestManySlots: the definitions hold when the trace's goroutines come after so many others that
// their clocks' times lie in the clocks' trees (package vclock).
func TestManySlots(t *testing.T) {
	const others = 70 // goroutines that have nothing to do with the trace's, and an access of their own
	const before = 2 * others
	var forks []trace.Event
	for g := range uint32(others) {
		forks = append(forks, trace.Event{Kind: trace.Fork, G: 1000, Other: 1001 + g},
			trace.Event{Kind: trace.Write, G: trace.G(1001 + g), Addr: trace.Addr(1<<20 + 8*g), Size: 8})
	}
	for seed := range uint64(400) {
		f := oracle.Features{RW: true, Hard: seed%2 == 0, Sizes: true, Atomic: true, Alloc: true, Fork: seed%3 == 0}
		evs := oracle.Random(rand.New(rand.NewPCG(seed, 11)), 10+int(seed%40), f)
		check := func(name string, want map[oracle.Pair]bool, create func(func(predict.Candidate)) predict.Predictor, all bool) {
			got := map[oracle.Pair]bool{}
			for p := range oracletest.Run(slices.Concat(forks, evs), create) {
				got[oracle.Pair{p[0] - before, p[1] - before}] = true
			}
			for p := range got {
				require.True(t, want[p], "seed %d: %s: %v is ordered%s", seed, name, p, oracletest.Text(evs))
			}
			if all {
				require.Equal(t, oracle.Seconds(want), oracle.Seconds(got), "seed %d: %s%s", seed, name, oracletest.Text(evs))
			}
		}
		check("hb", oracle.HB(evs).Races(evs), newHB, true)
		check("wcp", oracle.WCP(evs).Races(evs), newWCP, !f.Hard) // there own merges may order more
	}
}
