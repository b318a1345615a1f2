package protocol

import "github.com/racepred/racepred/internal/report"

// Process is what one test process says about itself when it ends: the one
// line of its .result file. A process that was killed leaves none, but its State.
type Process struct {
	PID     int    `json:"pid"`
	PPID    int    `json:"ppid"`    // the go command's for a test binary it started; 0 when unknown
	Package string `json:"package"` // import path of the tested package; "" when unknown
	Dir     string `json:"dir"`     // working directory at the start; names the package when Package is ""
	Exit    int    `json:"exit"`    // status the process ends with, or the signal's number
	End     string `json:"end"`     // how it ends, if that is no exit: EndPanic and those after it

	// Unfinished: it ends while tests run.
	Unfinished bool `json:"unfinished"`

	// Tests are those that began, subtests not counted.
	Tests int `json:"tests"`

	// Races counts the findings that fail a test; Failures the tests that
	// failed for any other reason, and an exit with a status that is not that of the tests. A process that ends with Exit != 0,
	// Races > 0 and Failures == 0 failed because of its races alone.
	Races    int `json:"races"`
	Failures int `json:"failures"`

	// Workers are fuzz tests that failed because of an input: processes that this one started say whether it was by a race.
	Workers int `json:"workers"`

	// Waiting are pairs that may race and were not looked into, of a process with EndUnknown.
	Waiting int `json:"-"`

	Stats     report.Stats       `json:"stats"`
	Uncovered []report.Uncovered `json:"uncovered"`
}

// How processes end that do not exit.
const (
	EndPanic   = "a panic"
	EndTimeout = "its -timeout"
	EndFatal   = "a fatal error of the runtime"
	EndSignal  = "a signal"
	// EndUnknown is the end of a process that left no word itself: what is known of it was in its State.
	EndUnknown = "unknown"
)

// Names of the files a test process leaves in the run's directory, after
// "<pid>-<n>" with n from 0 and counted up while the name is taken.
const (
	// FindingsSuffix is the file with one JSON object (Finding) a line, each
	// line appended with one write as soon as the finding is known.
	FindingsSuffix = ".findings"
	// DeferredSuffix is the trace file with the parts of the run (trace.Deferred) whose goals are possible findings, because the search for
	// their schedules was given up.
	DeferredSuffix = ".deferred"
	// ResultSuffix is the file with one JSON object (Process), which appears
	// whole (written beside, then renamed) when the process ends.
	ResultSuffix = ".result"
	// StateSuffix is the file with the State, in the directory of EnvState.
	StateSuffix = ".state"
)

// MainGoroutine is the number that a recorded process has for its main goroutine; what the runtime
// does before there is one has 1. Each has one more than the runtime's own number of it.
const MainGoroutine = 2
