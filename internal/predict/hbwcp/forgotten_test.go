package hbwcp_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/trace"
)

// aging is a predictor that forgets what it has not used for an age.
type aging interface {
	predict.Predictor
	NewAge(all bool)
}

// TestWhatIsForgottenAddsOrder: a predictor that forgets objects, however often, finds a race only
// where it would find one without that, and it still finds most.
func TestWhatIsForgottenAddsOrder(t *testing.T) {
	lists, exact := oracle.All, oracle.All
	lists.Lists = true
	exact.HandOver = false // what the mark of a section says that another goroutine ended is not exact
	exact.Updates = false  // the predictor may forget that two of them exclude each other, wcp/W13
	for _, c := range []struct {
		name     string
		features oracle.Features
		make     func(sink func(predict.Candidate)) aging
	}{
		{"hb", lists, func(sink func(predict.Candidate)) aging { return hb.New(predict.Config{}, sink) }},
		{"wcp", exact, func(sink func(predict.Candidate)) aging { return wcp.New(predict.Config{}, sink) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			with, without := 0, 0
			for seed := range uint64(3000) {
				rng := rand.New(rand.NewPCG(seed, 7))
				evs := oracle.Random(rng, 20+rng.IntN(100), c.features)
				for i := range evs {
					evs[i].Site = trace.Site(i + 1)
				}
				// races are the later accesses of races, when an age begins before every so manieth
				// event.
				races := func(every int) map[trace.Seq]bool {
					found := map[trace.Seq]bool{}
					p := c.make(func(c predict.Candidate) { found[c.Last().Seq] = true })
					for i := range evs {
						if every > 0 && rng.IntN(every) == 0 {
							p.NewAge(rng.IntN(4) == 0)
						}
						p.Event(trace.Seq(i), &evs[i])
					}
					return found
				}
				all := races(0)
				for _, every := range []int{3, 20, 60} {
					some := races(every)
					for seq := range some {
						require.Contains(t, all, seq, "seed %d", seed)
					}
					with += len(some)
					without += len(all)
				}
			}
			t.Logf("%d of %d accesses", with, without)
			require.Greater(t, with, without/2)
			require.Less(t, with, without)
		})
	}
}
