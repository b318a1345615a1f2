package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/report"
)

// Times are the times of one command, one for each run.
type Times struct {
	Wall  []time.Duration // the whole command, from a warm build cache
	Tests []time.Duration // the sum of the times that the packages print
}

// Measured is the result for one module.
type Measured struct {
	Module      string
	Tests       int // that ran under plain go test, subtests included
	Plain       Times
	Race        Times
	Racepred    Times
	Differences []string // tests that came out differently from plain go test
	Findings    []report.Finding
	RaceReports int // reports of go test -race
}

// measure runs the three commands in turn: once to build, then n times.
func (c *config) measure(ctx context.Context, name, dir, binary string) (*Measured, error) {
	m := &Measured{Module: name}
	reportFile := filepath.Join(dir, "racepred-bench.json")
	commands := []struct {
		tool  *tool.Tool
		times *Times
		flags []string
	}{
		{tool.Go(), &m.Plain, nil},
		{tool.GoRace(), &m.Race, nil},
		{tool.Racepred(binary), &m.Racepred, []string{"-report", reportFile}},
	}
	plain, recorded := make(outcomes), make(outcomes)
	for round := range c.n + 1 {
		for _, cmd := range commands {
			args := slices.Concat(cmd.flags, []string{"-json", "-count=1"}, strings.Fields(c.flags), []string{"./..."})
			job := tool.Job{Dir: dir, Timeout: c.timeout, Args: args}
			begin := time.Now()
			out, _, err := cmd.tool.Run(ctx, job)
			wall := time.Since(begin)
			if err := c.keepOutput(name, cmd.tool.Name, out); err != nil {
				return nil, err
			}
			if err != nil {
				return nil, err
			}
			got := readResults(out)
			if round > 0 {
				cmd.times.Wall = append(cmd.times.Wall, wall)
				cmd.times.Tests = append(cmd.times.Tests, got.elapsed)
			}
			switch cmd.times {
			case &m.Plain:
				plain.add(got)
				m.Tests = got.count()
			case &m.Race:
				m.RaceReports = max(m.RaceReports, strings.Count(out, "WARNING: DATA RACE"))
			case &m.Racepred:
				recorded.add(got)
			}
		}
		if err := m.readReport(reportFile); err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
	}
	m.Differences = differences(plain, recorded)
	return m, c.keepReport(name, reportFile)
}

// readReport adds a run's findings, each source pair once.
func (m *Measured) readReport(file string) error {
	rep, err := tool.ReadReport(file)
	if err != nil {
		return err
	}
	for _, f := range rep.Findings {
		known := slices.ContainsFunc(m.Findings, func(g report.Finding) bool { return g.Fingerprint == f.Fingerprint })
		if !known {
			m.Findings = append(m.Findings, f)
		}
	}
	return nil
}

func (c *config) keepOutput(module, command, out string) error {
	if c.keep == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(c.keep, fileName(module)+"."+command+".out"), []byte(out), 0o666)
}

func (c *config) keepReport(module, file string) error {
	if c.keep == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.keep, fileName(module)+".json"), data, 0o666)
}

func fileName(module string) string { return strings.NewReplacer("/", "_", "@", "_").Replace(module) }
