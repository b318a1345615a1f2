package syncrev_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/gen"
)

// TestPlanted has each pattern by itself and among 20,000 other events: who finds it, what has a
// witness, and that there is nothing else.
func TestPlanted(t *testing.T) {
	bySyncP := map[string]bool{"hb": true, "wcp1b": true, "wcp2b": true, "wcp3": true, "syncp": true}
	for _, p := range gen.Patterns {
		t.Run(p.Name, func(t *testing.T) {
			alone := p.Events()
			for i := range alone {
				alone[i].Site = trace.Site(i + 1)
			}
			require.Equal(t, p.HB, len(oracletest.Run(alone, newSHB)) > 0, "shb")
			require.Equal(t, bySyncP[p.Name], len(oracletest.Run(alone, newSyncP)) > 0, "syncp")
			require.Equal(t, p.Race, len(proven(alone, oracletest.Run(alone, newAll))) > 0, "syncrev, with a witness")
			require.Equal(t, p.Race, len(oracle.Explore(alone, 1_000_000).Races) > 0, "oracle")

			m := gen.Mix{Events: 20_000, Goroutines: 5, Locks: 10, Shared: 100, Own: 10, Sites: 100, Depth: 2, Length: 5, Quantum: 20,
				Enter: .1, Nest: .1, Read: .2, Write: .3, Local: .3, Seed: 8, Plants: []gen.Plant{{Pattern: p.Name, Times: 1}}}
			evs, _, _ := trace.ReadAll(m.New())
			sure := 0
			e := engine.New(engine.Config{Predictors: []string{"syncrev"}, Complete: true}, func(f engine.Finding) {
				require.GreaterOrEqual(t, f.First().Ev.Site, gen.PlantSite(0))
				require.Less(t, f.Last().Ev.Site, gen.PlantSite(1))
				if f.Verdict != report.Possible {
					sure++
				}
			})
			for i := range evs {
				e.Event(evs[i])
			}
			e.Flush()
			require.Equal(t, p.Race, sure > 0, "among others")
		})
	}
}
