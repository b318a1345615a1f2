package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/dev/command"
)

// goal is the least part of the races found alone that must be found in context.
const goal = 0.99

// config is the command line.
type config struct {
	args      []string // the command line
	run, load *regexp.Regexp
	runs      int
	processes int
	guarded   bool
	json      bool
	write     string
	keep      string
	binary    string
	flags     string
	patience  time.Duration
}

func parse(args []string, stderr io.Writer) (*config, error) {
	c := &config{args: args}
	fs := flag.NewFlagSet("context", flag.ContinueOnError)
	fs.SetOutput(stderr)
	run := fs.String("run", "", "only the tests whose `example.TestName` matches the regexp")
	load := fs.String("load", "", "only the loads whose name matches the `regexp`")
	fs.IntVar(&c.runs, "n", 1, "how many `runs` with each load")
	fs.IntVar(&c.processes, "p", 0, "how many test `processes` at a time (default: as go test)")
	fs.BoolVar(&c.guarded, "guarded", true, "run the race-free programs that tempt a predictor, too, which takes most of the time")
	fs.BoolVar(&c.json, "json", false, "print JSON instead of a table")
	fs.StringVar(&c.write, "write", "", "write the page to the `file`")
	fs.StringVar(&c.keep, "keep", "", "keep the module, and each run's report and output, in the `directory`")
	fs.StringVar(&c.binary, "racepred", "", "the racepred `binary` (default: built from this module)")
	fs.StringVar(&c.flags, "flags", "", "more `flags` for racepred, separated by spaces")
	fs.DurationVar(&c.patience, "timeout", 20*time.Minute, "give up on one load after this `duration`")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	var err error
	if c.run, err = regexp.Compile(*run); err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	if c.load, err = regexp.Compile(*load); err != nil {
		return nil, fmt.Errorf("-load: %w", err)
	}
	switch {
	case fs.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case c.runs < 1:
		return nil, fmt.Errorf("-n %d: want 1 or more", c.runs)
	case c.write != "" && *run+*load != "":
		return nil, errors.New("-write needs all loads and all examples, -run and -load select some")
	}
	return c, nil
}

// Run is the command: 0 all right, 1 not, 2 wrong usage.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stderr)
	if err != nil {
		return command.Misused("context", stderr, err)
	}
	good, err := c.measure(ctx, stdout, stderr)
	return command.Done("context", stderr, good, err)
}

func (c *config) measure(ctx context.Context, stdout, stderr io.Writer) (good bool, err error) {
	gomod, err := tool.GoEnv(ctx, "", "GOMOD")
	if err != nil {
		return false, err
	}
	dir := c.keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "context-"); err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
	} else if dir, err = filepath.Abs(dir); err != nil {
		return false, err
	}
	m, err := newModule(filepath.Dir(gomod), filepath.Join(dir, "module"), c.run, c.guarded)
	if err != nil {
		return false, err
	}
	loads, err := m.loads(c.load)
	if err != nil {
		return false, err
	}
	binary, err := tool.Binary(ctx, c.binary, dir)
	if err != nil {
		return false, err
	}
	r := &runner{config: c, module: m, detector: tool.Racepred(binary), dir: dir}
	alone, err := r.alone(ctx, stderr)
	if err != nil {
		return false, err
	}
	p := &page{Goal: goal, Guarded: c.guarded}
	for _, l := range loads {
		row, err := r.under(ctx, l, alone)
		if err != nil {
			return false, fmt.Errorf("load %s: %w", l.Name, err)
		}
		fmt.Fprintf(stderr, "context: %-10s found %d of %d, false %d, %.0f s\n", l.Name, row.Found, row.Alone, len(row.False), row.Seconds)
		p.Loads = append(p.Loads, *row)
	}
	p.add()
	if c.write != "" {
		if err := command.WritePage(c.write, p.markdown(), "go run ./internal/dev/context", c.args...); err != nil {
			return false, err
		}
	}
	if c.json {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "\t")
		return p.good(), e.Encode(p)
	}
	_, err = io.WriteString(stdout, p.text())
	return p.good(), err
}

// anyOf is the value of -run that selects tests by their names.
func anyOf(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }
