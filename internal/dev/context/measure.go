package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/conformance/examples"
	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/report"
)

// runner runs the packages of one load after the other.
type runner struct {
	*config
	*module
	detector *tool.Tool
	dir      string
}

// seen is what one run of the tests showed.
type seen struct {
	tests   []examples.Test // those that were chosen
	all     []examples.Test // those that are there
	results map[string]map[string]examples.Result
	report  *report.Report
}

// run runs the tests, and others of their packages that have the same names, and keeps what came of
// them in files whose names begin with name.
func (r *runner) run(ctx context.Context, name string, tests []examples.Test) (*seen, error) {
	var names, packages []string
	for _, t := range tests {
		names, packages = append(names, t.Name), append(packages, "./"+t.Dir)
	}
	slices.Sort(names)
	slices.Sort(packages)
	file := filepath.Join(r.dir, name+".json")
	// The guarded programs have formats that vet refuses.
	args := []string{"-report", file, "-json", "-count=1", "-vet=off", "-run", anyOf(slices.Compact(names))}
	if r.processes > 0 {
		args = append(args, fmt.Sprint("-p=", r.processes))
	}
	args = slices.Concat(args, strings.Fields(r.flags), slices.Compact(packages))
	out, _, err := r.detector.Run(ctx, tool.Job{Dir: r.module.dir, Args: args, Timeout: r.patience})
	if e := os.WriteFile(filepath.Join(r.dir, name+".log"), []byte(out), 0o666); err == nil {
		err = e
	}
	if err != nil {
		return nil, err
	}
	s := &seen{tests: tests}
	if s.all, err = examples.Find(r.module.dir, "examples"); err != nil {
		return nil, err
	}
	var other []string
	if s.results, other = examples.ReadResults(out, modulePath); len(s.results) == 0 {
		return nil, fmt.Errorf("no test ran:\n%s", strings.Join(other, "\n"))
	}
	s.report, err = tool.ReadReport(file)
	return s, err
}

// found tells whether a finding that fails a test names the test.
func (s *seen) found(t *examples.Test) bool {
	for i := range s.report.Findings {
		if f := &s.report.Findings[i]; f.Kind == t.Want().Kind() && f.Verdict.Fails() && examples.Names(f, t) {
			return true
		}
	}
	return false
}

// alone runs the examples without a load and returns the names of the races that are found (C1).
func (r *runner) alone(ctx context.Context, stderr io.Writer) (map[string]bool, error) {
	begin := time.Now()
	tests, err := r.lay(load{Name: aloneName})
	if err != nil {
		return nil, err
	}
	found := make(map[string]bool)
	look := func(name string, tests []examples.Test) error {
		s, err := r.run(ctx, name, tests)
		if err != nil {
			return err
		}
		for i := range tests {
			if t := &tests[i]; counts(t) && s.found(t) {
				found[short(t)] = true
			}
		}
		return nil
	}
	missing := func(t examples.Test) bool { return counts(&t) && !found[short(&t)] }
	rest := slices.DeleteFunc(tests, func(t examples.Test) bool { return t.Want() == examples.NoRace })
	for i := 0; i < 3 && slices.ContainsFunc(rest, missing); i++ {
		if err := look(fmt.Sprint(aloneName, "-", i), rest); err != nil {
			return nil, err
		}
		rest = inDirectories(rest, missing)
	}
	var lost []string
	for i, t := range rest {
		if missing(t) {
			if err := look(aloneName+"-"+t.Name, rest[i:i+1]); err != nil {
				return nil, err
			}
		}
		if missing(t) {
			lost = append(lost, short(&t))
		}
	}
	fmt.Fprintf(stderr, "context: %-10s found %d, %.0f s\n", aloneName, len(found), time.Since(begin).Seconds())
	if len(lost) > 0 {
		fmt.Fprintln(stderr, "context: not found alone either:", strings.Join(lost, ", "))
	}
	return found, nil
}

// inDirectories keeps all tests of the directories in which one is chosen.
func inDirectories(tests []examples.Test, chosen func(examples.Test) bool) []examples.Test {
	dirs := make(map[string]bool)
	for _, t := range tests {
		dirs[t.Dir] = dirs[t.Dir] || chosen(t)
	}
	return slices.DeleteFunc(tests, func(t examples.Test) bool { return !dirs[t.Dir] })
}

// under runs the examples with a load and compares.
func (r *runner) under(ctx context.Context, l load, alone map[string]bool) (*row, error) {
	begin := time.Now()
	tests, err := r.lay(l)
	if err != nil {
		return nil, err
	}
	w := &row{Load: l.Name, Doc: l.Doc, Lost: []string{}, False: []string{}, NotRun: []string{}, OwnLost: []string{}, Failed: []string{}}
	for i := range r.runs {
		s, err := r.run(ctx, fmt.Sprint(l.Name, "-", i), tests)
		if err != nil {
			return nil, err
		}
		w.take(s, alone)
	}
	w.Seconds = time.Since(begin).Seconds() / float64(r.runs)
	return w, nil
}
