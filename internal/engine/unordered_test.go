package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// unseenFirst is a run in which something is unseen, so that what predictors leave unordered may be
// ordered after all.
const unseenFirst = "g3 write z atomic unseen\n"

// proposed feeds a run of which a predictor then says that events first and second are not ordered.
func proposed(t *testing.T, text string, first, second int) (possible []engine.Finding, s engine.Stats) {
	e := engine.New(engine.Config{}, func(f engine.Finding) {
		if f.Verdict != report.Observed {
			possible = append(possible, f)
		}
	})
	for _, ev := range parse(t, text) {
		e.Event(ev)
	}
	e.Propose(trace.Seq(first), trace.Seq(second), predict.Unordered)
	e.Flush()
	return possible, e.Stats()
}

// TestWhatHappensBeforeForgot: a pair that the run leaves unordered, and that happens-before does
// not know of, is possible, and not counted as infeasible. Two reads take the place of accesses of
// which happens-before forgot the first.
func TestWhatHappensBeforeForgot(t *testing.T) {
	possible, s := proposed(t, unseenFirst+"g1 read x\n g2 read x", 1, 2)
	require.Len(t, possible, 1)
	require.Equal(t, report.Possible, possible[0].Verdict)
	require.Contains(t, possible[0].Note, "had been forgotten")
	require.Equal(t, [3]uint64{1, 0, 1}, [3]uint64{s.Candidates, s.Infeasible, s.Unknown})
}

// TestWhatTheRunShowsElsewhere: a pair is no candidate if happens-before gave out another race of
// its later access instead.
func TestWhatTheRunShowsElsewhere(t *testing.T) {
	for first := 1; first <= 2; first++ {
		possible, s := proposed(t, unseenFirst+"g1 write x site=1\n g1 write x site=2\n g2 write x site=3", first, 3)
		require.Empty(t, possible)
		require.Equal(t, [4]uint64{1, 0, 0, 0}, [4]uint64{s.Observed, s.Candidates, s.Infeasible, s.Unknown})
	}
}
