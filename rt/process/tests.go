//go:build racepred_seam

package process

import (
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
)

// tests is how far the tests of this process have come, and why some failed. Package testing calls
// its methods.
type tests struct {
	running  atomic.Int32 // calls of testing.M.Run that have not returned
	code     atomic.Int32 // the exit status that the last call returned, or notRun
	timedOut atomic.Bool
	failures atomic.Int64 // tests that failed for another reason than a race
	workers  atomic.Int64 // fuzz tests that failed because of an input, in a process of their own
}

// notRun is the exit status before testing.M.Run returns.
const notRun = -1

var told tests

func init() { told.code.Store(notRun) }

// TestsBegin and TestsEnd are called around testing.M.Run. TestsEnd is called after a panic, too,
// but not after an exit.
func TestsBegin() {
	told.running.Add(1)
	told.code.Store(notRun)
	runtime_testsOver(false)
}

func TestsEnd(code int) {
	running := told.running.Add(-1)
	told.code.Store(int32(code))
	runtime_testsOver(running == 0 && !unprinted) // a fuzz worker has a second to end
}

// TimedOut is called before the panic of -timeout.
func TimedOut() { told.timedOut.Store(true) }

// Failing is called when a test fails. Failures that only say that there was a
// race are not counted: the command tells the two apart by its exit code.
func Failing() {
	if self := (*rpG)(runtime_self()); self == nil || self.racing == 0 {
		told.failures.Add(1)
	}
}

// FailByRace brackets the failure of a test because of a race.
func FailByRace(begin bool) {
	self := (*rpG)(runtime_self())
	if self == nil {
		return
	}
	if begin {
		self.racing++
	} else {
		self.racing--
	}
}

// FailInWorker brackets the failure of a fuzz test because of an input, if it is one. The worker,
// which ran the input, says whether it failed by a race.
func FailInWorker(input, begin bool) {
	if !input {
		return
	}
	if begin {
		told.workers.Add(1)
	}
	FailByRace(begin)
}

// ended is how the process ends, for the report; how is what package runtime says of it.
func (t *tests) ended(how int32) string {
	if how == rpEndsByPanic && t.timedOut.Load() {
		return protocol.EndTimeout
	}
	return ends[how]
}

// ownFailure reports whether the process ends with another status than that of its tests, which the
// program chose.
func (t *tests) ownFailure(how, status int32) bool {
	return status != 0 && (how != rpEndsInOrder || status != t.code.Load())
}

// unprinted reports whether printed text is lost: the coordinator of a fuzz worker does not read
// what it prints.
var unprinted = slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(strings.TrimLeft(arg, "-"), "test.fuzzworker") })

// Detected says why the test fails, in the words of -race, and has the text of findings that could
// not be printed.
func Detected() (text string) {
	what := report.Race.Noun()
	with(func(a *analysis) {
		if len(a.detected) > 0 {
			what, a.detected = strings.Join(a.detected, " and "), nil
		}
		if len(a.untold) > 0 {
			text, a.untold = "\n"+string(a.untold), nil
		}
	})
	return what + " detected during execution of test" + text
}
