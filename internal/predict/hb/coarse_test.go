package hb_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/trace"
)

// TestWhatIsForgottenAddsOrder: however often objects are forgotten, no access is the later one of a race that is none without that, and most of these still are.
func TestWhatIsForgottenAddsOrder(t *testing.T) {
	features := oracle.All
	features.Lists = true
	with, without := 0, 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		evs := oracle.Random(rng, 20+rng.IntN(100), features)
		for i := range evs {
			evs[i].Site = trace.Site(i + 1)
		}
		races := func(every int) map[trace.Seq]bool {
			found := map[trace.Seq]bool{}
			p := hb.New(predict.Config{}, func(c predict.Candidate) {
				found[c.Last().Seq] = true
			})
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
}
