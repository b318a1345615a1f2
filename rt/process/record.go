//go:build racepred_seam

package process

import (
	"os"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/tracefile"
)

// recordEvery is drainAt while a trace is written. It does not grow with the number of goroutines,
// since a killed process loses what is not drained.
const recordEvery = 1 << 8

// recorder writes the events of the engine to a trace file, and before them the names of their
// stacks and sites.
type recorder struct {
	*tables
	file *os.File
	name string
}

// newRecorder creates the file of this process in dir; nil without one.
func (a *analysis) newRecorder(dir string) (*recorder, error) {
	if dir == "" {
		return nil, nil
	}
	r := &recorder{}
	for n := 0; r.file == nil; n++ {
		r.name = dir + string(os.PathSeparator) + traceName(a.namer.Package, os.Getpid(), n)
		file, err := os.OpenFile(r.name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err != nil && !os.IsExist(err) {
			return nil, err
		}
		r.file = file
	}
	r.tables = a.newTables(r.file)
	return r, r.Flush()
}

// traceName names a process's file: the package with underscores, the process, and n when that is
// taken.
func traceName(pkg string, pid, n int) string {
	if pkg == "" {
		pkg = "unknown"
	}
	safe := func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' {
			return c
		}
		return '_'
	}
	return strings.Map(safe, pkg) + "-" + strconv.Itoa(pid) + "-" + strconv.Itoa(n) + tracefile.Suffix
}

// drainAt is how many chunks may fill up until the next drain.
func (a *analysis) drainAt() int64 {
	if a.pace.flip > 0 {
		return -1 // at each safe point
	}
	if a.often > 0 {
		return a.often
	}
	if a.recorder != nil {
		return recordEvery
	}
	return drainAt + int64(a.live/16)
}

func (a *analysis) record(ev *trace.Event) {
	r := a.recorder
	r.newStack(ev.Stack)
	r.Event(ev)
	if r.Full() {
		a.recorded(false)
	}
}

// recorded writes the events that were kept, and before them the new site tables.
func (a *analysis) recorded(flushed bool) {
	r := a.recorder
	if r == nil {
		return
	}
	r.newSites()
	if flushed {
		r.Flushed()
	}
	if err := r.Flush(); err != nil {
		a.unrecorded(err)
	}
}

// endRecord writes the file's last block.
func (a *analysis) endRecord() {
	r := a.recorder
	if r == nil {
		return
	}
	filtered := runtime_filtered()
	s := tracefile.Summary{Filtered: filtered}
	for _, u := range a.missing() {
		s.Notes = append(s.Notes, u.Reason)
	}
	err := r.Close(s)
	if e := r.file.Close(); err == nil {
		err = e
	}
	if err != nil {
		a.unrecorded(err)
	}
	a.recorder = nil
}

// unrecorded says once that there is no trace, or that it ends here. The tests go on.
func (a *analysis) unrecorded(err error) {
	a.recorder = nil
	a.recordErr = err
	runtime_write([]byte("racepred: -trace: " + err.Error() + "; the tests go on, the rest is not written\n"))
}
