package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/racepred/racepred/internal/conformance/tool"
)

// config is the command line.
type config struct {
	n       int
	binary  string
	keep    string
	flags   string
	timeout time.Duration
	modules []string
}

func parse(args []string, stderr io.Writer) (*config, error) {
	c := new(config)
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.IntVar(&c.n, "n", 3, "measured `runs` of each command; 0 only compares the results")
	fs.StringVar(&c.binary, "racepred", "", "the racepred `binary` (default: built from this module)")
	fs.StringVar(&c.keep, "keep", "", "keep each module's JSON report and output in the `directory`")
	fs.StringVar(&c.flags, "flags", "", "more `flags` of go test for all three, separated by spaces")
	fs.DurationVar(&c.timeout, "timeout", 10*time.Minute, "give up on one command after this `duration`")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if c.n < 0 {
		fs.Usage()
		return nil, fmt.Errorf("-n %d: want 0 or more", c.n)
	}
	c.modules = fs.Args()
	if len(c.modules) == 0 {
		c.modules = standard
	}
	return c, nil
}

// Run is the command: 0 all results agree, 1 not, 2 wrong usage.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	agree, err := c.run(ctx, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
	}
	if err != nil || !agree {
		return 1
	}
	return 0
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
	binary := c.binary
	if binary == "" {
		if binary, err = tool.Build(ctx, dir); err != nil {
			return false, err
		}
	}
	if binary, err = filepath.Abs(binary); err != nil {
		return false, err
	}
	var measured []*Measured
	agree = true
	for i, name := range c.modules {
		fmt.Fprintln(stderr, "bench:", name)
		at, err := fetch(ctx, name, filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
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
	fmt.Fprint(stdout, table(measured, c.n))
	return agree, nil
}
