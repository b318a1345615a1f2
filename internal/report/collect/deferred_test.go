package collect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
)

func TestWhatIsFoundAfterTheRun(t *testing.T) {
	possible := race(report.Possible, "wcp", 1, 2)
	possible.Note, possible.Test = "given up", "TestN"
	open := func() *Run {
		return &Run{
			Processes: []protocol.Process{{PID: 4, Stats: report.Stats{Unknown: 2}}, {PID: 5, Stats: report.Stats{Unknown: 2}}},
			Findings:  []report.Finding{race(report.Observed, "hb", 1, 2), possible, race(report.Possible, "wcp", 7, 8)},
		}
	}
	schedule := race(report.Predicted, "wcp", 1, 2)
	schedule.Witness = &report.Witness{Events: 3}
	schedule.Test = ""

	run := open()
	f := run.Predict(5, schedule)
	require.Equal(t, report.Predicted, f.Verdict)
	require.Equal(t, "TestN", f.Test, "of the process")
	require.Empty(t, f.Note)
	require.Equal(t, f, run.Findings[1])
	require.Equal(t, []uint64{2, 1}, []uint64{run.Processes[0].Stats.Unknown, run.Processes[1].Stats.Unknown})

	run = open()
	run.Drop(4, schedule)
	require.Len(t, run.Findings, 2)
	require.Equal(t, report.Observed, run.Findings[0].Verdict, "what was observed stays")
	run.Drop(4, schedule)
	require.Len(t, run.Findings, 2)
	require.Equal(t, uint64(1), run.Processes[0].Stats.Unknown)

	run = &Run{}
	require.Equal(t, schedule, run.Predict(4, schedule))
	require.Len(t, run.Findings, 1, "the process was killed before it had written its finding")
}
