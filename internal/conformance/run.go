package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/conformance/score"
	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/conformance/upstream"
	"github.com/racepred/racepred/internal/dev/command"
	"github.com/racepred/racepred/internal/protocol"
)

// config is the command line.
type config struct {
	toolchain string
	tool      string
	binary    string
	causes    string
	write     string
	log       string
	from      string
	run       string
	flags     string
	timeout   time.Duration
	args      []string
}

func parse(args []string, stderr io.Writer) (*config, error) {
	c := &config{args: args}
	fs := flag.NewFlagSet("conformance", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&c.toolchain, "go", "", "the `toolchain` whose tests are run, with it (default: the go command's own)")
	fs.StringVar(&c.tool, "tool", "racepred", "what is scored: racepred, or race for the toolchain's own detector")
	fs.StringVar(&c.binary, "racepred", "", "the racepred `binary` (default: built from this module)")
	fs.StringVar(&c.causes, "causes", "internal/conformance/causes.txt", "the `file` that says why tests are missed")
	fs.StringVar(&c.write, "write", "", "write the page to the `file`")
	fs.StringVar(&c.log, "log", "", "write the tests' output to the `file`")
	fs.StringVar(&c.from, "from", "", "take the tests from the `directory` instead of the toolchain, and the causes from its causes.txt")
	fs.StringVar(&c.run, "run", "", "run only the tests that match the `regexp`; no page")
	fs.StringVar(&c.flags, "flags", "", "more `flags` for the tool, separated by spaces")
	fs.DurationVar(&c.timeout, "timeout", 20*time.Minute, "give up after this `duration`")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case fs.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case c.tool != "racepred" && c.tool != "race":
		return nil, fmt.Errorf("-tool %s: want racepred or race", c.tool)
	case c.run != "" && c.write != "":
		return nil, fmt.Errorf("-write needs all tests, -run selects some")
	}
	return c, nil
}

// Run is the command: 0 good, 1 not good enough or failed, 2 wrong usage.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stderr)
	if err != nil {
		return command.Misused("conformance", stderr, err)
	}
	problems, err := c.score(ctx, stdout)
	if err != nil {
		fmt.Fprintln(stderr, "conformance:", err)
		return 1
	}
	for _, p := range problems {
		fmt.Fprintln(stderr, "conformance:", p)
	}
	if len(problems) > 0 {
		return 1
	}
	return 0
}

func (c *config) score(ctx context.Context, stdout io.Writer) (problems []string, err error) {
	dir, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	causes, err := c.readCauses()
	if err != nil {
		return nil, err
	}
	detector, err := c.detector(ctx, dir)
	if err != nil {
		return nil, err
	}
	suite, version, err := c.suite(ctx, filepath.Join(dir, "racetests"))
	if err != nil {
		return nil, err
	}
	tests, err := c.selected(suite.Tests)
	if err != nil {
		return nil, err
	}
	sheet, log, err := c.scored(ctx, detector, suite.Dir, tests, causes)
	if c.log != "" {
		if err := os.WriteFile(c.log, []byte(log), 0o666); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	title := score.Title{Tool: c.tool, Go: version, From: filepath.ToSlash(c.from), LeftOut: suite.LeftOut}
	fmt.Fprint(stdout, sheet.Summary(title))
	if c.write != "" {
		if err := command.WritePage(c.write, sheet.Markdown(title), c.line(), c.args...); err != nil {
			return nil, err
		}
	}
	switch {
	case c.run != "":
		return sheet.False(), nil
	case c.from != "":
		return append(sheet.WithoutVerdict(), sheet.Problems()...), nil
	}
	return sheet.Problems(), nil
}

// line is the command without its arguments. The settings of test processes, which are in the
// environment, are part of it.
func (c *config) line() string {
	line := "go run ./internal/conformance"
	if opts := os.Getenv(protocol.EnvOpts); opts != "" {
		line = protocol.EnvOpts + "=" + opts + " " + line
	}
	return line
}

// scored runs the tests and scores them. Races that are lost without a cause are run up to two
// times more, by themselves: what a run shows depends on the scheduler.
func (c *config) scored(ctx context.Context, detector *tool.Tool, dir string, tests []score.Test, causes score.Causes) (sheet *score.Sheet, log string, err error) {
	runs, log, err := c.allRuns(ctx, detector, dir, tests)
	for again := 0; err == nil; again++ {
		sheet = score.NewSheet(tests, runs, causes)
		lost := sheet.Unexplained()
		if len(lost) == 0 || again == 2 || c.run != "" {
			break
		}
		some, text, failed := c.runs(ctx, detector, dir, "^("+strings.Join(lost, "|")+")$")
		runs, log, err = append(runs, some...), log+text, failed
	}
	return sheet, log, err
}

// readCauses reads the table of causes, which is about racepred only. A directory given by -from
// has one of its own, or none.
func (c *config) readCauses() (score.Causes, error) {
	if c.tool != "racepred" {
		return nil, nil
	}
	if c.from != "" {
		c.causes = filepath.Join(c.from, "causes.txt")
	}
	f, err := os.Open(c.causes)
	if c.from != "" && errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return score.ReadCauses(c.causes, f)
}

func (c *config) detector(ctx context.Context, dir string) (*tool.Tool, error) {
	if c.tool == "race" {
		return tool.GoRace(), nil
	}
	binary, err := tool.Binary(ctx, c.binary, dir)
	if err != nil {
		return nil, err
	}
	return tool.Racepred(binary), nil
}

// suite makes the adapted copy and tells which Go it is for.
func (c *config) suite(ctx context.Context, dir string) (*upstream.Suite, string, error) {
	root, err := tool.GoEnv(ctx, c.toolchain, "GOROOT")
	if err != nil {
		return nil, "", err
	}
	version, err := tool.GoEnv(ctx, c.toolchain, "GOVERSION")
	if err != nil {
		return nil, "", err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, "", err
	}
	language := tool.Language(version)
	from := c.from
	if from == "" {
		from = filepath.Join(root, "src", "runtime", "race", "testdata")
	}
	suite, err := upstream.Adapt(from, dir, language)
	return suite, version, err
}

func (c *config) selected(tests []score.Test) ([]score.Test, error) {
	if c.run == "" {
		return tests, nil
	}
	re, err := regexp.Compile(c.run)
	if err != nil {
		return nil, err
	}
	var some []score.Test
	for _, t := range tests {
		if re.MatchString(t.Name) {
			some = append(some, t)
		}
	}
	return some, nil
}

// complete is what the tests' TestMain prints at the end.
const complete = "ALL TESTS COMPLETE"

// maxRuns bounds how often the tests behind a crash are run again.
const maxRuns = 12

// testTimeout is for tests that take some seconds, of which one may hang, by itself, too: the
// goroutine that sends in TestRaceChanWrongClose after the close panics and never says that it is
// done.
const testTimeout = "-timeout=2m"

// allRuns runs the toolchain's tests in one process, as its own driver does. The files of a
// directory given by -from have a process each, so that what some programs leave behind takes
// nothing from the others.
func (c *config) allRuns(ctx context.Context, detector *tool.Tool, dir string, tests []score.Test) (runs []score.Run, log string, err error) {
	if c.from == "" {
		return c.runs(ctx, detector, dir, c.run)
	}
	for len(tests) > 0 {
		file, names := tests[0].File, []string{}
		for len(tests) > 0 && tests[0].File == file {
			names, tests = append(names, tests[0].Name), tests[1:]
		}
		some, text, err := c.runs(ctx, detector, dir, "^("+strings.Join(names, "|")+")$")
		runs, log = append(runs, some...), log+text
		if err != nil {
			return nil, log, err
		}
	}
	return runs, log, nil
}

// runs runs all tests, or those that match; when the process breaks off, it runs those that did not
// have their turn again.
func (c *config) runs(ctx context.Context, detector *tool.Tool, dir, match string) ([]score.Run, string, error) {
	var (
		runs []score.Run
		done []string
		log  strings.Builder
	)
	for range maxRuns {
		args := append([]string{testTimeout}, strings.Fields(c.flags)...)
		args = append(args, "-v", "-count=1", "-vet=off")
		if match != "" {
			args = append(args, "-run="+match)
		}
		if len(done) > 0 {
			args = append(args, "-skip=^("+strings.Join(done, "|")+")$")
		}
		out, _, err := detector.Run(ctx, tool.Job{
			Dir: dir, Toolchain: c.toolchain, Processor: 1, Args: append(args, "."), Timeout: c.timeout,
		})
		log.WriteString(out)
		if err != nil {
			return nil, log.String(), err
		}
		run := score.Run{Blocks: score.Cut(out), Complete: strings.Contains(out, complete)}
		if len(run.Blocks) == 0 && !run.Complete {
			return nil, log.String(), fmt.Errorf("no test ran:\n%s", out)
		}
		runs = append(runs, run)
		if run.Complete {
			break
		}
		for _, b := range run.Blocks {
			done = append(done, b.Test)
		}
	}
	return runs, log.String(), nil
}
