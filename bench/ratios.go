package main

import (
	"fmt"
	"math"
	"strings"
)

// The modes of the ratios, as indices of modes.
const (
	atPlain = iota
	atRace
	atRaceDefault
	atRecording
	atRacepred
)

// workloadTable renders the workloads as Markdown: absolute figures, then ratios.
func workloadTable(measured []*workload, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Test binaries by themselves, median of %d interleaved runs: wall time / CPU time / peak memory.\n", n)
	b.WriteString("`-race` runs with GORACE=atexit_sleep_ms=0; `-race-sleep` is -race as it comes, and differs in wall time only.\n\n")
	b.WriteString("| workload | plain | -race | -race-sleep | recording | racepred |\n| --- |" + strings.Repeat(" ---: |", nModes) + "\n")
	for _, w := range measured {
		fmt.Fprintf(&b, "| %s |", w.Name)
		for i := range w.Samples {
			u := w.Samples[i].median()
			switch {
			case len(w.Samples[i]) == 0:
				b.WriteString(" - |")
			case i == atRaceDefault:
				fmt.Fprintf(&b, " %.2f s |", u.Wall.Seconds())
			default:
				fmt.Fprintf(&b, " %.2f s / %.2f s / %d MB |", u.Wall.Seconds(), u.CPU.Seconds(), u.Memory>>20)
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\nRatios of wall time / CPU time / memory; to -race, of the memory beyond plain's.\n\n")
	b.WriteString("| workload | -race to plain | recording to plain | racepred to plain | recording to -race | racepred to -race |\n| --- |" + strings.Repeat(" ---: |", nModes) + "\n")
	pairs := [][2]int{{atRace, atPlain}, {atRecording, atPlain}, {atRacepred, atPlain}, {atRecording, atRace}, {atRacepred, atRace}}
	means := make([]geomean, len(pairs)*3)
	for _, w := range measured {
		if w.Err != nil {
			continue
		}
		fmt.Fprintf(&b, "| %s |", w.Name)
		plain := w.Samples[atPlain].median()
		for i, p := range pairs {
			if len(w.Samples[p[0]]) == 0 || len(w.Samples[p[1]]) == 0 {
				b.WriteString(" - |")
				continue
			}
			of, to := w.Samples[p[0]].median(), w.Samples[p[1]].median()
			wall := means[3*i].add(float64(of.Wall), float64(to.Wall))
			cpu := means[3*i+1].add(float64(of.CPU), float64(to.CPU))
			if p[1] == atRace { // what each adds
				of.Memory, to.Memory = max(of.Memory-plain.Memory, 1<<20), max(to.Memory-plain.Memory, 1<<20)
			}
			memory := means[3*i+2].add(float64(of.Memory), float64(to.Memory))
			fmt.Fprintf(&b, " %.2f / %.2f / %.2f |", wall, cpu, memory)
		}
		b.WriteString("\n")
	}
	b.WriteString("| **geometric mean** |")
	for i := range pairs {
		if len(means[3*i].logs) == 0 {
			b.WriteString(" - |")
			continue
		}
		fmt.Fprintf(&b, " **%.2f / %.2f / %.2f** |", means[3*i].mean(), means[3*i+1].mean(), means[3*i+2].mean())
	}
	b.WriteString("\n")
	for _, w := range measured {
		if w.Err != nil {
			fmt.Fprintf(&b, "\n%s failed: %v\n", w.Name, w.Err)
		}
	}
	return b.String()
}

// geomean gathers ratios.
type geomean struct {
	logs []float64
}

// add takes in of/to and returns it.
func (g *geomean) add(of, to float64) float64 {
	r := max(of, 1) / max(to, 1)
	g.logs = append(g.logs, math.Log(r))
	return r
}

func (g *geomean) mean() float64 {
	sum := 0.0
	for _, l := range g.logs {
		sum += l
	}
	return math.Exp(sum / float64(max(1, len(g.logs))))
}
