//go:build racepred_seam

package process

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/protocol"
)

// nameFiles chooses names for this process's files, with its pid and a number, since pids are used
// again. It makes the file of its state in states: memory that is shared with the file, so that it
// is there however the process ends.
func (a *analysis) nameFiles(states string) {
	if states == "" || startedByTest(states) {
		runtime_outputsSeen()
	}
	if a.dir == "" {
		return
	}
	for n := 0; ; n++ {
		name := string(os.PathSeparator) + strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(n)
		a.prefix = a.dir + name
		if exists(a.prefix+protocol.FindingsSuffix) || exists(a.prefix+protocol.ResultSuffix) || exists(a.prefix+protocol.DeferredSuffix) {
			continue
		}
		if states == "" {
			return
		}
		p := a.process()
		state, err := share(states+name+protocol.StateSuffix, protocol.AppendProcess(nil, &p))
		if os.IsExist(err) {
			continue
		}
		if a.state = state; state != nil {
			state.Version = protocol.StateVersion
		}
		return
	}
}

// startedByTest reports whether a process of the same run started this one, perhaps by way of
// others. Then a process that answers may read its standard output. The go command only passes on
// the output of test processes.
func startedByTest(states string) bool {
	for pid, n := os.Getppid(), 0; pid > 1 && n < maxAncestors; pid, n = parentOf(pid), n+1 {
		if exists(states + string(os.PathSeparator) + strconv.Itoa(pid) + "-0" + protocol.StateSuffix) {
			return true
		}
	}
	return false
}

const maxAncestors = 64 // they may form a ring, if a number was used again while they were read

// parentOf is the process that started another one, 0 if that is not known.
func parentOf(pid int) int {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, behind, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " ") // the name may have any character in it
	if fields := strings.Fields(behind); len(fields) > 1 {
		parent, _ := strconv.Atoi(fields[1])
		return parent
	}
	return 0
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// sayState writes how far the analysis has come. A reader may see some numbers before others, which
// does no harm.
func (a *analysis) sayState() {
	s := a.state
	if s == nil {
		return
	}
	st := a.engine.Stats()
	s.Events, s.Candidates, s.Infeasible, s.Unknown, s.Evicted = a.converter.Events(), st.Candidates, st.Infeasible, st.Unknown, st.Forgot()+st.Lost
	s.Waiting = uint64(a.engine.Waiting())
	s.Filtered = runtime_filtered()
	s.Races, s.Failures = uint64(a.races), uint64(told.failures.Load())
	s.Nanoseconds = uint64(time.Since(a.start))
	s.Became = 0
	if a.how == rpEndsExec {
		s.Became = 1
	}
}
