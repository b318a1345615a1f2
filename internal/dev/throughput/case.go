package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/racepred/racepred/internal/dev/cputime"
	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/offline"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/trace"
)

// caseFlag is the first argument of a process that measures one case.
const caseFlag = "-case"

var predictorNames = []string{"hb", "wcp", "hb+wcp", "engine", "analysis"}

// result is the result of one case.
type result struct {
	Events     int
	Seconds    float64 // of CPU, in the predictors and in the reader of a file if there is one, the collector's work included
	Search     float64 // seconds of CPU at the end, of "analysis": the searches for schedules; they count for Seconds
	Predicted  uint64  // pairs with a schedule
	Elapsed    float64 // seconds; whole cases of -rapid only
	Candidates int     // given out on the stream; by the engine these are the observed ones, it is not asked for witnesses (Flush); not the same pairs of positions for all predictors
	Evicted    uint64
	Queue      int // logged sections of WCP, at most; -1 without WCP
	Peak       int // resident memory of the process, MB; filled in by the process that started it
}

// subject is what one case measures.
type subject struct {
	event      func(trace.Seq, *trace.Event)
	candidates int
	evicted    func() uint64
	queue      func() int          // logged sections of WCP, at most; nil without WCP
	search     func() engine.Stats // nil where there is nothing to search
}

func newSubject(name string) *subject {
	s := &subject{}
	one := func(name string) predict.Predictor {
		p := predictors.One(name, predict.Config{}, func(predict.Candidate) { s.candidates++ })
		if w, ok := p.(interface{ MaxLogged() int }); ok {
			s.queue = w.MaxLogged
		}
		return p
	}
	switch name {
	case "hb", "wcp":
		p := one(name)
		s.event, s.evicted = p.Event, func() uint64 { return p.Stats().Forgot() }
	case "hb+wcp":
		p, q := one("hb"), one("wcp")
		s.event = func(seq trace.Seq, ev *trace.Event) {
			p.Event(seq, ev)
			q.Event(seq, ev)
		}
		s.evicted = func() uint64 { return p.Stats().Forgot() + q.Stats().Forgot() }
	case "engine":
		e := engine.New(engine.Config{}, func(engine.Finding) { s.candidates++ })
		s.event = func(_ trace.Seq, ev *trace.Event) { e.Take(ev) }
		s.evicted = func() uint64 { return e.Stats().Forgot() }
	case "analysis": // as racepred analyze does with a trace that has every access
		e := engine.New(engine.Config{Complete: true}, func(engine.Finding) { s.candidates++ })
		s.event = func(_ trace.Seq, ev *trace.Event) { e.Take(ev) }
		s.evicted = func() uint64 { return e.Stats().Forgot() }
		s.search = func() engine.Stats {
			e.Ended()
			e.Flush()
			return e.Stats()
		}
	}
	return s
}

// child measures one case: predictors, workload and events, or predictors and an STD file.
func child(args []string, out io.Writer) error {
	s := newSubject(args[0])
	var spent, elapsed time.Duration
	n := 0
	if len(args) == 2 {
		file, err := os.Open(args[1])
		if err != nil {
			return err
		}
		defer file.Close()
		start, since := time.Now(), cputime.Now()
		src := trace.ReadAhead(trace.NewSTDReader(file, args[1]))
		defer src.Stop()
		for {
			events, a, err := src.Batch()
			if err != nil {
				return err
			}
			if a != trace.Next {
				break
			}
			for i := range events {
				s.event(trace.Seq(n+i), &events[i])
			}
			n += len(events)
		}
		spent, elapsed = cputime.Now()-since, time.Since(start)
	} else {
		events, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		fill, err := source(args[1], events)
		if err != nil {
			return err
		}
		for batch := make([]trace.Event, 1<<13); ; {
			k, err := fill(batch)
			if err != nil {
				return err
			}
			if k == 0 {
				break
			}
			since := cputime.Now()
			for i := range batch[:k] {
				s.event(trace.Seq(n+i), &batch[i])
			}
			spent += cputime.Now() - since
			n += k
		}
	}
	searched, predicted := time.Duration(0), uint64(0)
	if s.search != nil {
		since := cputime.Now()
		predicted = s.search().Predicted
		searched = cputime.Now() - since
		spent += searched
		elapsed += searched
	}
	r := result{Search: searched.Seconds(), Predicted: predicted, Events: n, Seconds: spent.Seconds(), Elapsed: elapsed.Seconds(), Candidates: s.candidates, Evicted: s.evicted(), Queue: -1}
	if s.queue != nil {
		r.Queue = s.queue()
	}
	return json.NewEncoder(out).Encode(r)
}

// source gives a function that puts the next events into its argument and says how many, 0 at the
// end: of a made-up trace with about that many events, or of a recorded one, that many at most.
func source(name string, events int) (func([]trace.Event) (int, error), error) {
	if w := workload(name); w != nil {
		t := w.New(events, 1)
		return func(batch []trace.Event) (int, error) { return t.Fill(batch), nil }, nil
	}
	f, err := offline.Open(name, name)
	if err != nil {
		return nil, err
	}
	return func(batch []trace.Event) (int, error) {
		n := 0
		for n < len(batch) && events > 0 {
			switch answer, err := f.Next(&batch[n]); {
			case err != nil:
				return 0, err
			case answer == trace.DeferredGoals:
				return 0, trace.ErrDeferred
			case answer == trace.Next:
				n++
				events--
			case answer != trace.Flushed:
				return n, nil
			}
		}
		return n, nil
	}, nil
}

// start runs a case in a process of its own.
func start(args ...string) (r result, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	cmd := exec.Command(self, append([]string{caseFlag}, args...)...)
	var out, msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msg
	if err := cmd.Run(); err != nil {
		return r, fmt.Errorf("%v: %w\n%s", args, err, msg.String())
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return r, fmt.Errorf("%v: %w", args, err)
	}
	r.Peak = peak(cmd.ProcessState)
	return r, nil
}
