package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
)

// TestWorthARun: a pair that locks allow and the values read do not is no finding, whatever is
// asked for, and is given to Config.Directed once.
func TestWorthARun(t *testing.T) {
	evs := parse(t, `
		g1 write x
		g1 acquire l
		g1 write ready
		g1 release l
		g2 acquire l
		g2 read ready
		g2 release l
		g2 write x
		g3 acquire l
		g3 read ready
		g3 release l
		g3 write z`)
	var directed []engine.Finding
	cfg := engine.Config{Complete: true, Directed: func(f engine.Finding) { directed = append(directed, f) }}
	found, stats := feed(cfg, evs)
	require.Empty(t, found)
	require.Len(t, directed, 1)
	d := directed[0]
	require.Equal(t, report.Reachable, d.Verdict)
	require.Equal(t, []string{"ipa"}, d.By)
	require.Equal(t, 3, d.Rank, "some order of locks reaches it, and every schedule of the run has the read come after the write")
	require.EqualValues(t, 0, d.First().Seq)
	require.EqualValues(t, 7, d.Last().Seq)
	require.EqualValues(t, 1, stats.Infeasible)
	cfg.Directed = nil
	found, _ = feed(cfg, evs)
	require.Empty(t, found)
}
