package gen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/gen"
	"github.com/racepred/racepred/internal/trace/validate"
)

func TestWorkloadsAreTracesOfARun(t *testing.T) {
	for _, w := range gen.Workloads {
		t.Run(w.Name, func(t *testing.T) {
			const n = 100_000
			evs, last, err := trace.ReadAll(w.New(n, 1))
			require.NoError(t, err)
			require.Equal(t, trace.Ended, last)
			require.GreaterOrEqual(t, len(evs), n)
			again, _, _ := trace.ReadAll(w.New(n, 1))
			require.Equal(t, evs, again, "the same seed")
			c := validate.New(validate.Known{}, func(p validate.Problem) { t.Errorf("event %d: %s", p.Seq, p.Text) })
			for i := range evs {
				c.Event(&evs[i])
			}
		})
	}
}

// TestPlants: each planted pattern is found by those predictors that find it alone, and nothing
// else is found.
func TestPlants(t *testing.T) {
	for _, p := range gen.Patterns {
		t.Run(p.Name, func(t *testing.T) {
			m := gen.Mix{Events: 20_000, Goroutines: 5, Locks: 10, Shared: 100, Own: 10, Sites: 100, Depth: 2, Length: 5, Quantum: 20,
				Enter: .1, Nest: .1, Read: .2, Write: .3, Local: .3, Seed: 7, Plants: []gen.Plant{{Pattern: p.Name, Times: 1}}}
			evs, _, _ := trace.ReadAll(m.New())
			require.Equal(t, p.HB, found(t, evs, func(s func(predict.Candidate)) predict.Predictor { return hb.New(predict.Config{}, s) }), "hb")
			got := found(t, evs, func(s func(predict.Candidate)) predict.Predictor { return wcp.New(predict.Config{}, s) })
			if !p.WCP {
				require.False(t, got, "wcp")
			}
			// Among other sections the pattern's own accesses may be ordered by what came before;
			// alone they are not.
			require.Equal(t, p.WCP, found(t, p.Events(), func(s func(predict.Candidate)) predict.Predictor { return wcp.New(predict.Config{}, s) }), "wcp, alone")
			require.Equal(t, p.WCP, got, "wcp")
		})
	}
}

func found(t *testing.T, evs []trace.Event, create func(func(predict.Candidate)) predict.Predictor) bool {
	some := false
	p := create(func(c predict.Candidate) {
		some = true
		if len(evs) > 1000 {
			require.GreaterOrEqual(t, c.First().Ev.Site, gen.PlantSite(0))
			require.Less(t, c.Last().Ev.Site, gen.PlantSite(1))
		}
	})
	for i := range evs {
		p.Event(trace.Seq(i), &evs[i])
	}
	return some
}

func TestPlantsThatDoNotFit(t *testing.T) {
	m := gen.Mix{Goroutines: 1, Events: 100, Locks: 1, Shared: 1, Plants: []gen.Plant{{Pattern: gen.Patterns[0].Name, Times: 1}}}
	require.PanicsWithValue(t, "gen: a pattern needs 2 goroutines, there are 1", func() { m.New() })
}
