package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/conformance/examples"
	"github.com/racepred/racepred/internal/conformance/score"
	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/dev/command"
)

const (
	module     = "github.com/racepred/racepred"
	everything = "./examples/..."
	causesFile = "internal/conformance/examples/causes.txt"
)

// config is the command line.
type config struct {
	tool     string
	binary   string
	pattern  string
	report   string
	readme   bool
	flags    string
	patience time.Duration
}

func parse(args []string, stderr io.Writer) (*config, error) {
	c := new(config)
	fs := flag.NewFlagSet("examples", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&c.tool, "tool", "racepred", "what is asked: racepred, or race for the toolchain's own detector")
	fs.StringVar(&c.binary, "racepred", "", "the racepred `binary` (default: built from this module)")
	fs.StringVar(&c.report, "report", "", "keep the JSON report in the `file`")
	fs.BoolVar(&c.readme, "readme", false, "write examples/README.md from the sources and run nothing")
	fs.StringVar(&c.flags, "flags", "", "more `flags` for the tool, separated by spaces")
	fs.DurationVar(&c.patience, "timeout", 20*time.Minute, "give up after this `duration`")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	c.pattern = everything
	if fs.NArg() > 0 {
		c.pattern = fs.Arg(0)
	}
	if fs.NArg() > 1 || c.tool != "racepred" && c.tool != "race" {
		fs.Usage()
		return nil, fmt.Errorf("unexpected arguments %q", args)
	}
	return c, nil
}

// Run is the command: 0 all right, 1 not, 2 wrong usage.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stderr)
	if err != nil {
		return command.Misused("examples", stderr, err)
	}
	good, err := c.run(ctx, stdout)
	return command.Done("examples", stderr, good, err)
}

func (c *config) run(ctx context.Context, stdout io.Writer) (good bool, err error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return false, err
	}
	tests, err := examples.Load(root, "examples")
	if err != nil {
		return false, err
	}
	if c.readme {
		page := []byte(examples.Readme(tests))
		return true, os.WriteFile(filepath.Join(root, "examples", "README.md"), page, 0o666)
	}
	dir, err := os.MkdirTemp("", "examples-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if c.tool == "race" {
		return c.askRace(ctx, root, tests, stdout)
	}
	return c.askRacepred(ctx, root, dir, tests, stdout)
}

func moduleRoot(ctx context.Context) (string, error) {
	gomod, err := tool.GoEnv(ctx, "", "GOMOD")
	if err != nil {
		return "", err
	}
	return filepath.Dir(gomod), nil
}

// askRacepred checks tests by the rules of package examples.
func (c *config) askRacepred(ctx context.Context, root, dir string, tests []examples.Test, stdout io.Writer) (bool, error) {
	binary, err := tool.Binary(ctx, c.binary, dir)
	if err != nil {
		return false, err
	}
	file := c.report
	if file == "" {
		file = filepath.Join(dir, "report.json")
	}
	if file, err = filepath.Abs(file); err != nil {
		return false, err
	}
	results, err := c.results(ctx, tool.Racepred(binary), root, "-report", file)
	if err != nil {
		return false, err
	}
	rep, err := tool.ReadReport(file)
	if err != nil {
		return false, err
	}
	tests = c.among(tests, results)
	causes, err := readCauses(filepath.Join(root, causesFile))
	if err != nil {
		return false, err
	}
	rows := examples.Check(tests, results, rep, causes)
	counts := make(map[examples.Outcome]int)
	wrong := false
	for _, r := range rows {
		counts[r.Outcome]++
		wrong = wrong || r.Outcome.Wrong()
		if r.Outcome.Wrong() || r.Outcome == examples.Seen || r.Outcome == examples.Known {
			fmt.Fprintf(stdout, "%-10s %s:%d: %s %s %s\n", r.Outcome, r.File, r.First, r.Name, strings.Join(r.Findings, ", "), r.Note)
		}
	}
	strays := examples.Strays(tests, rep)
	for _, s := range strays {
		fmt.Fprintf(stdout, "stray      %s: names no test\n", s)
	}
	fmt.Fprintf(stdout, "examples: found %d, quiet %d; seen %d, known-miss %d, missed %d, false %d, broken %d, stray %d\n",
		counts[examples.Found], counts[examples.Quiet], counts[examples.Seen], counts[examples.Known], counts[examples.Missed],
		counts[examples.False], counts[examples.Broken], len(strays))
	return !wrong && len(strays) == 0, nil
}

func readCauses(file string) (score.Causes, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return score.ReadCauses(file, f)
}

// askRace checks the examples themselves: go test -race must see the races that
// are not called predicted, and no others.
func (c *config) askRace(ctx context.Context, root string, tests []examples.Test, stdout io.Writer) (bool, error) {
	results, err := c.results(ctx, tool.GoRace(), root)
	if err != nil {
		return false, err
	}
	good := true
	tests = c.among(tests, results)
	for _, t := range tests {
		want := examples.Result("pass")
		if t.Want() == examples.Race {
			want = "fail"
		}
		if got := results[t.Dir][t.Name]; got != want {
			good = false
			fmt.Fprintf(stdout, "%s:%d: %s: %s under go test -race, want %s\n", t.File, t.First, t.Name, got, want)
		}
	}
	fmt.Fprintf(stdout, "examples: %d tests asked of go test -race\n", len(tests))
	return good, nil
}

// results runs the tests and reads their results.
func (c *config) results(ctx context.Context, detector *tool.Tool, root string, flags ...string) (map[string]map[string]examples.Result, error) {
	args := append(append(flags, strings.Fields(c.flags)...), "-json", "-count=1", c.pattern)
	out, _, err := detector.Run(ctx, tool.Job{Dir: root, Args: args, Timeout: c.patience})
	if err != nil {
		return nil, err
	}
	results, other := examples.ReadResults(out, module)
	if len(results) == 0 {
		return nil, fmt.Errorf("no test ran:\n%s", strings.Join(other, "\n"))
	}
	return results, nil
}

// among keeps, when a pattern names some of the examples, the tests of directories
// that have results.
func (c *config) among(tests []examples.Test, results map[string]map[string]examples.Result) []examples.Test {
	if c.pattern == everything {
		return tests
	}
	var some []examples.Test
	for _, t := range tests {
		if results[t.Dir] != nil {
			some = append(some, t)
		}
	}
	return some
}
