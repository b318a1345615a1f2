package collect

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
)

// Follow reads a run's directory while its processes run. It ignores what cannot be read: Read
// reports that when they are over.
type Follow struct {
	Run // so far

	dir, states string
	read        map[string]int64 // bytes of .findings files
	ended       map[string]bool
}

// NewFollow follows the processes of a run in the directories of Read.
func NewFollow(dir, states string) *Follow {
	return &Follow{dir: dir, states: states, read: map[string]int64{}, ended: map[string]bool{}}
}

// Next reads what was written since the last call, and returns the findings in it.
func (f *Follow) Next() []report.Finding {
	entries, _ := os.ReadDir(f.dir)
	before := len(f.Findings)
	for _, e := range entries {
		name := filepath.Join(f.dir, e.Name())
		if stem, ok := strings.CutSuffix(e.Name(), protocol.ResultSuffix); ok && !f.ended[stem] {
			f.ended[stem] = f.readResult(name) == nil
		}
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), protocol.FindingsSuffix) && info.Size() > f.read[name] {
			f.tail(name)
		}
	}
	return f.Findings[before:]
}

// tail reads the whole lines that are new.
func (f *Follow) tail(name string) {
	data, err := os.ReadFile(name)
	if err != nil || int64(len(data)) < f.read[name] {
		return
	}
	data = data[f.read[name]:]
	end := bytes.LastIndexByte(data, '\n') + 1
	f.read[name] += int64(end)
	for line := range bytes.Lines(data[:end]) {
		var finding report.Finding
		if json.Unmarshal(line, &finding) == nil {
			f.Add(finding)
		}
	}
}

// Processes are those that ended and, as far as their states say, those that still run.
func (f *Follow) Processes() []protocol.Process {
	all := Run{Processes: append([]protocol.Process(nil), f.Run.Processes...)}
	left, _ := stateFiles(f.states)
	for _, name := range left {
		if !f.ended[strings.TrimSuffix(filepath.Base(name), protocol.StateSuffix)] {
			_ = all.readState(name)
		}
	}
	return all.Processes
}
