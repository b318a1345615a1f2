//go:build racepred_seam

package process

import (
	"os"
	"strconv"
	"time"

	"github.com/racepred/racepred/internal/report"
)

// nameFiles names this process's files, which pids alone do not, since they are used again, and makes the one with its state in states.
// That lies in memory which is shared with a file, so that it is there whatever ends the process.
func (a *analysis) nameFiles(states string) {
	if a.dir == "" {
		return
	}
	for n := 0; ; n++ {
		name := string(os.PathSeparator) + strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(n)
		a.prefix = a.dir + name
		if exists(a.prefix+report.FindingsSuffix) || exists(a.prefix+report.ResultSuffix) || exists(a.prefix+report.OpenSuffix) {
			continue
		}
		if states == "" {
			return
		}
		p := a.process()
		state, err := share(states+name+report.StateSuffix, report.AppendProcess(nil, &p))
		if os.IsExist(err) {
			continue
		}
		if a.state = state; state != nil {
			state.Version = report.StateVersion
		}
		return
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// sayState writes down how far the analysis came. A reader may see a part of it, which matters for no total.
func (a *analysis) sayState() {
	s := a.state
	if s == nil {
		return
	}
	st := a.engine.Stats()
	s.Events, s.Candidates, s.Infeasible, s.Unknown, s.Evicted = a.events, st.Candidates, st.Infeasible, st.Unknown, st.Evicted+st.Lost
	s.Waiting = uint64(a.engine.Waiting())
	s.Filtered = runtime_filtered()
	s.Races, s.Failures = uint64(a.races), uint64(failures.Load())
	s.Nanoseconds = uint64(time.Since(a.start))
	s.Became = 0
	if a.how == rpEndsExec {
		s.Became = 1
	}
}
