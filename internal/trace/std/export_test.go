package std_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/std"
)

// races lists a trace's races by their sites, which the export keeps.
func races(evs []trace.Event, pairs map[oracle.Pair]bool) []string {
	var list []string
	for p := range pairs {
		a, b := evs[p[0]].Site, evs[p[1]].Site
		list = append(list, fmt.Sprintf("%d-%d", min(a, b), max(a, b)))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func export(t *testing.T, evs []trace.Event) (text string, back []trace.Event) {
	t.Helper()
	var b strings.Builder
	require.NoError(t, std.Export(&b, evs), show(evs))
	back, err := trace.ParseSTD(strings.NewReader(b.String()))
	require.NoError(t, err, b.String())
	return b.String(), back
}

func show(evs []trace.Event) string {
	var b strings.Builder
	_ = trace.Print(&b, evs)
	return b.String()
}

// maxStates bounds an exploration; traces that need more are skipped, and counted.
const maxStates = 60_000

// TestExportHasTheSameRaces compares, on random traces, the predictable races of a trace with those
// of its export: they are the same, by the definition.
func TestExportHasTheSameRaces(t *testing.T) {
	for name, f := range map[string]oracle.Features{
		"locks":        {NonLIFO: true},
		"fork":         {Fork: true},
		"rw":           {RW: true, Fork: true},
		"hard":         {Hard: true, Fork: true},
		"pins":         {Pins: true},
		"opaque":       {Opaque: true, RW: true},
		"atomic":       {Atomic: true},
		"tryfail":      {TryFail: true, RW: true},
		"hardsections": {HardSections: true, RW: true},
		"all":          {Fork: true, RW: true, Hard: true, Pins: true, Opaque: true, TryFail: true, HardSections: true, NonLIFO: true, Atomic: true},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			compared, racy := 0, 0
			for range 150 {
				evs := oracle.Random(rng, 12+rng.IntN(8), f)
				want := oracle.Explore(evs, maxStates)
				text, back := export(t, evs)
				got := oracle.Explore(back, maxStates)
				if !want.Complete || !got.Complete {
					continue
				}
				compared++
				list := races(evs, want.Races)
				if len(list) > 0 {
					racy++
				}
				require.Equal(t, list, races(back, got.Races), "%s\n----\n%s", show(evs), text)
			}
			require.Greater(t, compared, 100, "too many traces are too large")
			require.Greater(t, racy, 20)
		})
	}
}

// TestExportInventsNoRace is for what the export has to be stricter about: sections that another
// goroutine ends.
func TestExportInventsNoRace(t *testing.T) {
	f := oracle.All
	f.Alloc, f.Sizes, f.Lists = false, false, true
	compare(t, f, func(want, got []string) bool {
		return !slices.ContainsFunc(got, func(p string) bool { return !slices.Contains(want, p) })
	})
}

// TestExportOfUnobservedObjects is (S7): unseen Changes order nothing as long as their object is
// not observed, such as the number of goroutines.
func TestExportOfUnobservedObjects(t *testing.T) {
	const object = 2
	evs := []trace.Event{
		{Kind: trace.Write, G: 1, Addr: 64, Size: 8, Site: 1},
		{Kind: trace.Change, G: 1, Addr: object, Flags: trace.FlagUnseen},
		{Kind: trace.Change, G: 2, Addr: object, Flags: trace.FlagUnseen},
		{Kind: trace.Write, G: 2, Addr: 64, Size: 8, Site: 2},
	}
	for _, looks := range []bool{false, true} {
		if looks {
			evs[2] = trace.Event{Kind: trace.Observe, G: 2, Addr: object}
		}
		text, back := export(t, evs)
		want, got := oracle.Explore(evs, maxStates), oracle.Explore(back, maxStates)
		require.Len(t, want.Races, map[bool]int{false: 1, true: 0}[looks])
		require.Equal(t, races(evs, want.Races), races(back, got.Races), text)
	}
}

// TestExportOfWideAccesses is for accesses that overlap in part: half done they may race with more.
func TestExportOfWideAccesses(t *testing.T) {
	f := oracle.All
	f.Alloc = false
	compare(t, f, func(want, got []string) bool { return len(want) > 0 || len(got) == 0 })
}

func compare(t *testing.T, f oracle.Features, good func(want, got []string) bool) {
	rng := rand.New(rand.NewPCG(3, 4))
	compared := 0
	for range 300 {
		evs := oracle.Random(rng, 12+rng.IntN(8), f)
		want := oracle.Explore(evs, maxStates)
		text, back := export(t, evs)
		got := oracle.Explore(back, maxStates)
		if want.Complete && got.Complete {
			compared++
			require.True(t, good(races(evs, want.Races), races(back, got.Races)), "%s\n----\n%s", show(evs), text)
		}
	}
	require.Greater(t, compared, 150)
}
