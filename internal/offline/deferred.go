package offline

import (
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/tracefile"
	"github.com/racepred/racepred/internal/witness"
)

// effort bounds the search for a goal that a test process deferred: 64 times the states of its own
// search, and boxes of 16 times the events, which is more than its window has.
func (c Config) effort() engine.Effort {
	stop := func() bool { return c.Stop != nil && c.Stop() != nil }
	return engine.Effort{States: 64 * witness.DefaultStates, Box: 16 * witness.DefaultBox, Stop: stop}
}

// searchOn looks for schedules of goals that the engine gave up on, as SearchDeferred does after a
// test. The engine then gives them out as possible, which is no news about a goal that has a name
// already.
func (c Config) searchOn(a *analysis, u *engine.DeferredSearch) {
	start := time.Now()
	defer func() { a.searched += time.Since(start) }()
	with := c.effort()
	stopped := with.Stop
	with.Stop = func() bool { return stopped() || a.searched+time.Since(start) > c.SearchTime }
	search(u, with, func(x engine.Finding) {
		a.answered.predicted++
		a.found(x)
	}, func(x engine.Finding) {
		a.answered.infeasible++
		a.namer.Name(&x)
	})
}

// search looks for schedules of a search's goals. It gives goals with a schedule to found, and
// those that provably have none to never, unless that is nil.
func search(u *engine.DeferredSearch, with engine.Effort, found, never func(engine.Finding)) {
	u.Search(with, func(n int, finding *engine.Finding) {
		switch {
		case finding.Verdict == report.Predicted:
			found(*finding)
		case u.Goals[n].Alone && never != nil:
			never(*finding)
		}
	})
}

// searchDeferred reads the events of a deferred search, and looks for schedules of its goals as
// search does.
func (c Config) searchDeferred(f *File, found, never func(engine.Finding)) error {
	s, n := f.binary.Deferred()
	u := engine.DeferredSearch{Deferred: *s, Events: make([]trace.Event, 0, min(n, 1<<20))}
	for uint64(len(u.Events)) < n {
		var ev trace.Event
		switch answer, err := f.Next(&ev); {
		case err != nil:
			return err
		case answer == trace.Truncated:
			return nil // the process was killed while it wrote them
		case answer != trace.Next:
			return fmt.Errorf("trace: %s: a deferred search ends after %d events, want %d", f.Name, len(u.Events), n)
		}
		u.Events = append(u.Events, ev)
	}
	search(&u, c.effort(), found, never)
	return nil
}

// SearchDeferred goes on with the goals that the processes of a run deferred, in files in dir, and
// changes their findings in run: a finding with a schedule becomes predicted, one that provably has
// none is dropped. It returns the findings that became predicted, and gives errors about a file to
// note.
func (c Config) SearchDeferred(dir string, run *collect.Run, note func(error)) (predicted []report.Finding) {
	files, err := filepath.Glob(filepath.Join(dir, "*"+protocol.DeferredSuffix))
	if err != nil {
		note(err)
	}
	for _, name := range files {
		p, err := c.searchFile(name, run)
		predicted = append(predicted, p...)
		if err != nil {
			note(err)
		}
	}
	return predicted
}

func (c Config) searchFile(name string, run *collect.Run) (predicted []report.Finding, err error) {
	f, err := Open(name, filepath.Base(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	namer := f.namer()
	namer.Waived = c.Waived
	pid, _ := strconv.Atoi(f.Tables().Value(tracefile.KeyPID))
	found := func(x engine.Finding) {
		out, _, ok := namer.Name(&x)
		if ok {
			predicted = append(predicted, run.Predict(pid, out))
		}
	}
	never := func(x engine.Finding) {
		out, _, _ := namer.Name(&x)
		run.Drop(pid, out)
	}
	for {
		switch answer, err := f.Next(new(trace.Event)); {
		case err != nil:
			return predicted, err
		case answer == trace.DeferredGoals:
			if err := c.searchDeferred(f, found, never); err != nil {
				return predicted, err
			}
		case answer == trace.Next:
			return predicted, fmt.Errorf("trace: %s: an event outside of any deferred search", f.Name)
		default:
			return predicted, nil
		}
	}
}
