package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// result is the result for one unit; it is kept in a file, so that a run can be taken up again.
type result struct {
	Unit      string
	Module    bool
	Has       string
	Go        string
	Files     int // rewritten
	Sites     int
	Unseen    map[string]int // unrecorded accesses by reason
	Left      []string       // packages left as they are, and why
	Plain     map[string]int // how many tests passed, failed, were skipped
	Rewritten map[string]int
	Diffs     []difference // steady ones
	Unsteady  []string     // tests with different outcomes from run to run, as they are or rewritten
	Vet       []string     // messages of go vet about rewritten files only
	Error     string
	Seconds   float64

	// Under racepred test. Real is nil if it was not run.
	Real         map[string]int
	Complete     *completeness // nil if it was not compared
	RealDiffs    []difference
	RealUnsteady []string
}

// tableConfig says what to try, and how.
type tableConfig struct {
	work     string // results, copies of modules, overlays
	only     *regexp.Regexp
	racepred string // a racepred binary for the second column; "" is none
	again    bool   // also what has a result
	all      bool
	complete bool // only compare modules with the compiler's instrumentation
	timeout  string
}

// measure tries all targets that have no result yet.
func (c *tableConfig) measure(targets []target, stdout, stderr io.Writer) error {
	if err := os.MkdirAll(filepath.Join(c.work, "results"), 0o755); err != nil {
		return err
	}
	for _, t := range targets {
		var units []unit
		for _, u := range t.units() {
			old := c.result(u)
			if c.complete {
				if c.only.MatchString(u.name) && t.module != "" && old != nil && (c.again || old.Complete == nil) {
					units = append(units, u)
				}
				continue
			}
			if c.only.MatchString(u.name) && (c.again || old == nil || old.Real == nil && c.racepred != "") {
				units = append(units, u)
			}
		}
		if len(units) == 0 {
			continue
		}
		if err := c.target(t, units, stdout, stderr); err != nil {
			return err
		}
	}
	return nil
}

func (c *tableConfig) target(t target, units []unit, stdout, stderr io.Writer) error {
	p, err := prepare(context.Background(), c.work, t, c.all || c.complete)
	if err != nil {
		for _, u := range units {
			r := &result{Unit: u.name, Module: t.module != "", Has: t.has, Error: err.Error()}
			fmt.Fprintln(stdout, r.line())
			if err := c.save(u, r); err != nil {
				return err
			}
		}
		return nil
	}
	defer os.RemoveAll(filepath.Dir(p.overlay))
	for _, u := range units {
		var r *result
		if c.complete {
			r = c.result(u)
			if r.Complete, err = comparison(p.dir, filepath.Dir(p.overlay), "", u.skip, u.patterns, p.res, stderr); err != nil {
				return err
			}
		} else {
			old := c.result(u)
			r = c.unit(t, p, u, stderr)
			if old != nil {
				r.Complete = old.Complete
			}
		}
		fmt.Fprintln(stdout, r.line())
		if err := c.save(u, r); err != nil {
			return err
		}
	}
	return nil
}

// unit runs the tests of a unit as they are, rewritten and under racepred.
func (c *tableConfig) unit(t target, p *prepared, u unit, stderr io.Writer) *result {
	start := time.Now()
	r := &result{Unit: u.name, Module: t.module != "", Has: t.has, Go: goVersion(), Unseen: map[string]int{}}
	for _, pkg := range p.packages(u, t.module) {
		if !pkg.Rewritten {
			r.Left = append(r.Left, pkg.Path+": "+pkg.Reason)
		}
		for _, f := range pkg.Files {
			if p.res.Files[f] != nil {
				r.Files++
			}
		}
		r.Sites += pkg.Sites
		for _, m := range pkg.Misses {
			r.Unseen[string(m.Why)]++
		}
	}
	test := func(command []string, filter string) outcomes {
		args := append(slices.Clone(command[1:]), "-count=1", "-json", "-short", "-timeout="+c.timeout)
		if command[0] == "go" {
			args = append(args, "-vet=off")
		}
		if filter != "" {
			args = append(args, "-run="+filter)
		}
		if u.skip != "" {
			args = append(args, "-skip="+u.skip)
		}
		return runTests(p.dir, command[0], append(args, u.patterns...), stderr)
	}
	plain := []string{"go", "test"}
	a := test(plain, "")
	r.Plain = a.count()
	again := func(command []string) (n map[string]int, diffs []difference, unsteady []string) {
		b := test(command, "")
		diffs = differences(a, b)
		if len(diffs) > 0 {
			diffs, unsteady = steady(diffs, func(filter string) (outcomes, outcomes) { return test(plain, filter), test(command, filter) })
		}
		return b.count(), diffs, unsteady
	}
	r.Rewritten, r.Diffs, r.Unsteady = again([]string{"go", "test", "-overlay=" + p.overlay})
	r.Vet = p.vetted(u)
	if c.racepred != "" {
		r.Real, r.RealDiffs, r.RealUnsteady = again([]string{c.racepred, "test"})
	}
	r.Seconds = time.Since(start).Seconds()
	return r
}

// steady runs the tests that differ twice more, and sorts out those that end
// otherwise now: the same test may fail at one time and pass at another.
func steady(diffs []difference, again func(filter string) (plain, changed outcomes)) (still []difference, unsteady []string) {
	still = diffs
	for range 2 {
		a, b := again(topLevel(still))
		var next []difference
		for _, d := range still {
			if a.action(d.Test) == d.Was && b.action(d.Test) == d.Is || strings.HasSuffix(d.Test, " ") {
				next = append(next, d)
			} else {
				unsteady = append(unsteady, d.Test)
			}
		}
		if still = next; len(still) == 0 {
			break
		}
	}
	if len(still) > 0 && !slices.ContainsFunc(still, func(d difference) bool { return !strings.HasSuffix(d.Test, " ") }) && len(unsteady) > 0 {
		still = nil // only the package's own outcome is left, which follows from those of its tests
	}
	return still, unsteady
}

func (c *tableConfig) result(u unit) *result {
	b, err := os.ReadFile(filepath.Join(c.work, "results", u.file()))
	if err != nil {
		return nil
	}
	r := &result{}
	if json.Unmarshal(b, r) != nil || r.Error != "" {
		return nil
	}
	return r
}

func (c *tableConfig) save(u unit, r *result) error {
	b, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.work, "results", u.file()), b, 0o644)
}

// line is the result of a unit in one line.
func (r *result) line() string {
	if r.Error != "" {
		return r.Unit + ": " + r.Error
	}
	s := fmt.Sprintf("%s: %d files, %d sites, %s; rewritten %s, %d differ, %d unsteady, vet %d",
		r.Unit, r.Files, r.Sites, counts(r.Plain), counts(r.Rewritten), len(r.Diffs), len(r.Unsteady), len(r.Vet))
	if r.Real != nil {
		s += fmt.Sprintf("; racepred %s, %d differ, %d unsteady", counts(r.Real), len(r.RealDiffs), len(r.RealUnsteady))
	}
	if c := r.Complete; c != nil {
		s += fmt.Sprintf("; the compiler sees %d, %d recorded, %d unknown", c.Seen, c.Have, len(c.Unknown))
	}
	return s + fmt.Sprintf(" (%.0f s)", r.Seconds)
}

func counts(n map[string]int) string {
	s := fmt.Sprintf("%d/%d/%d", n["pass"], n["fail"], n["skip"])
	if n["none"] > 0 {
		s += fmt.Sprintf("/%d", n["none"])
	}
	return s
}

func readFile(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(b)
}

func goVersion() string {
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
