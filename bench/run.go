package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/dev/command"
	"github.com/racepred/racepred/internal/dev/fetch"
)

// config is the command line.
type config struct {
	n       int
	binary  string
	keep    string
	flags   string
	timeout time.Duration
	modules []string       // none: the workloads
	match   *regexp.Regexp // which workloads
	seam    bool
	hard    bool          // -stress
	atOnce  bool          // -exit
	short   bool          // stress: seconds
	soak    time.Duration // stress: of each soak
	modes   []string      // names; none: all
	md      string        // file for the table
	args    []string      // the command line
}

func parse(args []string, stderr io.Writer) (*config, error) {
	c := &config{args: args}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.IntVar(&c.n, "n", 3, "measured `runs` of each command; 0 only compares the results")
	fs.StringVar(&c.binary, "racepred", "", "the racepred `binary` (default: built from this module)")
	fs.StringVar(&c.keep, "keep", "", "keep each module's JSON report and output in the `directory`")
	fs.StringVar(&c.flags, "flags", "", "more `flags` of go test for all three, separated by spaces")
	fs.DurationVar(&c.timeout, "timeout", 10*time.Minute, "give up on one command after this `duration`")
	fs.StringVar(&c.md, "md", "", "write the table to the `file` too, with a line that says how it was made")
	fs.BoolVar(&c.seam, "seam", false, "measure code that is not recorded, in a binary with the hooks")
	fs.BoolVar(&c.hard, "stress", false, "run the programs of bench/stress")
	fs.BoolVar(&c.short, "short", false, "with -stress: for a few seconds each")
	fs.DurationVar(&c.soak, "for", 10*time.Minute, "with -stress: how long each soak takes")
	fs.BoolVar(&c.atOnce, "exit", false, "measure a test binary that has nothing to do")
	only := fs.String("modes", "", "run the workloads in these `modes` only, with commas between: plain, -race, -race-sleep, recording, racepred")
	run := fs.String("run", "", "measure the workloads that match the `regexp` only")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	var err error
	if c.match, err = regexp.Compile(*run); err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	if c.n < 0 {
		fs.Usage()
		return nil, fmt.Errorf("-n %d: want 0 or more", c.n)
	}
	if *only != "" {
		c.modes = strings.Split(*only, ",")
	}
	for _, m := range c.modes {
		if !slices.ContainsFunc(modes, func(known mode) bool { return known.Name == m }) {
			return nil, fmt.Errorf("-modes: there is no mode %s", m)
		}
	}
	c.modules = fs.Args()
	if slices.Equal(c.modules, []string{"standard"}) {
		c.modules = standard
	}
	if len(c.modules) == 0 && c.n == 0 {
		fs.Usage()
		return nil, fmt.Errorf("-n 0: want 1 or more for the workloads")
	}
	return c, nil
}

// Run is the command: 0 all results agree (workloads: all passed), 1 not, 2 wrong usage.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "modules":
			return RunSuites(ctx, args[1:], stdout, stderr)
		case "settings":
			return RunSettings(ctx, args[1:], stdout, stderr)
		case "builds":
			return RunBuilds(ctx, args[1:], stdout, stderr)
		}
	}
	c, err := parse(args, stderr)
	if err != nil {
		return command.Misused("bench", stderr, err)
	}
	agree, err := c.run(ctx, stdout, stderr)
	return command.Done("bench", stderr, agree, err)
}

func (c *config) run(ctx context.Context, stdout, stderr io.Writer) (agree bool, err error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if c.keep != "" {
		if err := os.MkdirAll(c.keep, 0o777); err != nil {
			return false, err
		}
	}
	binary, err := tool.Binary(ctx, c.binary, dir)
	if err != nil {
		return false, err
	}
	if c.hard {
		return c.runStress(ctx, binary, dir, stdout, stderr)
	}
	if c.atOnce {
		return true, c.runExit(ctx, binary, dir, stdout)
	}
	if c.seam {
		return true, c.runSeam(ctx, binary, dir, stdout, stderr)
	}
	if len(c.modules) == 0 {
		return c.runWorkloads(ctx, binary, dir, stdout, stderr)
	}
	var measured []*Measured
	agree = true
	for i, name := range c.modules {
		fmt.Fprintln(stderr, "bench:", name)
		at := filepath.Join(dir, fmt.Sprint(i))
		if err := fetch.Module(ctx, name, at); err != nil {
			return false, err
		}
		if err := fetch.Dependencies(ctx, at); err != nil {
			return false, err
		}
		m, err := c.measure(ctx, name, at, binary)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil {
			m = &Measured{Module: name, Differences: []string{err.Error()}}
		}
		measured = append(measured, m)
		agree = agree && len(m.Differences) == 0
	}
	return agree, c.print(stdout, table(measured, c.n))
}

// benchDir is a directory below this package's.
func benchDir(ctx context.Context, name string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", "github.com/racepred/racepred/bench").Output()
	if err != nil {
		return "", fmt.Errorf("run bench in racepred's own module: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), name), nil
}

// print prints a table, and writes it to the file of -md.
func (c *config) print(stdout io.Writer, table string) error {
	if _, err := io.WriteString(stdout, table); err != nil || c.md == "" {
		return err
	}
	return command.WritePage(c.md, table, "go run ./bench", c.args...)
}
