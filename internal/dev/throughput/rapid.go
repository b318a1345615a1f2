package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/trace"
)

// rapidClass has RAPID's main classes, and our predictor for the same order.
var rapidClass = map[string]string{"HB": "hb", "HBEpoch": "hb", "WCP": "wcp"}

// racesFound is the exit code of `racepred analyze` if it found races.
const racesFound = 66

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

// compare runs RAPID and our predictors on the same STD file, in turn: `racepred analyze -engines`
// with the predictor for the same order as RAPID's, which is one process with window, engine,
// searches and report; the same with the default predictors; and the bare predictor in a process of
// its own. All times are CPU times of whole processes, with their start and the reading of the
// text; that of the bare predictor begins with the reading. The ratio of elapsed times is beside
// them, since RAPID's collector runs on other cores.
func compare(o options, out io.Writer) error {
	dir, err := os.MkdirTemp("", "throughput")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	racepred, err := tool.Binary(context.Background(), o.racepred, dir)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "| trace | events | RAPID | s | MB | analyze -engines | s | MB | by CPU | elapsed | memory | by default s | by CPU | bare predictor s | by CPU |")
	fmt.Fprintln(out, "| --- | ---: | --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, w := range o.workloads {
		for _, n := range o.events {
			file := filepath.Join(dir, "trace.std")
			n, err := writeSTD(file, w, n)
			if err != nil {
				fmt.Fprintf(out, "\n%v: not compared\n\n", err)
				break
			}
			var whole []result
			theirs, same, bare := make([][]result, len(o.classes)), make([][]result, len(o.classes)), make([][]result, len(o.classes))
			for range o.times {
				r, err := finish(exec.Command(racepred, "analyze", file), n, racesFound)
				if err != nil {
					return err
				}
				whole = append(whole, r)
				for i, c := range o.classes {
					if r, err = startRapid(o.rapid, c, file, n); err != nil {
						return err
					}
					theirs[i] = append(theirs[i], r)
					if r, err = finish(exec.Command(racepred, "analyze", "-engines", rapidClass[c], file), n, racesFound); err != nil {
						return err
					}
					same[i] = append(same[i], r)
					if r, err = start(rapidClass[c], file); err != nil {
						return err
					}
					bare[i] = append(bare[i], r)
				}
			}
			all := median(whole)
			for i, c := range o.classes {
				them, us, alone := median(theirs[i]), median(same[i]), median(bare[i])
				fmt.Fprintf(out, "| %s | %d | %s | %.2f | %d | %s | %.2f | %d | %.1fx | %.0fx | 1/%.1f | %.2f | %.1fx | %.2f | %.0fx |\n", w, n, c, them.Seconds, them.Peak,
					rapidClass[c], us.Seconds, us.Peak, them.Seconds/us.Seconds, them.Elapsed/us.Elapsed, float64(them.Peak)/float64(max(us.Peak, 1)),
					all.Seconds, them.Seconds/all.Seconds, alone.Seconds, them.Seconds/alone.Seconds)
			}
		}
	}
	fmt.Fprintln(out, "\nRAPID and `racepred analyze` are whole processes that read the same STD text, in turn; \"by default\" is without -engines. Times are CPU times. The bare predictor is one\nwithout window, searches and report.")
	return nil
}

func startRapid(dir, class, file string, n int) (result, error) {
	sep := string(os.PathListSeparator)
	cmd := exec.Command("java", "-cp", filepath.Join(dir, "bin")+sep+filepath.Join(dir, "lib", "*"), class, "-f", "std", "-p", file)
	return finish(cmd, n, 0)
}

// finish runs a command on a trace of n events. The exit code also is no error, besides 0.
func finish(cmd *exec.Cmd, n, also int) (result, error) {
	var msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &msg, &msg
	start := time.Now()
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != also {
		return result{}, fmt.Errorf("%v: %w\n%s", cmd.Args, err, msg.String())
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return result{Events: n, Seconds: used.Seconds(), Elapsed: time.Since(start).Seconds(), Peak: peak(cmd.ProcessState)}, nil
}
