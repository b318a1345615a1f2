//go:build racepred_seam

package process

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"time"
	"unsafe"

	"github.com/racepred/racepred/internal/classify"
	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/present"
	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/records"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// analysis is the engine of this process and what surrounds it.
type analysis struct {
	engine *engine.Engine
	namer  *present.Namer
	merger records.Merger
	opened []*rpG // the goroutines of the merge under way
	ended  []*rpG // those that had ended before it
	live   int    // goroutines at the last drain
	often  int64  // protocol.Options.Drain
	pace   pace
	gaps   int // drains that gave up waiting for a ticket

	converter *records.Converter

	tests  []string          // by test number; 0 is none
	testOn map[uint32]string // the names of tests that are no subtests, by the goroutines on which they began
	began  int               // how many tests began, without subtests
	races  int               // findings that fail a test

	discarding bool      // protocol.Options.RecordOnly
	check      *checker  // nil without protocol.Options.Check
	noLeaks    bool      // protocol.Options.NoLeaks
	recorder   *recorder // nil: no trace is written
	recordErr  error     // why it ended
	deferred   deferredFile

	dir      string
	printer  report.Printer
	settings protocol.Settings
	wd       string // the working directory at the start
	possible bool
	untold   []byte   // findings that cannot be printed (Detected)
	detected []string // what the findings were that failed no test so far (Detected)
	kept     []byte   // findings that are not written yet
	file     *output  // findings, opened at the first one
	prefix   string   // of this process's files
	err      error    // the first failure to write them
	start    time.Time

	state    *protocol.State // nil: there is none
	how      int32           // how the process ends
	status   int32           // the status that it ends with
	resolved resolved

	lookAtLocks int64            // when the helper looks for cycles of locks next (watchLocks)
	cycles      map[string]cycle // those that it saw last
}

func newAnalysis(set protocol.Settings) *analysis {
	symbols := newSymbols(set.GOROOT)
	namer := present.New(symbols)
	namer.Main = protocol.MainGoroutine
	a := &analysis{
		namer:    namer,
		tests:    []string{""},
		testOn:   map[uint32]string{},
		dir:      set.Dir,
		printer:  report.Printer{Root: set.Root},
		settings: set,
		possible: set.Possible,
		start:    time.Now(),
	}
	a.wd, _ = os.Getwd()
	if bi, ok := debug.ReadBuildInfo(); ok {
		a.namer.Package = testedPackage(bi.Path)
	}
	a.namer.TestName = func(n uint32) string { return a.tests[n] }
	o := set.Options
	a.discarding, a.noLeaks = o.RecordOnly, o.NoLeaks
	a.pace = newPace(o, runtime_now())
	a.often = int64(o.Drain)
	sections := classify.New(symbols)
	converted := records.Config{Take: a.take, Soft: sections.Soft, Appends: sections.Appends, OfLibrary: func(s trace.Site) bool { return runtime_ofLibrary(uint32(s)) }, Seen: set.Seen, Arena: runtime_alloc}
	if o.Check {
		a.check = newChecker()
		converted.Check = a.check.Checker
	}
	a.converter = records.NewConverter(converted)
	a.merger.Free = func(c *records.Chunk) { free((*rpChunk)(unsafe.Pointer(c))) }
	cfg := engine.Config{Memory: o.Memory, Window: o.Window, SearchStates: o.States, Predictors: o.Engines, Arena: runtime_alloc}
	cfg.Directed = a.worthARun
	if a.dir != "" {
		cfg.Deferred = a.deferSearch
	}
	if cfg.Window == 0 {
		cfg.Window = a.pace.window()
	}
	a.engine = engine.New(cfg, a.found)
	a.nameFiles(set.State)
	var err error
	if a.recorder, err = a.newRecorder(set.Trace); err != nil {
		a.unrecorded(err)
	}
	return a
}

func (a *analysis) take(ev *trace.Event) {
	if a.recorder != nil {
		a.record(ev)
	}
	a.engine.Take(ev)
}

// flush makes the engine decide the goals that wait for the end of a test.
func (a *analysis) flush() {
	a.recorded(true)
	a.engine.Flush()
	a.writeFindings()
}

// test returns the number of the name of a test that begins on the calling goroutine.
func (a *analysis) test(name string) uint32 {
	if name != "" && name == topName(name) {
		a.began++
		if self := (*rpG)(runtime_self()); self != nil {
			a.testOn[self.id] = name
		}
	}
	n := uint32(len(a.tests))
	a.tests = append(a.tests, name)
	if a.recorder != nil {
		a.recorder.Test(n, name)
	}
	return n
}

// broken reports that the engine failed. The tests go on without it.
func (a *analysis) broken(r any) {
	msg := fmt.Sprintf("racepred: internal error: %v\nracepred: the rest of this test binary runs without prediction\n%s", r, debug.Stack())
	runtime_write([]byte(msg))
	a.writeFindings()
	a.err = fmt.Errorf("internal error: %v", r)
	a.writeResult()
}

// keep appends f to this process's findings.
func (a *analysis) keep(f *report.Finding) {
	if a.dir == "" || a.err != nil {
		return
	}
	a.kept = protocol.AppendFinding(a.kept, f)
	a.writeFindings()
}

// writeFindings appends what was kept to the file.
func (a *analysis) writeFindings() {
	if len(a.kept) == 0 || a.err != nil {
		return
	}
	if a.file == nil {
		a.file, a.err = create(a.prefix + protocol.FindingsSuffix)
	}
	if a.err == nil {
		_, a.err = a.file.Write(a.kept)
	}
	a.kept = nil
	if a.err != nil {
		a.complain()
	}
}

// complain says once that findings could not be written; they were printed all the same.
func (a *analysis) complain() {
	runtime_write([]byte("racepred: cannot write findings for the report: " + a.err.Error() + "\n"))
}

// uncovered is what this process did not cover.
func (a *analysis) uncovered() []report.Uncovered {
	list := a.missing()
	for _, why := range present.Forgotten(a.engine.Stats()) {
		list = append(list, report.Uncovered{Package: a.namer.Package, Reason: why})
	}
	return list
}

// missing is what is not in the events, however they are analysed.
func (a *analysis) missing() (list []report.Uncovered) {
	if a.converter.Lost() {
		list = append(list, report.Uncovered{Package: a.namer.Package, Reason: "recording ended after " + strconv.FormatUint(a.converter.Events(), 10) +
			" events: too many waited to be analysed, and no goroutine came by a place where it could be done"})
	}
	if n := runtime_unshadowed(); n > 0 {
		list = append(list, report.Uncovered{Package: a.namer.Package, Reason: "nothing is missing, but the system gave no shadow for " + strconv.FormatUint(uint64(n)>>20, 10) +
			" MB of the heap at its address, so that every repeated access there was recorded, which takes time"})
	}
	if n := runtime_unforwarded(); n > 0 {
		list = append(list, report.Uncovered{Package: a.namer.Package, Reason: "what the compiler's wrappers of " + strconv.FormatUint(n, 10) +
			" methods read: it is recorded on Linux, with Go 1.26 or newer, if the system lets constant data be changed"})
	}
	if n := runtime_unstubbed(); n > 0 {
		list = append(list, report.Uncovered{Package: a.namer.Package, Reason: "that " + strconv.FormatUint(n, 10) +
			" methods of dependencies, called through interfaces such as error, are not recorded: sections that call them may be reordered; it is known on Linux, if the system lets constant data be changed"})
	}
	if a.gaps > 0 {
		list = append(list, report.Uncovered{Package: a.namer.Package, Reason: "a thread stood still while recording; events after it were analysed late or not at all"})
	}
	_, busy := runtime_busy() // positions of the library do not count: in nearly every process some are busy
	if why := present.Sampled(busy); why != "" {
		list = append(list, report.Uncovered{Package: a.namer.Package, Reason: why})
	}
	if a.err != nil {
		list = append(list, report.Uncovered{Package: a.namer.Package, Reason: a.err.Error()})
	}
	if a.recordErr != nil {
		list = append(list, report.Uncovered{Package: a.namer.Package, Reason: "the trace is not complete: " + a.recordErr.Error()})
	}
	return list
}

// writeResult writes the process's result, whole or not at all.
func (a *analysis) writeResult() {
	a.endRecord()
	if a.dir == "" {
		return
	}
	st := a.engine.Stats()
	p := a.process()
	p.Exit, p.End, p.Unfinished = int(a.status), told.ended(a.how), told.running.Load() > 0
	p.Tests = a.began
	p.Races, p.Failures, p.Workers = a.races, int(told.failures.Load()), int(told.workers.Load())
	busy, _ := runtime_busy()
	p.Stats = report.Stats{
		Events: a.converter.Events(), Filtered: runtime_filtered(), BusyPositions: uint64(busy),
		Candidates: st.Candidates, Infeasible: st.Infeasible, Unknown: st.Unknown, Evicted: st.Forgot() + st.Lost,
		Seconds: time.Since(a.start).Seconds(), Rules: st.Rules,
	}
	if told.ownFailure(a.how, a.status) {
		p.Failures++
	}
	if a.check != nil {
		p.Stats.Rules = append(p.Stats.Rules, a.check.rules()...)
	}
	p.Uncovered = a.uncovered()
	if err := replace(a.prefix+protocol.ResultSuffix, protocol.AppendProcess(nil, &p)); err != nil {
		a.err = err
		a.complain()
	}
}
