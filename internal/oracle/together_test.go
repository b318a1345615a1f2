package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/gen"
)

// racing are the later accesses of the pairs that a predictor found.
type racing map[trace.Seq]bool

// apart gives a trace to the two predictors, each with a table of its own; WCP rests from one place to another and begins anew there.
func apart(evs []trace.Event, from, to int) (byHB, byWCP racing) {
	byHB, byWCP = racing{}, racing{}
	add := func(to racing) func(predict.Candidate) {
		return func(c predict.Candidate) { to[c.Second.Seq] = true }
	}
	h, w := hb.New(add(byHB)), wcp.New(add(byWCP))
	for i := range evs {
		h.Event(trace.Seq(i), &evs[i])
		if i == to {
			w = wcp.New(add(byWCP))
		}
		if i < from || i >= to {
			w.Event(trace.Seq(i), &evs[i])
		}
	}
	return byHB, byWCP
}

// together is apart with one table for both, as the engine has it. It checks that the first accesses are as they were.
func together(t *testing.T, evs []trace.Event, from, to int) (byHB, byWCP racing) {
	byHB, byWCP = racing{}, racing{}
	add := func(to racing) func(predict.Candidate) {
		return func(c predict.Candidate) {
			require.Equal(t, evs[c.First.Seq], c.First.Ev)
			require.True(t, trace.Conflict(&c.First.Ev, &c.Second.Ev))
			to[c.Second.Seq] = true
		}
	}
	h := hb.New(add(byHB))
	acc := h.Accesses()
	w := wcp.NewIn(acc, 0, add(byWCP))
	for i := range evs {
		ev, seq := &evs[i], trace.Seq(i)
		if i == from {
			w = nil
		}
		if i == to {
			w = wcp.NewIn(acc, seq, add(byWCP))
		}
		switch {
		case w == nil:
			h.Event(seq, ev)
		case ev.Kind.Spec().Access:
			races := acc.Check2(seq, ev, h.Actor(ev), w.Actor(ev))
			if races != nil {
				h.Races(seq, ev, races[0])
				w.Races(seq, ev, races[1])
			}
		default:
			h.Event(seq, ev)
			w.Event(seq, ev)
		}
	}
	return byHB, byWCP
}

// TestOneTableIsTwo: the same accesses race whether the two predictors share their table or not.
func TestOneTableIsTwo(t *testing.T) {
	n := [2]int{}
	same := func(evs []trace.Event, from, to int, what string, of uint64) {
		h, w := apart(evs, from, to)
		h2, w2 := together(t, evs, from, to)
		if len(evs) < 100 {
			require.Equal(t, h, h2, "%s %d: hb%s", what, of, text(evs))
			require.Equal(t, w, w2, "%s %d, resting from %d to %d: wcp%s", what, of, from, to, text(evs))
		} else {
			require.Equal(t, h, h2, "%s %d", what, of)
			require.Equal(t, w, w2, "%s %d", what, of)
		}
		n[0] += len(h)
		n[1] += len(w)
	}
	rest := func(rng *rand.Rand, n int) (from, to int) {
		if rng.IntN(2) == 0 {
			return n, n
		}
		from = rng.IntN(n + 1)
		return from, from + rng.IntN(n-from+1)
	}
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 77))
		f := oracle.All
		f.Wide, f.Locks = seed%2 == 0, seed%3 == 0
		evs := oracle.Random(rng, 10+int(seed%60), f)
		from, to := rest(rng, len(evs))
		same(evs, from, to, "random", seed)
	}
	for seed := range uint64(6) {
		src := gen.Mix{Events: 20_000, Goroutines: 2 + int(seed)*20, Locks: 10, Shared: 50, Own: 50, Sites: 5, Depth: 2, Length: 5, Quantum: 20,
			Enter: .2, Nest: .1, Read: .2, Write: .3, Local: .3, Unsafe: .1, Seed: seed}.New()
		evs, _, err := trace.ReadAll(src)
		require.NoError(t, err)
		for i := range evs {
			evs[i].Site = trace.Site(i + 1)
		}
		from, to := rest(rand.New(rand.NewPCG(seed, 78)), len(evs))
		same(evs, from, to, "mix", seed)
	}
	t.Logf("%d accesses race with an earlier one by hb, %d by wcp", n[0], n[1])
	require.NotZero(t, n[0])
	require.NotZero(t, n[1])
}
