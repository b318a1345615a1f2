// Package collect turns what the test processes of one run left in the run's
// directory into the run's report: .findings and .result files -> report.Report.
//
// It is the reading twin of report's hand-written encoder and belongs to the
// command: unlike package report it is never linked into a tested binary.
package collect

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
)

// Run is what the processes of one run wrote.
type Run struct {
	Processes []protocol.Process // sorted by PID
	Findings  []report.Finding   // as written: unmerged, in file order
	Directed  []report.Finding   // those of them that are no findings, but worth a directed run
	Notes     []report.Uncovered
}

// Read reads a run's directory, and that of the processes' states, which may be the same or "" for
// none. An incomplete last line, as after a kill, is left out with a note; anything else that
// cannot be read is an error.
func Read(dir, states string) (*Run, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return nil, err
	}
	run := &Run{}
	ended := map[string]bool{}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		switch {
		case strings.HasSuffix(e.Name(), protocol.ResultSuffix):
			ended[strings.TrimSuffix(e.Name(), protocol.ResultSuffix)] = true
			err = run.readResult(name)
		case strings.HasSuffix(e.Name(), protocol.FindingsSuffix):
			err = run.readFindings(name)
		}
		if err != nil {
			return nil, err
		}
	}
	left, err := stateFiles(states)
	if err != nil {
		return nil, err
	}
	for _, name := range left {
		if ended[strings.TrimSuffix(filepath.Base(name), protocol.StateSuffix)] {
			continue
		}
		if err := run.readState(name); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(run.Processes, func(p, q protocol.Process) int { return p.PID - q.PID })
	return run, nil
}

// stateFiles are the files with states in a directory, none for "".
func stateFiles(dir string) (names []string, err error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), protocol.StateSuffix) {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	return names, err
}

func (run *Run) readResult(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var p protocol.Process
	if err := json.Unmarshal(data, &p); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	run.Processes = append(run.Processes, p)
	return nil
}

// Add takes in a finding, or what is worth a directed run.
func (run *Run) Add(f report.Finding) {
	if f.Verdict == report.Reachable {
		run.Directed = append(run.Directed, f)
	} else {
		run.Findings = append(run.Findings, f)
	}
}

func (run *Run) readFindings(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if len(bytes.TrimSpace(line)) > 0 {
				run.Notes = append(run.Notes, report.Uncovered{
					Reason: "the test process was killed while it wrote a finding; that finding is lost",
				})
			}
			return nil
		}
		if err != nil {
			return err
		}
		var finding report.Finding
		if err := json.Unmarshal(line, &finding); err != nil {
			return fmt.Errorf("%s:%d: %w", filepath.Base(name), n, err)
		}
		run.Add(finding)
	}
}
