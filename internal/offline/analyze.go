package offline

import (
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/present"
	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/tracefile"
	"github.com/racepred/racepred/internal/waive"
)

// Config says how to analyse.
type Config struct {
	// Predictors run besides happens-before; nil means those of the recording process.
	Predictors []string
	// Window is how many events are kept for witnesses; 0 means the window of the recording
	// process.
	Window int
	// Complete says whether files have every access: recordings leave out those that repeat one of
	// their span. nil means that files in STD format have every access, since other tools write
	// them.
	Complete *bool
	// Memory bounds the engine, in bytes; 0 means the bound of the recording process.
	Memory int
	// Waived are rules for findings that do not fail the run; nil: there are none.
	Waived *waive.Rules
	// Progress is called now and then, unless it is nil.
	Progress func(f *File, events uint64)
	// Stop is asked now and then whether to give up; nil goes on.
	Stop func() error
	// SearchTime is how long Analyze may go on, in all, with searches that a test process would
	// leave to be searched for after the tests; 0: not at all.
	SearchTime time.Duration
}

// progressEvery is how many events lie between two calls of Config.Progress; a power of two.
const progressEvery = 1 << 16

// Analyze feeds a file's events to the engine and adds the findings to run. If it returns an
// error it has added nothing.
func (c Config) Analyze(f *File, run *collect.Run) error {
	start := time.Now()
	t := f.Tables()
	a, err := c.start(f, t)
	if err != nil {
		return err
	}
	next, stop, err := c.batches(f, a.complete)
	if err != nil {
		return err
	}
	defer stop()
	goals := false
	for {
		events, answer, err := next()
		if err != nil {
			return err
		}
		switch answer {
		case trace.Next:
			for i := range events {
				a.engine.Take(&events[i])
			}
			before := a.events
			if a.events += uint64(len(events)); a.events/progressEvery != before/progressEvery {
				if err := c.pause(f, a.events); err != nil {
					return err
				}
			}
			continue
		case trace.Flushed:
			a.engine.Flush()
			continue
		case trace.DeferredGoals:
			goals = true
			if err := c.searchDeferred(f, a.found, nil); err != nil {
				return err
			}
			continue
		case trace.Ended:
			if f.Format != Binary { // a recording ends with its process, while goroutines are still in the middle of something
				a.engine.Ended()
			}
		case trace.Truncated:
			if a.events == 0 && !goals {
				return fmt.Errorf("%s breaks off before its first event: the process was killed, or crashed, and there is nothing to analyse", f.Name)
			}
			a.notes = append(a.notes, fmt.Sprintf("%s breaks off after %d events: the process was killed, or crashed; what came before is analysed", f.Name, a.events))
		}
		a.engine.Flush()
		a.addTo(run, f, t, time.Since(start))
		return nil
	}
}

func (c Config) pause(f *File, events uint64) error {
	if c.Progress != nil {
		c.Progress(f, events)
	}
	if c.Stop != nil {
		return c.Stop()
	}
	return nil
}

// analysis is an engine and names for its findings, as the tested process has them.
type analysis struct {
	engine   *engine.Engine
	complete bool // the trace has every access
	namer    *present.Namer
	events   uint64
	races    int
	findings []report.Finding
	unnamed  []unnamed // of the findings of a trace in STD format
	std      bool
	notes    []string
	searched time.Duration                          // in all, by Config.SearchTime
	answered struct{ predicted, infeasible uint64 } // goals, by those searches
}

func (c Config) start(f *File, t *tracefile.Tables) (*analysis, error) {
	a := &analysis{namer: f.namer()}
	o, err := protocol.ParseOptions(t.Value(tracefile.KeyOptions))
	if err != nil {
		return nil, fmt.Errorf("trace: %s: options of the recording process: %w", f.Name, err)
	}
	cfg := engine.Config{Memory: o.Memory, Window: o.Window, SearchStates: o.States, Predictors: o.Engines}
	if c.Predictors != nil {
		cfg.Predictors = c.Predictors
	}
	cfg.Complete = f.Format == STD
	if c.Complete != nil {
		cfg.Complete = *c.Complete
	}
	if c.Window > 0 {
		cfg.Window = c.Window
	}
	if c.Memory > 0 {
		cfg.Memory = c.Memory
	}
	a.complete, a.std = cfg.Complete, f.Format == STD
	cfg.Directed = a.found
	if c.SearchTime > 0 {
		cfg.Deferred, cfg.PairStates = func(u *engine.DeferredSearch) { c.searchOn(a, u) }, -1
	}
	a.engine = engine.New(cfg, a.found)
	return a, nil
}

// namer names findings with the file's tables.
func (f *File) namer() *present.Namer {
	t := f.Tables()
	n := present.New(f.Symbols())
	n.Package = t.Value(tracefile.KeyPackage)
	n.TestName = func(n uint32) string { return t.Tests[n] }
	if f.Format == Binary && t.Value(KeySource) == "" { // of a process
		n.Main = protocol.MainGoroutine
	}
	return n
}

func (a *analysis) found(f engine.Finding) {
	out, first, ok := a.namer.Name(&f)
	if !ok {
		return
	}
	if first {
		a.races++
	}
	a.findings = append(a.findings, out)
	if a.std {
		a.unnamed = append(a.unnamed, newUnnamed(&f))
	}
}

func (a *analysis) addTo(run *collect.Run, f *File, t *tracefile.Tables, took time.Duration) {
	st := a.engine.Stats()
	p := protocol.Process{
		Package: a.namer.Package, Dir: t.Value(tracefile.KeyDir), Races: a.races,
		Stats: report.Stats{
			Events: a.events, Candidates: st.Candidates, Infeasible: st.Infeasible + a.answered.infeasible,
			Unknown: st.Unknown - a.answered.predicted - a.answered.infeasible, Evicted: st.Forgot() + st.Lost,
			Seconds: took.Seconds(), Rules: st.Rules,
		},
	}
	p.PID, _ = strconv.Atoi(t.Value(tracefile.KeyPID))
	if s := f.Summary(); s != nil {
		p.Stats.Filtered = s.Filtered
		a.notes = append(a.notes, s.Notes...)
	}
	a.notes = append(a.notes, present.Forgotten(st)...)
	a.notes = append(a.notes, malformed(f)...)
	if a.std {
		names := newSTDNames(f, filepath.Base(f.Name))
		for i := range a.findings {
			names.put(&a.findings[i], &a.unnamed[i])
		}
	}
	for _, n := range a.notes {
		p.Uncovered = append(p.Uncovered, report.Uncovered{Package: a.namer.Package, Reason: n})
	}
	run.Processes = append(run.Processes, p)
	for _, f := range a.findings {
		run.Add(f)
	}
}
