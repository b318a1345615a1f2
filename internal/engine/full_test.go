package engine_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// standing puts repeats of plain accesses into a trace, later in their spans. They are never recorded.
func standing(rng *rand.Rand, evs []trace.Event) (all []trace.Event, repeats []bool) {
	last := map[trace.G][]trace.Event{}
	for _, ev := range evs {
		if rng.IntN(3) == 0 { // somebody repeats something just now
			g := trace.G(1 + rng.IntN(4))
			if span := last[g]; len(span) > 0 && g != ev.G {
				all, repeats = append(all, span[rng.IntN(len(span))]), append(repeats, true)
			}
		}
		all, repeats = append(all, ev), append(repeats, false)
		switch spec := ev.Kind.Spec(); {
		case ev.Kind == trace.Alloc: // nobody accesses what was there any more
			clear(last)
		case spec.EndsSpan:
			last[ev.G] = nil
			if ev.Kind == trace.Join {
				last[trace.G(ev.Other)] = nil
			}
		case spec.Access && ev.Flags == 0:
			last[ev.G] = append(last[ev.G], ev)
		}
	}
	return all, repeats
}

// sparsely leaves out of a random stretch of a trace, and sometimes of another, what a recorder may leave out there, and
// repeats everywhere. at are the places in the whole trace of what stays, -1 for the ends of the stretches.
func sparsely(rng *rand.Rand, evs []trace.Event, repeats []bool) (kept []trace.Event, at []int) {
	first := rng.IntN(len(evs) / 2)
	sparse, partial := false, false
	skipped := map[trace.G]bool{} // left something out since they last synchronized
	var waits map[trace.G]bool
	mark := func(k trace.Kind, g trace.G) {
		kept, at = append(kept, trace.Event{Kind: k, G: g}), append(at, -1)
		partial = k == trace.Sparse
	}
	for i, ev := range evs {
		switch {
		case !sparse && !partial && (i == first || rng.IntN(40) == 0):
			mark(trace.Sparse, ev.G)
			sparse = true
		case sparse && rng.IntN(4) == 0:
			sparse = false
			waits = maps.Clone(skipped)
		}
		spec := ev.Kind.Spec()
		if spec.EndsSpan {
			delete(skipped, ev.G)
			delete(waits, ev.G)
		}
		if !sparse && partial && len(waits) == 0 {
			mark(trace.Full, ev.G)
		}
		switch {
		case repeats[i]:
		case sparse && (spec.Access && ev.Flags == 0 || spec.Pin || ev.Kind == trace.Opaque) && rng.IntN(4) > 0:
			skipped[ev.G] = true
		default:
			kept, at = append(kept, ev), append(at, i)
		}
	}
	return kept, at
}

// TestWhatIsMissingMisleadsNobody compares what is found in traces with sparse parts with what races in the whole of them.
func TestWhatIsMissingMisleadsNobody(t *testing.T) {
	found := map[report.Verdict]int{}
	after := 0 // predictions behind a sparse part
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 12))
		f := oracle.All
		if seed%4 > 0 {
			f = oracle.Features{Locks: true, Fork: true}
		}
		evs := oracle.Random(rng, 12+rng.IntN(24), f)
		evs, repeats := standing(rng, evs)
		truth := oracle.Explore(evs, 100_000)
		if !truth.Complete {
			continue
		}
		hb := oracle.HB(evs).Races(evs)
		kept, at := sparsely(rng, evs, repeats)
		e := engine.New(engine.Config{}, func(f engine.Finding) {
			found[f.Verdict]++
			if f.Verdict == report.Possible {
				return
			}
			races := truth.Races
			if f.Verdict == report.Observed {
				races = hb
			}
			require.True(t, races[oracle.Pair{at[f.First.Seq], at[f.Second.Seq]}], "seed %d: %v of %d and %d\n%v", seed, f.Verdict, f.First.Seq, f.Second.Seq, kept)
			for _, w := range at[:f.First.Seq] {
				if f.Verdict == report.Predicted && w < 0 {
					after++
					break
				}
			}
		})
		for _, ev := range kept {
			e.Event(ev)
		}
		e.Flush()
	}
	t.Log(found, after)
	require.Greater(t, found[report.Observed], 300)
	require.Greater(t, after, 10)
}

// TestPredictorsBeginAnew: counts of predictors that were replaced are not lost, and a pair across a sparse part is not predicted.
func TestPredictorsBeginAnew(t *testing.T) {
	race := `
	g1 write y
	g1 acquire l
	g1 read x
	g1 release l
	%
	g2 acquire l
	g2 read x
	g2 release l
	g2 read y`
	for part, want := range map[string]int{"": 1, "g1 sparse\ng1 full": 0} {
		text := "g1 fork g2\n"
		for _, c := range race {
			if c == '%' {
				text += part
				continue
			}
			text += string(c)
		}
		found, stats := feed(engine.Config{}, parse(t, text))
		require.Len(t, found, want, text)
		require.Len(t, stats.Rules, 5, "each rule of HB and WCP once")
	}
	_, stats := feed(engine.Config{}, parse(t, `
	g1 fork g2
	g1 acquire l
	g1 write x
	g1 release l
	g2 acquire l
	g2 read x
	g2 release l
	g1 sparse`))
	require.Equal(t, "rule a", stats.Rules[2].Rule)
	require.Positive(t, stats.Rules[2].Fired)
}

// TestSchedulesBeginBehindWhatIsMissing: g1 wrote x in its section, which was left out, and g2 read that; so g2's section cannot
// come first.
func TestSchedulesBeginBehindWhatIsMissing(t *testing.T) {
	const run = `
	g1 fork g2
	%s
	g1 acquire l
	%s
	g1 write y
	g1 release l
	g2 acquire l
	g2 read x
	g2 release l
	g2 read y`
	for _, c := range []struct {
		before, behind string
		predicted      bool
	}{
		{"g1 sparse", "g1 full", false},
		{"", "g1 write x", false},
		{"", "", true},
	} {
		found, _ := feed(engine.Config{Predictors: engine.Predictors}, parse(t, fmt.Sprintf(run, c.before, c.behind)))
		require.Equal(t, c.predicted, slices.Contains(verdicts(found), report.Predicted), "%v", c)
	}
}

// TestFirstSynchronizationsKeepTheirPlace: behind the beginning, g1 writes x once more, which its write before stands for. g2 reads that, so its
// section cannot come first (P10 of package witness). When g1 has synchronized before, nothing can be missing.
func TestFirstSynchronizationsKeepTheirPlace(t *testing.T) {
	const run = `
	g1 fork g2
	g2 hardmerge o
	g1 sparse
	g1 write x
	g1 full
	g2 hardmerge o
	%s
	g1 write y
	g1 acquire l
	g1 release l
	g2 acquire l
	g2 release l
	g2 read x
	g2 read y`
	for between, want := range map[string]report.Verdict{"": report.Possible, "g1 hardmerge o": report.Predicted} {
		found, _ := feed(engine.Config{}, parse(t, fmt.Sprintf(run, between)))
		require.Contains(t, verdicts(found), want, between)
	}
}
