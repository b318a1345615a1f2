// Command pruning checks that racepred has the same findings if the rewriter leaves out local and
// covered accesses, and if it does not (-instrument=all), by the rules of package pruning.
//
//	go run ./internal/dev/pruning [-racepred binary] [-rounds n] [-seed n] [-n tests] [examples] [guarded] [toolchain] [random]
//
// The suites are the example programs, the programs that never race
// (internal/conformance/testdata/guarded), the toolchain's race tests, and random
// concurrent programs; all of them by default. The exit status is 1 if something was found only
// without pruning. Some minutes.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/dev/command"
)

func main() { command.Main(Run) }

// config is the command line.
type config struct {
	binary  string
	rounds  int
	seed    uint64
	n       int
	timeout time.Duration
	suites  []string
}

var allSuites = []string{"examples", "guarded", "toolchain", "random"}

func parse(args []string, stderr io.Writer) (*config, error) {
	c := &config{}
	fs := flag.NewFlagSet("pruning", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&c.binary, "racepred", "", "the racepred `binary` (default: built from this module)")
	fs.IntVar(&c.rounds, "rounds", 6, "how often both modes are run at most, while they differ")
	fs.Uint64Var(&c.seed, "seed", 1, "of the random programs")
	fs.IntVar(&c.n, "n", 60, "how many random programs")
	fs.DurationVar(&c.timeout, "timeout", 20*time.Minute, "give one run up after this `duration`")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	c.suites = fs.Args()
	if len(c.suites) == 0 {
		c.suites = allSuites
	}
	for _, s := range c.suites {
		if !slices.Contains(allSuites, s) {
			return nil, fmt.Errorf("no suite %q; there are %v", s, allSuites)
		}
	}
	return c, nil
}

// Run is the command: 0 the same, 1 not, 2 wrong usage.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stderr)
	if err != nil {
		return command.Misused("pruning", stderr, err)
	}
	same, err := c.run(ctx, stdout)
	return command.Done("pruning", stderr, same, err)
}

func (c *config) run(ctx context.Context, stdout io.Writer) (same bool, err error) {
	tmp, err := os.MkdirTemp("", "pruning-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(tmp)
	if c.binary, err = tool.Binary(ctx, c.binary, tmp); err != nil {
		return false, err
	}
	same = true
	for _, name := range c.suites {
		s, err := c.suite(ctx, name, tmp)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		ok, err := c.compare(ctx, s, stdout)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		same = same && ok
	}
	return same, nil
}
