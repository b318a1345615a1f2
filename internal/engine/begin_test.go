package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// earlier is a test on g2 that main, g1, waits for. Its goroutines g3 and g4 race on flag; g3 then
// saw something.
const earlier = `
	g1 fork g2
	g2 testbegin 1
	g2 fork g3
	g2 fork g4
	g3 read flag
	g4 write flag
	g4 hardmerge done
	g3 hardmerge done
	g2 hardacquire done
	g2 hardmerge over
	g1 hardacquire over`

// later is a test on g5 in which figure 1b of the WCP paper hides a race of g6 and g7 on y, which
// flag's reader only starts.
const later = `
	g1 fork g5
	g5 testbegin 2
	g5 fork g6
	g5 fork g7
	g6 write y
	g6 acquire l
	g6 read x
	g6 release l
	g7 acquire l
	g7 read x
	g7 release l
	g7 read y`

func verdicts(found []engine.Finding) (v []report.Verdict) {
	for _, f := range found {
		v = append(v, f.Verdict)
	}
	return v
}

func TestARaceOfAnEarlierTestHidesNothing(t *testing.T) {
	found, _ := feed(engine.Config{}, parse(t, earlier+later))
	require.Equal(t, []report.Verdict{report.Observed, report.Predicted}, verdicts(found))
	require.Equal(t, 0, found[1].Skipped)
	for _, ev := range found[1].Witness {
		require.GreaterOrEqual(t, ev.Ev.G, found[1].Witness[0].Ev.G, "the schedule begins with the test, on g5")
	}
}

// TestARaceAcrossTheBeginningOfATest: g3 goes on after its test, and races with what it did not
// wait for.
func TestARaceAcrossTheBeginningOfATest(t *testing.T) {
	left := `
	g1 fork g2
	g2 testbegin 1
	g2 fork g3
	g3 read flag
	g3 hardmerge ready
	g2 hardacquire ready
	g2 hardmerge over
	g1 hardacquire over`
	late := map[string]string{
		// (G1): by the time of the test all is quiet, but g3 writes x, which the test's goroutines
		// read.
		"a leftover goroutine races with the test": `
	g3 write x`,
	}
	for name, end := range late {
		t.Run(name, func(t *testing.T) {
			found, _ := feed(engine.Config{}, parse(t, left+later+end))
			require.NotContains(t, verdicts(found), report.Predicted)
			require.Contains(t, verdicts(found), report.Observed)
		})
	}
	// Without that write, it is predicted.
	found, _ := feed(engine.Config{}, parse(t, left+later))
	require.Equal(t, []report.Verdict{report.Predicted}, verdicts(found))
}

// TestABeginningThatIsNotQuiet: when the test begins, not all is quiet: no goroutine waited for the
// earlier test's g4, which wrote flag. g6 reads flag in the later test, so the race reaches across
// the beginning.
func TestABeginningThatIsNotQuiet(t *testing.T) {
	restless := `
	g1 fork g2
	g2 testbegin 1
	g2 fork g4
	g4 write flag
	g2 hardmerge over
	g1 hardacquire over`
	reads := `
	g1 fork g5
	g5 testbegin 2
	g5 fork g6
	g5 fork g7
	g6 write y
	g6 acquire l
	g6 read x
	g6 release l
	g7 read flag
	g7 acquire l
	g7 read x
	g7 release l
	g7 read y`
	found, _ := feed(engine.Config{}, parse(t, restless+reads))
	require.NotContains(t, verdicts(found), report.Predicted)
}

// standing puts repeats of plain accesses into a trace, later in their spans. They are never
// recorded.
func standing(rng *rand.Rand, evs []trace.Event) (all []trace.Event, repeats []bool) {
	last := map[trace.G][]trace.Event{}
	for _, ev := range evs {
		if rng.IntN(3) == 0 { // another goroutine repeats an access of its span here
			g := trace.G(1 + rng.IntN(4))
			if span := last[g]; len(span) > 0 && g != ev.G {
				all, repeats = append(all, span[rng.IntN(len(span))]), append(repeats, true)
			}
		}
		all, repeats = append(all, ev), append(repeats, false)
		switch spec := ev.Kind.Spec(); {
		case ev.Kind == trace.Alloc: // accesses of the earlier life are over
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

// displaced is a trace as a recorder has it: without repeats, and with accesses anywhere among
// those of others, and earlier in their spans than they happened, since they have no ticket of
// their own and are recorded before they happen. at are the places in evs.
func displaced(rng *rand.Rand, evs []trace.Event, repeats []bool) (kept []trace.Event, at []int) {
	kept, at = recorded(evs, repeats)
	for range 2 * len(kept) {
		i := rng.IntN(len(kept) - 1)
		a, b := &kept[i], &kept[i+1]
		if a.G != b.G && b.Kind.Spec().Access && a.Kind != trace.Alloc && !spansFrom(a, b.G) && a.Flags&b.Flags&trace.FlagAtomic == 0 {
			kept[i], kept[i+1] = kept[i+1], kept[i]
			at[i], at[i+1] = at[i+1], at[i]
		}
	}
	return kept, at
}

// spansFrom reports whether the event begins or ends a span of that goroutine's.
func spansFrom(ev *trace.Event, g trace.G) bool {
	return (ev.Kind == trace.Fork || ev.Kind == trace.Join) && trace.G(ev.Other) == g
}

// TestSchedulesBeginAnywhere: from any place of a recording, whatever is found there is a race of
// the run, though the recording has accesses that race in another order, and is without repeats.
func TestSchedulesBeginAnywhere(t *testing.T) {
	predicted, missed, refused := 0, 0, map[string]int{}
	for seed := range uint64(some(1500)) {
		rng := rand.New(rand.NewPCG(seed, 21))
		f := oracle.All
		f.Lists = seed%8 == 0
		if seed%4 > 0 {
			f = oracle.Features{Locks: true, Fork: true, Hard: seed%2 == 0, RW: true, Lists: seed%4 == 1}
		}
		evs, repeats := standing(rng, oracle.Random(rng, 12+rng.IntN(24), f))
		truth := oracle.Explore(evs, 100_000)
		if !truth.Complete {
			continue
		}
		kept, at := displaced(rng, evs, repeats)
		goesOn := seed%3 == 0
		to := len(kept)
		if goesOn {
			to -= rng.IntN(len(kept) / 3)
		}
		e := engine.New(engine.Config{SearchStates: 200}, func(engine.Finding) {})
		for _, ev := range kept[:to] {
			e.Event(ev)
		}
		final := map[int]map[oracle.Pair]bool{} // by beginning, those to which it says that no earlier one has an answer
		for from := to - 1; from >= 0; from-- {
			w := e.Midway(trace.Seq(from), trace.Seq(to), goesOn)
			for i := from; i < to; i++ {
				for j := i + 1; j < to; j++ {
					if !trace.Conflict(&kept[i], &kept[j]) {
						continue
					}
					real := truth.Races[oracle.Pair{min(at[i], at[j]), max(at[i], at[j])}]
					switch a := w.Find(goal.RaceOf(int32(i-from), int32(j-from))); {
					case a.Verdict == witness.Feasible:
						predicted++
						for later, pairs := range final {
							require.False(t, later > from && pairs[oracle.Pair{i, j}], "seed %d: from %d, %d and %d, which from %d was final\n%v", seed, from, i, j, later, kept)
						}
						if !real {
							var all strings.Builder
							for k, ev := range evs {
								fmt.Fprintln(&all, k, ev, repeats[k])
							}
							require.True(t, real, "seed %d: from %d, %d and %d (%d and %d of the run)\n%v\n%v", seed, from, i, j, at[i], at[j], kept, all.String())
						}
					case real:
						if a.Verdict == witness.Infeasible {
							t.Errorf("seed %d: from %d, %d and %d are infeasible; seen %d\n%v", seed, from, i, j, to, kept)
						}
						if a.Final {
							if final[from] == nil {
								final[from] = map[oracle.Pair]bool{}
							}
							final[from][oracle.Pair{i, j}] = true
						}
						missed++
						refused[a.Reason]++
					}
				}
			}
		}
	}
	t.Log(predicted, missed, refused)
	require.Greater(t, predicted, some(5_000))
	require.Positive(t, refused[witness.OpenSpan])
}
