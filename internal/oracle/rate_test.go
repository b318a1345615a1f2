package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/syncrev"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/witness"
)

// TestWitnessRate counts, by the number of events, how many of the candidates of WCP and the
// sync-reversal extension that the oracle has as races get a witness within limit states of the
// search. Traces the oracle cannot see the end of are counted apart.
func TestWitnessRate(t *testing.T) {
	const limit = 2_000 // some 50 ms
	kinds := []struct {
		name string
		f    oracle.Features
	}{
		{"paper", oracle.Features{}},
		{"locks", oracle.Features{Locks: true, NonLIFO: true}},
		{"locks, fork, read mode", oracle.Features{Locks: true, Fork: true, RW: true}},
		{"everything", oracle.All},
	}
	var all, proven int
	for _, kind := range kinds {
		for n := 20; n <= 60; n += 10 {
			var races, found, searched, slow, unknown, open int
			var longest time.Duration
			for seed := range some(uint64(32)) {
				evs := oracle.Random(rand.New(rand.NewPCG(seed, uint64(n))), n, kind.f)
				truth := oracle.Explore(evs, 60_000)
				if !truth.Complete {
					open++
					continue
				}
				pairs := oracletest.Run(evs, func(f func(predict.Candidate)) predict.Predictor {
					return syncrev.New(predict.Config{Complete: true, PerClass: 8}, f)
				})
				for p := range oracletest.Run(evs, func(f func(predict.Candidate)) predict.Predictor { return wcp.New(predict.Config{}, f) }) {
					pairs[p] = true
				}
				start := time.Now()
				f := witness.New(evs, witness.Options{})
				prepared := time.Since(start)
				for p := range pairs {
					if !truth.Races[p] {
						continue
					}
					races++
					start := time.Now()
					a := f.Find(goal.RaceOf(int32(p[0]), int32(p[1])))
					took := time.Since(start) + prepared
					longest = max(longest, took)
					switch {
					case a.Verdict != witness.Feasible:
						require.Equal(t, witness.Unknown, a.Verdict, "seed %d: %v%s", seed, p, oracletest.Text(evs))
						unknown++
					case a.States > limit:
						slow++
					default:
						found++
					}
					if a.States > 0 {
						searched++
					}
				}
			}
			all += races
			proven += found
			t.Logf("%-24s %2d events: %5d races, %5d with a witness (%s), %3d of them took a search; %d unknown, %d too slow, longest %v; %d traces too large for the oracle",
				kind.name, n, races, found, percent(found, races), searched, unknown, slow, longest.Round(time.Microsecond), open)
			require.GreaterOrEqual(t, found*100, races*95)
		}
	}
	t.Logf("%d of %d (%s)", proven, all, percent(proven, all))
}

func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f %%", 100*float64(n)/float64(of))
}
