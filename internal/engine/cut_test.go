package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
)

// earlier is a test on g2 that main, g1, waits for. Its goroutines g3 and g4 race on flag; g3 then saw something.
const earlier = `
	g1 fork g2
	g2 testbegin 1
	g2 fork g3
	g2 fork g4
	g3 read flag
	g4 write flag
	g4 hardmerge done
	g3 hardmerge done
	g2 hardacquire done
	g2 hardmerge over
	g1 hardacquire over`

// later is a test on g5 in which figure 1b of the WCP paper hides a race of g6 and g7 on y, which flag's reader only starts.
const later = `
	g1 fork g5
	g5 testbegin 2
	g5 fork g6
	g5 fork g7
	g6 write y
	g6 acquire l
	g6 read x
	g6 release l
	g7 acquire l
	g7 read x
	g7 release l
	g7 read y`

func verdicts(found []engine.Finding) (v []report.Verdict) {
	for _, f := range found {
		v = append(v, f.Verdict)
	}
	return v
}

func TestARaceOfAnEarlierTestHidesNothing(t *testing.T) {
	found, _ := feed(engine.Config{}, parse(t, earlier+later))
	require.Equal(t, []report.Verdict{report.Observed, report.Predicted}, verdicts(found))
	require.Equal(t, 0, found[1].Skipped)
	for _, ev := range found[1].Witness {
		require.GreaterOrEqual(t, ev.G, found[1].Witness[0].G, "the schedule begins with the test, on g5")
	}
}

// TestARaceAcrossTheBeginningOfATest: g3 goes on after its test, and races with what it did not wait for.
func TestARaceAcrossTheBeginningOfATest(t *testing.T) {
	left := `
	g1 fork g2
	g2 testbegin 1
	g2 fork g3
	g3 read flag
	g3 hardmerge ready
	g2 hardacquire ready
	g2 hardmerge over
	g1 hardacquire over`
	late := map[string]string{
		// (K2): by the time of the test all is settled, but g3 writes x, which the test's goroutines read.
		"a leftover goroutine races with the test": `
	g3 write x`,
	}
	for name, end := range late {
		t.Run(name, func(t *testing.T) {
			found, _ := feed(engine.Config{}, parse(t, left+later+end))
			require.NotContains(t, verdicts(found), report.Predicted)
			require.Contains(t, verdicts(found), report.Observed)
		})
	}
	// Without that write, it is predicted.
	found, _ := feed(engine.Config{}, parse(t, left+later))
	require.Equal(t, []report.Verdict{report.Predicted}, verdicts(found))
}

// TestAnUnsettledBeginning: (K1) fails, as the earlier test's g4 wrote flag and nobody waited for it; g6 reads flag
// in the later test, so the race reaches across.
func TestAnUnsettledBeginning(t *testing.T) {
	unsettled := `
	g1 fork g2
	g2 testbegin 1
	g2 fork g4
	g4 write flag
	g2 hardmerge over
	g1 hardacquire over`
	reads := `
	g1 fork g5
	g5 testbegin 2
	g5 fork g6
	g5 fork g7
	g6 write y
	g6 acquire l
	g6 read x
	g6 release l
	g7 read flag
	g7 acquire l
	g7 read x
	g7 release l
	g7 read y`
	found, _ := feed(engine.Config{}, parse(t, unsettled+reads))
	require.NotContains(t, verdicts(found), report.Predicted)
}
