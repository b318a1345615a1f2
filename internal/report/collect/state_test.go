package collect

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
)

// leaveState writes what a process shares with its file.
func leaveState(t *testing.T, dir, stem string, p *protocol.Process, s protocol.State) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, binary.Write(&b, binary.NativeEndian, &s))
	page := make([]byte, protocol.StateSize)
	copy(page, b.Bytes())
	write(t, dir, stem+protocol.StateSuffix, protocol.AppendProcess(page, p))
}

func TestProcessThatLeftNoWord(t *testing.T) {
	dir, states := t.TempDir(), t.TempDir()
	p := protocol.Process{PID: 3, PPID: 2, Package: "m", Dir: "/m"}
	leaveState(t, states, "3-0", &p, protocol.State{Version: protocol.StateVersion, Events: 7, Candidates: 2, Waiting: 1, Races: 1, Nanoseconds: 5e8})
	leave(t, dir, "4-0", &protocol.Process{PID: 4, Stats: report.Stats{Events: 9}})
	leaveState(t, states, "4-0", &protocol.Process{PID: 4}, protocol.State{Version: protocol.StateVersion, Events: 8})
	leaveState(t, states, "5-0", &protocol.Process{PID: 5}, protocol.State{Version: protocol.StateVersion, Events: 1, Became: 1})
	write(t, states, "6-0.state", make([]byte, 100)) // it was killed while it made the file
	run, err := Read(dir, states)
	require.NoError(t, err)
	require.Equal(t, []protocol.Process{
		{
			PID: 3, PPID: 2, Package: "m", Dir: "/m", Exit: -1, End: protocol.EndUnknown, Races: 1, Failures: 1, Waiting: 1,
			Stats: report.Stats{Events: 7, Candidates: 2, Seconds: 0.5}, Uncovered: []report.Uncovered{},
		},
		{PID: 4, Stats: report.Stats{Events: 9}, Uncovered: []report.Uncovered{}},
		{PID: 5, Stats: report.Stats{Events: 1}, Uncovered: []report.Uncovered{}},
	}, withoutRules(run.Processes))
}

func withoutRules(list []protocol.Process) []protocol.Process {
	for i := range list {
		list[i].Stats.Rules = nil
	}
	return list
}
