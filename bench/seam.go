package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// seamBenchmarks are the benchmarks of bench/seamonly, each with how many operations one run does.
var seamBenchmarks = []struct {
	name string
	n    int
}{
	{"Alloc", 5_000_000},
	{"Tree", 10_000},
	{"Slice", 300_000},
	{"JSON", 40_000},
	{"Map", 10_000_000},
	{"Global", 10_000_000},
	{"Mutex", 10_000_000},
	{"Channel", 1_000_000},
	{"Goroutine", 500_000},
}

// seamModes are the modes that they are run in.
var seamModes = []mode{
	{"plain", buildPlain, nil},
	{"-race", buildRace, []string{"GORACE=atexit_sleep_ms=0"}},
	{"recording", buildRacepred, []string{"RACEPRED_OPTS=predict=none"}},
	{"racepred", buildRacepred, []string{"RACEPRED_OPTS="}},
}

// runSeam measures the cost of code that is not recorded, in CPU time, which is steady on a busy
// machine.
func (c *config) runSeam(ctx context.Context, racepred, tmp string, stdout, stderr io.Writer) error {
	dir, err := benchDir(ctx, "seamonly")
	if err != nil {
		return err
	}
	binaries, err := c.build(ctx, dir, ".", racepred, tmp)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CPU time of code that is not recorded, for one operation, median of %d interleaved runs, and its ratio to plain.\n\n", c.n)
	b.WriteString("| benchmark |")
	for _, m := range seamModes {
		fmt.Fprintf(&b, " %s |", m.Name)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(seamModes)) + "\n")
	for _, bench := range seamBenchmarks {
		if !c.match.MatchString(bench.name) {
			continue
		}
		samples := make([]Samples, len(seamModes))
		for range c.n {
			for i, m := range seamModes {
				u, err := use(ctx, dir, m.env, binaries[m.build], "-test.run=^$", "-test.bench=^Benchmark"+bench.name+"$",
					fmt.Sprintf("-test.benchtime=%dx", bench.n))
				if err != nil {
					return err
				}
				samples[i] = append(samples[i], u)
			}
		}
		fmt.Fprintf(&b, "| %s |", bench.name)
		plain := samples[0].median().CPU
		for i := range seamModes {
			cpu := samples[i].median().CPU
			fmt.Fprintf(&b, " %s |", perOperation(cpu, plain, bench.n, i > 0))
		}
		b.WriteString("\n")
		fmt.Fprintln(stderr, "bench:", bench.name)
	}
	return c.print(stdout, b.String())
}

func perOperation(cpu, plain time.Duration, n int, ratio bool) string {
	s := fmt.Sprintf("%.4g ns", float64(cpu.Nanoseconds())/float64(n))
	if ratio {
		s += fmt.Sprintf(" (%.2f)", float64(cpu)/float64(max(plain, 1)))
	}
	return s
}
