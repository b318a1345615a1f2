package oracle_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// part is the part of a run that a Finder has: the events from lo to before hi.
type part struct{ lo, hi int }

func (p part) finder(evs []trace.Event) *witness.Finder {
	return witness.New(evs[p.lo:p.hi], witness.Options{Before: p.lo > 0, After: p.hi < len(evs)})
}

// TestAnswersOfParts compares the answers of a Finder that has a run, or a part of it, with all
// reorderings of the run: a schedule of the part is one of the run, with the events before the part
// first, and an infeasible goal is infeasible in the run. Traces have many sections, or events of
// all kinds.
func TestAnswersOfParts(t *testing.T) {
	type totals struct{ races, found, infeasible int }
	kinds := map[string]*totals{"whole": {}, "ends with the second access": {}, "ends later": {}, "begins later": {}, "both": {}}
	seeds := some(uint64(3000))
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 70))
		var evs []trace.Event
		if seed%4 == 0 {
			f := oracle.All
			f.Lists = seed%8 == 0
			evs = oracle.Random(rng, 10+int(seed%16), f)
		} else {
			evs = oracle.Sections(rng, int(seed%16))
		}
		truth := oracle.Explore(evs, 60_000)
		if !truth.Complete {
			continue
		}
		before := make([]int, len(evs))
		for i := range evs {
			before[i] = i
		}
		for _, p := range conflicts(evs) {
			hi := p[1] + 1 + rng.IntN(len(evs)-p[1])
			for name, part := range map[string]part{
				"whole": {0, len(evs)}, "ends with the second access": {0, p[1] + 1}, "ends later": {0, hi},
				"begins later": {rng.IntN(p[0] + 1), len(evs)}, "both": {rng.IntN(p[0] + 1), hi},
			} {
				a := part.finder(evs).Find(goal.RaceOf(int32(p[0]-part.lo), int32(p[1]-part.lo)))
				n := kinds[name]
				if truth.Races[p] {
					n.races++
				}
				switch a.Verdict {
				case witness.Feasible:
					n.found++
					schedule := slices.Clone(before[:part.lo])
					for _, i := range a.Schedule {
						schedule = append(schedule, part.lo+int(i))
					}
					races, ok := oracle.Correct(evs, schedule)
					require.True(t, ok && races[p], "seed %d, %s: %v of %v has no witness, not %v%s", seed, name, p, part, schedule, oracletest.Text(evs))
				case witness.Infeasible:
					n.infeasible++
					require.False(t, truth.Races[p], "seed %d, %s: %v of %v is feasible%s", seed, name, p, part, oracletest.Text(evs))
				}
			}
		}
	}
	for name, n := range kinds {
		t.Logf("%-28s %d races, %d found, %d infeasible", name, n.races, n.found, n.infeasible)
		require.NotZero(t, n.infeasible, name)
		require.Greater(t, n.found*2, n.races, name)
	}
	whole := kinds["whole"]
	require.Greater(t, whole.found*100, whole.races*99)
}
