package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/racepred/racepred/internal/trace"
)

// rapidClass are RAPID's main classes and what of ours does the same.
var rapidClass = []struct{ class, ours string }{{"HB", "hb"}, {"HBEpoch", "hb"}, {"WCP", "wcp"}}

// writeSTD writes a workload as STD text. An error says that STD has no such event.
func writeSTD(file, workloadName string, events int) (n int, err error) {
	f, err := os.Create(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	var line []byte
	t := workload(workloadName).New(events, 1)
	for ev := (trace.Event{}); ; n++ {
		if a, _ := t.Next(&ev); a != trace.Next {
			break
		}
		op, ok := trace.STDNames[ev.Kind]
		if !ok {
			return n, fmt.Errorf("%s: STD has no %v", workloadName, ev.Kind)
		}
		line = fmt.Appendf(line[:0], "T%d|%s(", ev.G, op)
		switch ev.Kind.Spec().Operand {
		case trace.OnBytes:
			line = fmt.Appendf(line, "V%x", ev.Addr)
		case trace.OnLock:
			line = fmt.Appendf(line, "L%x", ev.Addr)
		case trace.OnG:
			line = fmt.Appendf(line, "T%d", ev.Other)
		default:
			line = append(line, '0')
		}
		line = append(line, ")|"...)
		line = strconv.AppendUint(line, uint64(ev.Site), 10)
		if _, err := out.Write(append(line, '\n')); err != nil {
			return n, err
		}
	}
	return n, out.Flush()
}

// compare runs RAPID and ours on the same STD file; both times include reading it. Speeds are by CPU time, RAPID's being the
// whole process's; the ratio of elapsed times is beside it, since RAPID's collector runs on other cores.
func compare(o options, out io.Writer) error {
	dir, err := os.MkdirTemp("", "throughput")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	header(out, o)
	fmt.Fprintln(out, "| trace | events | predictor | RAPID M events/s | racepred M events/s | by CPU | elapsed | RAPID MB | racepred MB | ratio |")
	fmt.Fprintln(out, "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, w := range o.workloads {
		for _, n := range o.events {
			file := filepath.Join(dir, "trace.std")
			n, err := writeSTD(file, w, n)
			if err != nil {
				fmt.Fprintf(out, "\n%v: not compared\n\n", err)
				break
			}
			for _, c := range rapidClass {
				var theirs, ours []result
				for range o.times {
					r, err := startRapid(o.rapid, c.class, file, n)
					if err != nil {
						return err
					}
					theirs = append(theirs, r)
					if r, err = start(c.ours, file); err != nil {
						return err
					}
					ours = append(ours, r)
				}
				a, b := median(theirs), median(ours)
				fmt.Fprintf(out, "| %s | %d | %s | %.2f | %.2f | %.0fx | %.0fx | %d | %d | 1/%.0f |\n", w, n, c.class,
					a.speed()/1e6, b.speed()/1e6, b.speed()/a.speed(), a.Elapsed/b.Elapsed, a.Peak, b.Peak, float64(a.Peak)/float64(max(b.Peak, 1)))
			}
		}
	}
	return nil
}

func startRapid(dir, class, file string, n int) (result, error) {
	sep := string(os.PathListSeparator)
	cmd := exec.Command("java", "-cp", filepath.Join(dir, "bin")+sep+filepath.Join(dir, "lib", "*"), class, "-f", "std", "-p", file)
	var msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &msg, &msg
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return result{}, fmt.Errorf("%v: %w\n%s", cmd.Args, err, msg.String())
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return result{Events: n, Seconds: used.Seconds(), Elapsed: time.Since(start).Seconds(), Peak: peak(cmd.ProcessState)}, nil
}
