package collect

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
)

// readState adds a process that wrote no result, from its state file (protocol.State). Its end is
// EndUnknown, and it counts as failed, unless it became another program, which is no end.
func (run *Run) readState(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var s protocol.State
	if len(data) <= protocol.StateSize {
		return nil // it was killed while it made the file
	}
	if err := binary.Read(bytes.NewReader(data), binary.NativeEndian, &s); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	var p protocol.Process
	if err := json.Unmarshal(data[protocol.StateSize:], &p); err != nil || s.Version != protocol.StateVersion {
		return nil // likewise
	}
	p.Races, p.Failures = int(s.Races), int(s.Failures)
	p.Stats = report.Stats{
		Events: s.Events, Filtered: s.Filtered, Candidates: s.Candidates, Infeasible: s.Infeasible, Unknown: s.Unknown, Evicted: s.Evicted,
		Seconds: float64(s.Nanoseconds) / 1e9,
	}
	if s.Became == 0 {
		p.Exit, p.End, p.Waiting = -1, protocol.EndUnknown, int(s.Waiting)
		p.Failures++
	}
	run.Processes = append(run.Processes, p)
	return nil
}
