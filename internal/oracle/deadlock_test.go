package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// lockTraces are random traces with many sections.
func lockTraces(t *testing.T, n int, each func(seed uint64, evs []trace.Event, truth oracle.Result)) {
	t.Helper()
	for seed := range uint64(n) {
		f := oracle.Features{Locks: true, Fork: seed%2 == 0, RW: seed%3 != 0, HardSections: seed%8 == 5}
		if seed%4 == 3 {
			f = oracle.All
			f.Locks = true
		}
		rng := rand.New(rand.NewPCG(seed, 11))
		evs := oracle.Random(rng, 10+int(seed%18), f)
		evs = released(evs)
		if f.HardSections {
			evs = lookedAt(rng, evs)
		}
		if seed%5 == 4 { // some of the locks are tried
			for i := range evs {
				if evs[i].Kind.Spec().Opens && (uint64(i)+seed)%3 == 0 {
					evs[i].Flags |= trace.FlagTried
				}
			}
		}
		if truth := oracle.Explore(evs, 200_000); truth.Complete {
			each(seed, evs, truth)
		}
	}
}

// lookedAt has a read of the lock before some of the acquires, as package sync has.
func lookedAt(rng *rand.Rand, evs []trace.Event) (with []trace.Event) {
	for _, e := range evs {
		for e.Kind.Spec().Opens && rng.IntN(3) == 0 {
			with = append(with, trace.Event{Kind: trace.Read, G: e.G, Addr: e.Addr, Size: 1})
		}
		with = append(with, e)
	}
	return with
}

// released ends the sections that are open at the end of the trace, by their own goroutines:
// otherwise another goroutine might end them.
func released(evs []trace.Event) []trace.Event {
	type section struct {
		g    trace.G
		lock trace.Addr
		kind trace.Kind
	}
	open := map[section]int{}
	var order []section
	ended := map[trace.G]bool{}
	for _, e := range evs {
		switch e.Kind {
		case trace.Acquire:
			s := section{e.G, e.Addr, trace.Release}
			open[s]++
			order = append(order, s)
		case trace.RAcquire:
			s := section{e.G, e.Addr, trace.RRelease}
			open[s]++
			order = append(order, s)
		case trace.Release, trace.RRelease:
			open[section{e.G, e.Addr, e.Kind}]--
		case trace.Join:
			ended[trace.G(e.Other)] = true
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		if s := order[i]; open[s] > 0 && !ended[s.g] {
			open[s]--
			evs = append(evs, trace.Event{Kind: s.kind, G: s.g, Addr: s.lock})
		}
	}
	return evs
}

// TestDeadlocksAreRight asks for a schedule of every pair of acquisitions: feasible must be a cycle
// of the oracle's, infeasible must not.
func TestDeadlocksAreRight(t *testing.T) {
	var cycles, found, infeasible int
	lockTraces(t, some(5000), func(seed uint64, evs []trace.Event, truth oracle.Result) {
		w := witness.New(evs, witness.Options{})
		for j := range evs {
			for i := range j {
				a, b := &evs[i], &evs[j]
				if a.G == b.G || !a.Kind.Spec().Opens || !b.Kind.Spec().Opens {
					continue
				}
				real := truth.Deadlocks[oracle.Cycle([]int{i, j})]
				if real {
					cycles++
				}
				switch answer := w.Find(goal.Goal{Kind: goal.Deadlock, Events: []int32{int32(i), int32(j)}}); answer.Verdict {
				case witness.Feasible:
					require.True(t, real, "seed %d: %d and %d do not wait for each other after %v%s", seed, i, j, answer.Schedule, oracletest.Text(evs))
					found++
				case witness.Infeasible:
					require.False(t, real, "seed %d: %d and %d wait for each other%s", seed, i, j, oracletest.Text(evs))
					infeasible++
				}
			}
		}
	})
	t.Logf("%d cycles of two, %d with a schedule; %d pairs proven to be none", cycles, found, infeasible)
	require.Greater(t, found*100, cycles*95, "schedules were lost")
	require.Greater(t, cycles, some(60))
	require.Greater(t, infeasible, some(4000))
}

// TestDeadlocksPredicted compares the predictor, with the search for schedules, with the oracle: no
// deadlock is false, and nearly all are predicted whose sections are ended in the trace by their
// own goroutines.
func TestDeadlocksPredicted(t *testing.T) {
	var cycles, proposed, predicted, unknown int
	lockTraces(t, some(20_000), func(seed uint64, evs []trace.Event, truth oracle.Result) {
		got := map[string]bool{}
		w := witness.New(evs, witness.Options{})
		p := predictors.One("deadlock", predict.Config{}, func(c predict.Candidate) {
			g := goal.Goal{Kind: c.Goal}
			var at []int
			for _, e := range c.Events {
				g.Events = append(g.Events, int32(e.Seq))
				at = append(at, int(e.Seq))
			}
			proposed++
			switch w.Find(g).Verdict {
			case witness.Feasible:
				require.True(t, truth.Deadlocks[oracle.Cycle(at)], "seed %d: %v%s", seed, at, oracletest.Text(evs))
				got[oracle.Cycle(at)] = true
			case witness.Unknown:
				unknown++
			}
		})
		for i := range evs {
			p.Event(trace.Seq(i), &evs[i])
		}
		cycles += len(truth.Deadlocks)
		predicted += len(got)
	})
	t.Logf("%d cycles, %d proposed, %d of them predicted, %d unknown", cycles, proposed, predicted, unknown)
	require.Greater(t, predicted*100, cycles*90, "cycles were lost")
}
