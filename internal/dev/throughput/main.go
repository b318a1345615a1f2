// Command throughput measures how many events a second the predictors analyse, and with how much
// memory: made-up traces (package trace/gen), or traces that `racepred test -trace` recorded -> a
// Markdown table.
//
//	go run ./internal/dev/throughput [flags] [TRACE...]
//
// Every case runs in a process of its own, so that peak memory is its own; the trace is made in
// batches outside of the measured time. The cases of a trace run in turn, all lengths and
// predictors, -n times, so that a busy machine disturbs all alike; times are medians of CPU time,
// the garbage collector's included. "Of first" compares with the first length.
// docs/results/throughput.md and rapid.md are the pages (-md).
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/dev/command"
	"github.com/racepred/racepred/internal/trace/gen"
)

func main() { command.Simple(run) }

type options struct {
	workloads, predictors []string // of workloads, or files
	events                []int
	times                 int
	rapid                 string   // directory, "" for none
	classes               []string // of RAPID
	racepred              string   // the binary, "" to build it
	md                    string   // the page to write, "" for none
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == caseFlag {
		return command.Done("throughput", stderr, true, child(args[1:], stdout))
	}
	o, err := parse(args, stderr)
	if err != nil {
		return command.Misused("throughput", stderr, err)
	}
	var page bytes.Buffer
	out := io.MultiWriter(stdout, &page)
	if o.rapid != "" {
		err = compare(*o, out)
	} else {
		err = measure(*o, out)
	}
	if o.md != "" && err == nil {
		err = command.WritePage(o.md, page.String(), "go run ./internal/dev/throughput", args...)
	}
	return command.Done("throughput", stderr, true, err)
}

// parse reads the command line.
func parse(args []string, stderr io.Writer) (*options, error) {
	f := flag.NewFlagSet("throughput", flag.ContinueOnError)
	f.SetOutput(stderr)
	workloads := f.String("workloads", "a8,s4,rw,matrix,list,spawn,pool", "`names` of traces, with commas")
	predictors := f.String("predictors", "hb,wcp,hb+wcp,engine", "`names` with commas: hb, wcp, hb+wcp one after the other, engine with window and all, analysis with the search for schedules as well")
	events := f.String("events", "100000,1000000,10000000", "`lengths` of the traces, with commas")
	times := f.Int("n", 3, "measure so often and take the median")
	rapid := f.String("rapid", "", "`directory` of a RAPID build (github.com/umangm/rapid): classes in bin, libraries in lib.\n"+
		"Its -classes, racepred analyze and our bare predictors read the traces that STD can express from one text file; needs java")
	classes := f.String("classes", "HB,HBEpoch,WCP", "`names` of RAPID's engines with commas")
	racepred := f.String("racepred", "", "`file` of the racepred that RAPID is compared with (default: built from this module)")
	md := f.String("md", "", "write the page to the `file` too")
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: throughput [flags] [TRACE...]\n\nPrints a Markdown table of events per second and peak memory: of recorded traces, up to each length, or of these workloads:")
		for _, w := range gen.Workloads {
			fmt.Fprintf(stderr, "  %-8s%s\n", w.Name, w.What)
		}
		fmt.Fprintln(stderr, "\nThe flags; without -rapid nothing but Go is needed:")
		f.PrintDefaults()
	}
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o := &options{workloads: strings.Split(*workloads, ","), predictors: strings.Split(*predictors, ","), times: *times, rapid: *rapid,
		classes: strings.Split(*classes, ","), racepred: *racepred, md: *md}
	for s := range strings.SplitSeq(*events, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("-events: %q is no number of events", s)
		}
		o.events = append(o.events, n)
	}
	if f.NArg() > 0 {
		o.workloads = f.Args()
	}
	for _, name := range o.workloads {
		if workload(name) == nil && f.NArg() == 0 {
			return nil, fmt.Errorf("-workloads: there is no %q; see -help", name)
		}
	}
	for _, name := range o.predictors {
		if !slices.Contains(predictorNames, name) {
			return nil, fmt.Errorf("-predictors: there is no %q; see -help", name)
		}
	}
	for _, c := range o.classes {
		if rapidClass[c] == "" {
			return nil, fmt.Errorf("-classes: there is no %q; see -help", c)
		}
	}
	if o.times <= 0 {
		return nil, fmt.Errorf("-n: %d is no number of measurements", o.times)
	}
	return o, nil
}

func workload(name string) *gen.Workload {
	i := slices.IndexFunc(gen.Workloads, func(w gen.Workload) bool { return w.Name == name })
	if i < 0 {
		return nil
	}
	return &gen.Workloads[i]
}
