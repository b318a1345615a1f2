package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/report"
)

// TestTable counts, over random traces, how many of the predictable races each stage finds, by the
// later access. It also tests WCP's guarantee for traces with the paper's kinds of events: its
// first report means a race or a deadlock.
func TestTable(t *testing.T) {
	for _, kind := range []struct {
		name  string
		paper bool
		f     oracle.Features
	}{
		{"paper", true, oracle.Features{}},
		{"fork and join", true, oracle.Features{Fork: true}},
		{"locks that do not nest", true, oracle.Features{NonLIFO: true}},
		{"everything", false, oracle.All},
	} {
		t.Run(kind.name, func(t *testing.T) {
			var truth, hb, hbTrue, wcp, wcpTrue, given, givenTrue int
			for seed := range some(uint64(1000)) {
				evs := oracle.Random(rand.New(rand.NewPCG(seed, 7)), 10+int(seed%20), kind.f)
				r := oracle.Explore(evs, 300_000)
				if !r.Complete {
					continue
				}
				races := oracle.Seconds(r.Races)
				truth += len(races)
				count := func(found map[int]bool, all, right *int) {
					for e := range found {
						*all++
						if races[e] {
							*right++
						}
					}
				}
				count(oracle.Seconds(oracletest.Run(evs, newHB)), &hb, &hbTrue)
				reported := oracletest.Run(evs, newWCP)
				count(oracle.Seconds(reported), &wcp, &wcpTrue)
				all := findings(evs)
				count(oracle.Seconds(all[report.Predicted]), &given, &givenTrue)
				if kind.paper && len(reported) > 0 {
					require.True(t, len(r.Races) > 0 || r.Deadlock(), "seed %d: WCP reports, and there is neither a race nor a deadlock%s", seed, oracletest.Text(evs))
				}
			}
			t.Logf("accesses that can race: %d", truth)
			t.Logf("hb:        %5d, of which right %d", hb, hbTrue)
			t.Logf("wcp:       %5d, of which right %d", wcp, wcpTrue)
			t.Logf("predicted: %5d, of which right %d (not observed, witness checked)", given, givenTrue)
			require.Equal(t, given, givenTrue)
			require.NotZero(t, given)
			if !kind.f.Pins { // what is pinned is ordered for prediction, though it is not by happens-before
				require.Greater(t, wcpTrue, hbTrue)
			}
		})
	}
}
