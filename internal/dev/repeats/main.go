// Command repeats checks whether the same variables race in recorded traces if accesses that
// goroutines repeat within a span are left out.
//
//	RACEPRED_OPTS=filter=off racepred test -trace traces ./examples/...
//	go run ./internal/dev/repeats traces/*
//
// It prints a line for each file that has races, and exits with 1 if a variable is in one list and
// not in the other.
package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/racepred/racepred/internal/dev/command"
	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/offline"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/repeats"
)

func main() { command.Simple(run) }

func run(files []string, stdout, stderr io.Writer) int {
	if len(files) == 0 {
		return command.Misused("repeats", stderr, errors.New("give the files of the traces"))
	}
	var all, some totals
	same := true
	for _, name := range files {
		with, a, err := analyze(name, nil)
		without, b, err2 := analyze(name, new(repeats.Filter))
		if err := errors.Join(err, err2); err != nil {
			return command.Done("repeats", stderr, false, err)
		}
		all, some = all.plus(a), some.plus(b)
		if !maps.Equal(with, without) {
			same = false
			fmt.Fprintf(stdout, "%s: DIFFERENT: all %v, without repeats %v\n", name, sorted(with), sorted(without))
		} else if len(with) > 0 {
			fmt.Fprintf(stdout, "%s: the same %d bytes race\n", name, len(with))
		}
	}
	fmt.Fprintf(stdout, "%d files, %d events, %d without repeats; %d and %d racing bytes\n", len(files), all.events, some.events, all.racing, some.racing)
	return command.Done("repeats", stderr, same, nil)
}

type totals struct{ events, racing int }

func (t totals) plus(o totals) totals { return totals{t.events + o.events, t.racing + o.racing} }

func sorted(set map[trace.Addr]bool) []trace.Addr { return slices.Sorted(maps.Keys(set)) }

// analyze finds the bytes of a file that race, as observed or predicted; a filter, if any, leaves
// out events.
func analyze(name string, filter *repeats.Filter) (map[trace.Addr]bool, totals, error) {
	f, err := offline.Open(name, name)
	if err != nil {
		return nil, totals{}, err
	}
	defer f.Close()
	racing := make(map[trace.Addr]bool)
	e := engine.New(engine.Config{}, func(f engine.Finding) {
		if f.Verdict != report.Possible {
			a, b := &f.First().Ev, &f.Last().Ev
			for at := max(a.Addr, b.Addr); at < min(a.Addr+trace.Addr(a.Size), b.Addr+trace.Addr(b.Size)); at++ {
				racing[at] = true
			}
		}
	})
	events := 0
	var ev trace.Event
	for {
		answer, err := f.Next(&ev)
		if err != nil {
			return nil, totals{}, err
		}
		switch answer {
		case trace.Next:
			if filter == nil || filter.Keep(&ev) {
				e.Event(ev)
				events++
			}
		case trace.Flushed:
			e.Flush()
		default:
			e.Flush()
			return racing, totals{events, len(racing)}, nil
		}
	}
}
