package engine_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// TestDeferredAgreesWithTheOracle gives the engine no budget, and what it leaves open to Search, on
// random traces without their repeats.
func TestDeferredAgreesWithTheOracle(t *testing.T) {
	left, predicted, never := 0, 0, 0
	for seed := range uint64(some(1500)) {
		rng := rand.New(rand.NewPCG(seed, 14))
		f := oracle.All
		if seed%3 > 0 {
			f = oracle.Features{Locks: true, Fork: true}
		}
		evs, repeats := standing(rng, oracle.Random(rng, 12+rng.IntN(24), f))
		truth := oracle.Explore(evs, 100_000)
		if !truth.Complete {
			continue
		}
		kept, at := recorded(evs, repeats)
		var open []*engine.DeferredSearch
		e := engine.New(engine.Config{
			SearchStates: 1, FlushStates: -1, Predictors: predictors.Names(), Deferred: func(u *engine.DeferredSearch) { open = append(open, u) },
		}, func(f engine.Finding) { require.NotEqual(t, report.Predicted, f.Verdict) })
		for i := range kept {
			e.Event(kept[i])
		}
		e.Flush()
		for _, u := range open {
			from := place(t, kept, u.Events)
			real := func(g *trace.DeferredGoal) bool {
				var events []int
				for _, i := range g.Events {
					events = append(events, at[from+int(i)])
				}
				return truth.Shows(g.Kind, events)
			}
			left += len(u.Goals)
			u.Search(engine.Effort{}, func(n int, f *engine.Finding) {
				p := u.Goals[n].Events
				require.Equal(t, p[0], int32(f.First().Seq))
				require.Equal(t, p[len(p)-1], int32(f.Last().Seq))
				if f.Verdict == report.Possible {
					never++
					if u.Goals[n].Kind == goal.Deadlock { // another goroutine may end a section after the trace
						return
					}
					require.False(t, real(&u.Goals[n]), "seed %d: %v\n%v", seed, p, u.Events)
					return
				}
				predicted++
				require.True(t, real(&u.Goals[n]), "seed %d: %v\n%v", seed, p, u.Events)
			})
		}
	}
	t.Log(left, predicted, never)
	require.Greater(t, predicted, some(80))
	require.Positive(t, never)
}

// recorded is a trace without repeats, and the places of what is left.
func recorded(evs []trace.Event, repeats []bool) (kept []trace.Event, at []int) {
	for i, ev := range evs {
		if !repeats[i] {
			kept, at = append(kept, ev), append(at, i)
		}
	}
	return kept, at
}

// place is where a part of the trace begins in it.
func place(t *testing.T, all, stretch []trace.Event) int {
	for i := range all {
		if i+len(stretch) <= len(all) && equal(all[i:i+len(stretch)], stretch) {
			return i
		}
	}
	require.Fail(t, "a stretch of another trace")
	return 0
}

func equal(a, b []trace.Event) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestDeferredIsGivenOnce: a pair is given once, and one that a larger budget would not help is not
// given.
func TestDeferredIsGivenOnce(t *testing.T) {
	told := 0
	e := engine.New(engine.Config{FlushStates: -1, Deferred: func(u *engine.DeferredSearch) {
		told++
		require.Len(t, u.Goals, 1)
		require.Equal(t, []string{"wcp"}, u.Goals[0].By)
		require.True(t, u.Goals[0].Alone)
		require.False(t, u.Midway)
	}}, func(engine.Finding) {})
	for range 3 {
		for _, ev := range parse(t, fig1b) {
			e.Event(ev)
		}
		e.Flush()
	}
	require.Equal(t, 1, told)
}

// TestDeferredTogether: goals whose schedules may begin near each other are given with the same
// events.
func TestDeferredTogether(t *testing.T) {
	var goals, events int
	e := engine.New(engine.Config{FlushStates: -1, Deferred: func(u *engine.DeferredSearch) {
		goals += len(u.Goals)
		events += len(u.Events)
		for _, g := range u.Goals {
			require.Len(t, g.Events, 2)
			a, b := u.Events[g.Events[0]], u.Events[g.Events[1]]
			require.Equal(t, trace.Write, a.Kind)
			require.Equal(t, a.Addr, b.Addr)
			require.Equal(t, a.Site+1, b.Site)
		}
	}}, func(engine.Finding) {})
	const lock, filler, pairs = 0x10, 300_000, 20
	for i := range trace.Addr(filler) {
		e.Event(trace.Event{Kind: trace.Write, G: 3, Addr: 0x100000 + 8*i, Size: 8, Site: 1})
	}
	for i := range trace.Addr(pairs) {
		shared := trace.Event{Kind: trace.Write, G: 1, Addr: 0x1000 + 8*i, Size: 8, Site: trace.Site(10 * (i + 1))}
		e.Event(shared)
		for g := range trace.G(2) {
			e.Event(trace.Event{Kind: trace.Acquire, G: g + 1, Addr: lock})
			e.Event(trace.Event{Kind: trace.Release, G: g + 1, Addr: lock})
		}
		shared.G, shared.Site = 2, shared.Site+1
		e.Event(shared)
	}
	e.Flush()
	require.Equal(t, pairs, goals)
	require.Less(t, events, filler)
}
