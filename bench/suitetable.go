package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/report"
)

// suiteGoals are the upper bounds for the ratios of racepred to -race.
const (
	goalMean   = 0.6 // CPU, geometric mean
	goalEach   = 1.0 // CPU, of each module
	goalMemory = 1.0 // of each module
)

// use is the package's usage in a mode: the medians.
func (p *suitePackage) use(mode int) Usage { return p.Samples[mode].median() }

// use is the suite's usage in a mode: the sum of its packages' CPU time, and the most memory of one
// of them.
func (m *measuredSuite) use(mode int) Usage {
	var u Usage
	for _, p := range m.Packages {
		if p.LeftOut == "" {
			of := p.use(mode)
			u.Wall, u.CPU, u.Memory = u.Wall+of.Wall, u.CPU+of.CPU, max(u.Memory, of.Memory)
		}
	}
	return u
}

func (m *measuredSuite) measured() bool { return m.use(0).CPU > 0 }

// line is the package in one line.
func (p *suitePackage) line() string {
	if p.LeftOut != "" {
		return p.Package + " left out: " + p.LeftOut
	}
	return fmt.Sprintf("%s CPU %s, %s, %s", p.Package, seconds(p.use(0).CPU), seconds(p.use(1).CPU), seconds(p.use(2).CPU))
}

// suitePage renders the suites as Markdown.
func suitePage(all []*measuredSuite, rounds int) string {
	var b strings.Builder
	b.WriteString("# Test suites of real modules\n\n")
	fmt.Fprintf(&b, "CPU time (user and system) and peak memory of the test processes alone, median of %d interleaved runs: plain `go test`, `go test -race` without its sleep at exit "+
		"(GORACE=atexit_sleep_ms=0), and `racepred test`. Building does not count. A module's CPU time is the sum of its packages', its memory that of the largest process.\n"+
		"\n", rounds)
	b.WriteString("| module | plain | -race | racepred | CPU: -race to plain | racepred to plain | racepred to -race | memory: racepred to -race |\n| --- |" + strings.Repeat(" ---: |", 7) + "\n")
	var race, plain, both, memory geomean
	var above []string
	for _, m := range all {
		if !m.measured() {
			continue
		}
		u := [...]Usage{m.use(0), m.use(1), m.use(2)}
		fmt.Fprintf(&b, "| %s |", m.suite)
		for _, of := range u {
			fmt.Fprintf(&b, " %s, %d MB |", seconds(of.CPU), of.Memory>>20)
		}
		r := race.add(float64(u[1].CPU), float64(u[0].CPU))
		q := plain.add(float64(u[2].CPU), float64(u[0].CPU))
		cpu := both.add(float64(u[2].CPU), float64(u[1].CPU))
		mem := memory.add(float64(u[2].Memory), float64(u[1].Memory))
		fmt.Fprintf(&b, " %.2f | %.2f | %s | %s |\n", r, q, bold(cpu, goalEach), bold(mem, goalMemory))
		if cpu > goalEach || mem > goalMemory {
			above = append(above, m.Module)
		}
	}
	fmt.Fprintf(&b, "| **geometric mean** | | | | %.2f | %.2f | %s | %.2f |\n\n", race.mean(), plain.mean(), bold(both.mean(), goalMean), memory.mean())
	fmt.Fprintf(&b, "Goals: CPU time at most %.1f of -race's in the geometric mean, and neither CPU time nor memory above -race's in any module; bold is what misses one", goalMean)
	if len(above) > 0 {
		fmt.Fprintf(&b, " (%d of %d modules)", len(above), len(both.logs))
	}
	b.WriteString(".\n\n## Packages\n\nWhat a run under racepred recorded: *busy* are positions at which accesses were left out.\n\n")
	b.WriteString("| package | CPU plain, -race, racepred | to -race | memory, to -race | events | busy | evicted | candidates | predicted | observed | possible |\n| --- |" + strings.Repeat(" ---: |", 10) + "\n")
	for _, m := range all {
		for _, p := range m.Packages {
			if p.LeftOut == "" {
				p.row(&b, m)
			}
		}
	}
	suiteNotes(&b, all)
	return b.String()
}

func bold(ratio, goal float64) string {
	if ratio > goal {
		return fmt.Sprintf("**%.2f**", ratio)
	}
	return fmt.Sprintf("%.2f", ratio)
}

func (p *suitePackage) row(b *strings.Builder, m *measuredSuite) {
	plain, race, racepred := p.use(0), p.use(1), p.use(2)
	s := p.Report.Stats
	fmt.Fprintf(b, "| %s | %s, %s, %s | %.2f | %d MB, %.2f | %d | %d | %d | %d | %d | %d | %d |\n", m.path(p),
		seconds(plain.CPU), seconds(race.CPU), seconds(racepred.CPU), ratio(racepred.CPU, race.CPU),
		racepred.Memory>>20, ratio(time.Duration(racepred.Memory), time.Duration(race.Memory)),
		s.Events, s.BusyPositions, s.Evicted, s.Candidates, p.Verdicts[report.Predicted]+p.Verdicts[report.Confirmed], p.Verdicts[report.Observed], p.Verdicts[report.Possible])
}

func ratio(of, to time.Duration) float64 { return float64(of) / float64(max(to, 1)) }

func (m *measuredSuite) path(p *suitePackage) string {
	if p.Package == "." {
		return m.Module
	}
	return m.Module + "/" + p.Package
}

// suiteNotes lists the packages that were left out, that failed, and that were not covered.
func suiteNotes(b *strings.Builder, all []*measuredSuite) {
	var lines []string
	add := func(name, format string, args ...any) {
		lines = append(lines, "- "+name+": "+strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
	}
	for _, m := range all {
		if m.LeftOut != "" {
			add(m.String(), "left out: %s", m.LeftOut)
		}
		for _, p := range m.Packages {
			if p.LeftOut != "" {
				add(m.path(p), "left out: %s", p.LeftOut)
				continue
			}
			for i, failed := range p.Failed {
				if len(failed) > 0 && !(i > 0 && slices.Equal(failed, p.Failed[0])) {
					add(m.path(p), "failed, %s: %s", suiteModes[i].Name, strings.Join(failed, ", "))
				}
			}
			for _, u := range p.Report.Uncovered {
				add(m.path(p), "not covered: %s %s", u.Package, u.Reason)
			}
		}
	}
	if len(lines) > 0 {
		b.WriteString("\n## Notes\n\n" + strings.Join(lines, "\n") + "\n")
	}
}

// suiteFigure is one package in the file of -json.
type suiteFigure struct {
	Module    string             `json:"module"`
	Version   string             `json:"version"`
	Package   string             `json:"package"`
	LeftOut   string             `json:"left_out,omitempty"`
	CPU       map[string]float64 `json:"cpu_seconds"`
	Memory    map[string]int64   `json:"memory_bytes"`
	Stats     *report.Stats      `json:"stats,omitempty"`
	Predicted int                `json:"predicted"`
	Observed  int                `json:"observed"`
	Uncovered []report.Uncovered `json:"uncovered"`
}

func suiteFigures(all []*measuredSuite) []suiteFigure {
	var figures []suiteFigure
	for _, m := range all {
		if m.LeftOut != "" {
			figures = append(figures, suiteFigure{Module: m.Module, Version: m.Version, LeftOut: m.LeftOut})
		}
		for _, p := range m.Packages {
			f := suiteFigure{Module: m.Module, Version: m.Version, Package: p.Package, LeftOut: p.LeftOut, CPU: map[string]float64{}, Memory: map[string]int64{}}
			if p.LeftOut == "" {
				for i, mode := range suiteModes {
					f.CPU[mode.Name], f.Memory[mode.Name] = p.use(i).CPU.Seconds(), p.use(i).Memory
				}
				f.Stats, f.Uncovered = &p.Report.Stats, p.Report.Uncovered
				f.Predicted, f.Observed = p.Verdicts[report.Predicted]+p.Verdicts[report.Confirmed], p.Verdicts[report.Observed]
			}
			figures = append(figures, f)
		}
	}
	return figures
}
