package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predict/hbwcp"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/gen"
)

// racing are the later accesses of the pairs that a predictor found.
type racing map[trace.Seq]bool

// apart gives a trace to the two predictors, each with a table of its own.
func apart(evs []trace.Event) (byHB, byWCP racing) {
	byHB, byWCP = racing{}, racing{}
	add := func(to racing) func(predict.Candidate) {
		return func(c predict.Candidate) { to[c.Last().Seq] = true }
	}
	h, w := hb.New(predict.Config{}, add(byHB)), wcp.New(predict.Config{}, add(byWCP))
	for i := range evs {
		h.Event(trace.Seq(i), &evs[i])
		w.Event(trace.Seq(i), &evs[i])
	}
	return byHB, byWCP
}

// together is apart with one table for both, as the engine has it. It checks that the first
// accesses are as they were.
func together(t *testing.T, evs []trace.Event) (byHB, byWCP racing) {
	byHB, byWCP = racing{}, racing{}
	add := func(to racing) func(predict.Candidate) {
		return func(c predict.Candidate) {
			require.Equal(t, evs[c.First().Seq], c.First().Ev)
			require.True(t, trace.Conflict(&c.First().Ev, &c.Last().Ev))
			to[c.Last().Seq] = true
		}
	}
	hb, wcp := add(byHB), add(byWCP)
	p := hbwcp.New(predict.Config{}, predict.Config{}, func(c predict.Candidate) {
		if c.Standing == predict.Shown {
			hb(c)
		} else {
			wcp(c)
		}
	})
	for i := range evs {
		p.Event(trace.Seq(i), &evs[i])
	}
	return byHB, byWCP
}

// TestOneTableIsTwo: the same accesses race whether the two predictors share their table or not.
func TestOneTableIsTwo(t *testing.T) {
	n := [2]int{}
	same := func(evs []trace.Event, what string, of uint64) {
		h, w := apart(evs)
		h2, w2 := together(t, evs)
		if len(evs) < 100 {
			require.Equal(t, h, h2, "%s %d: hb%s", what, of, oracletest.Text(evs))
			require.Equal(t, w, w2, "%s %d: wcp%s", what, of, oracletest.Text(evs))
		} else {
			require.Equal(t, h, h2, "%s %d", what, of)
			require.Equal(t, w, w2, "%s %d", what, of)
		}
		n[0] += len(h)
		n[1] += len(w)
	}
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 77))
		f := oracle.All
		f.Wide, f.Locks = seed%2 == 0, seed%3 == 0
		evs := oracle.Random(rng, 10+int(seed%60), f)
		same(evs, "random", seed)
	}
	for seed := range uint64(6) {
		src := gen.Mix{Events: 20_000, Goroutines: 2 + int(seed)*20, Locks: 10, Shared: 50, Own: 50, Sites: 5, Depth: 2, Length: 5, Quantum: 20,
			Enter: .2, Nest: .1, Read: .2, Write: .3, Local: .3, Unsafe: .1, Seed: seed}.New()
		evs, _, err := trace.ReadAll(src)
		require.NoError(t, err)
		for i := range evs {
			evs[i].Site = trace.Site(i + 1)
		}
		same(evs, "mix", seed)
	}
	t.Logf("%d accesses race with an earlier one by hb, %d by wcp", n[0], n[1])
	require.NotZero(t, n[0])
	require.NotZero(t, n[1])
}
