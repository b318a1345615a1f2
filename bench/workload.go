package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// mode is one way to run a workload.
type mode struct {
	Name  string
	build string   // which binary
	env   []string // beside the process's own
}

// The binaries of a workload.
const (
	buildPlain    = "plain"
	buildRace     = "race"
	buildRacepred = "racepred"
)

// modes are measured side by side. The others are compared with the first two.
var modes = []mode{
	{"plain", buildPlain, nil},
	{"-race", buildRace, []string{"GORACE=atexit_sleep_ms=0"}},
	{"-race-sleep", buildRace, []string{"GORACE="}}, // sleeps 1 s at the end
	{"recording", buildRacepred, []string{"RACEPRED_OPTS=predict=none"}},
	{"racepred", buildRacepred, []string{"RACEPRED_OPTS="}},
}

// workload is one directory of bench/workloads, measured.
type workload struct {
	Name    string
	Samples [nModes]Samples // by mode
	Err     error
}

const nModes = 5

// workloads lists the directories of the module at dir whose names match.
func workloads(dir string, match *regexp.Regexp) ([]string, error) {
	tests, err := filepath.Glob(filepath.Join(dir, "*", "*_test.go"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range tests {
		name := filepath.Base(filepath.Dir(t))
		if match.MatchString(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// build makes the binaries of a workload in the directory to.
func (c *config) build(ctx context.Context, dir, name, racepred, to string) (map[string]string, error) {
	commands := map[string][]string{
		buildPlain:    {"go", "test"},
		buildRace:     {"go", "test", "-race"},
		buildRacepred: {racepred, "test"},
	}
	binaries := make(map[string]string)
	for _, b := range []string{buildPlain, buildRace, buildRacepred} {
		file := filepath.Join(to, filepath.Base(dir)+name+"."+b)
		args := append(commands[b][1:], "-c", "-o", file, "./"+name)
		cmd := exec.CommandContext(ctx, commands[b][0], args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
		}
		binaries[b] = file
	}
	return binaries, nil
}

// measureWorkload runs the modes in turn, n times.
func (c *config) measureWorkload(ctx context.Context, dir, name string, binaries map[string]string) *workload {
	w := &workload{Name: name}
	for range c.n {
		for i, m := range modes {
			if len(c.modes) > 0 && !slices.Contains(c.modes, m.Name) {
				continue
			}
			run, cancel := context.WithTimeout(ctx, c.timeout)
			u, err := use(run, filepath.Join(dir, name), m.env, binaries[m.build], "-test.timeout=0")
			cancel()
			if err != nil {
				w.Err = fmt.Errorf("%s: %w", m.Name, err)
				return w
			}
			w.Samples[i] = append(w.Samples[i], u)
		}
	}
	return w
}

// runWorkloads measures all workloads and writes their table; one that fails is listed and makes ok
// false.
func (c *config) runWorkloads(ctx context.Context, racepred, tmp string, stdout, stderr io.Writer) (ok bool, err error) {
	dir, err := benchDir(ctx, "workloads")
	if err != nil {
		return false, err
	}
	names, err := workloads(dir, c.match)
	if err != nil {
		return false, err
	}
	if len(names) == 0 {
		return false, fmt.Errorf("no workload in %s matches %v", dir, c.match)
	}
	ok = true
	var measured []*workload
	for _, name := range names {
		begin := time.Now()
		w := &workload{Name: name}
		var binaries map[string]string
		if binaries, w.Err = c.build(ctx, dir, name, racepred, tmp); w.Err == nil {
			w = c.measureWorkload(ctx, dir, name, binaries)
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		ok = ok && w.Err == nil
		measured = append(measured, w)
		fmt.Fprintf(stderr, "bench: %s %.0f s\n", name, time.Since(begin).Seconds())
	}
	return ok, c.print(stdout, workloadTable(measured, c.n))
}
