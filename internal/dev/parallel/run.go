package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/dev/command"
)

// sources are the tests, below internal/conformance/testdata. They become one package.
var sources = []string{"guarded/parallel_test.go", "parallel/toplevel_test.go"}

// ways are how the tests are run.
var ways = []way{
	{"", 0, nil},
	{"GOMAXPROCS=1", 1, nil},
	{"-parallel=1", 0, []string{"-parallel=1"}},
	{"-v", 0, []string{"-v"}},
	{"-json", 0, []string{"-json"}},
	{"-count=2", 0, []string{"-count=2"}},
	{"-v -parallel=1 -count=2, GOMAXPROCS=1", 1, []string{"-v", "-parallel=1", "-count=2"}},
}

type way struct {
	name      string
	processor int
	flags     []string
}

// config is the command line.
type config struct {
	tool      string
	binary    string
	toolchain string
	runs      int
}

// Run is the command: 0 all right, 1 not, 2 wrong usage.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := new(config)
	fs := flag.NewFlagSet("parallel", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&c.tool, "tool", "racepred", "what is asked: racepred, or race for the toolchain's own detector")
	fs.StringVar(&c.binary, "racepred", "", "the racepred `binary` (default: built from this module)")
	fs.StringVar(&c.toolchain, "go", "", "run the tests with that `toolchain` (default: the go command's own)")
	fs.IntVar(&c.runs, "runs", 40, "how many runs each way")
	if err := fs.Parse(args); err != nil {
		return command.Misused("parallel", stderr, err)
	}
	if fs.NArg() > 0 || c.tool != "racepred" && c.tool != "race" {
		fs.Usage()
		return 2
	}
	problems, err := c.count(ctx, stdout)
	return command.Done("parallel", stderr, problems == 0, err)
}

// count prints a line for each way, and one for each problem.
func (c *config) count(ctx context.Context, stdout io.Writer) (problems int, err error) {
	dir, err := os.MkdirTemp("", "parallel-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	detector := tool.GoRace()
	if c.tool == "racepred" {
		binary, err := tool.Binary(ctx, c.binary, dir)
		if err != nil {
			return 0, err
		}
		detector = tool.Racepred(binary)
	}
	module := filepath.Join(dir, "module")
	races, err := c.module(ctx, module)
	if err != nil {
		return 0, err
	}
	for _, w := range ways {
		found := map[string]int{}
		wrong := 0
		for range c.runs {
			args := append([]string{"-vet=off", "-count=1"}, w.flags...)
			job := tool.Job{Dir: module, Toolchain: c.toolchain, Processor: w.processor, Args: append(args, "."), Timeout: 10 * time.Minute}
			out, code, err := detector.Run(ctx, job)
			if err != nil {
				return 0, err
			}
			for _, name := range named(out) {
				found[name]++
			}
			if code != 66 && c.tool == "racepred" || !strings.Contains(out, "race detected during execution of test") {
				wrong++
			}
		}
		least := c.runs
		for _, name := range races {
			least = min(least, found[name])
		}
		fmt.Fprintf(stdout, "%-40s %d runs, each of %d races found in %d or more\n", w.name, c.runs, len(races), least)
		problem := func(format string, args ...any) {
			problems++
			fmt.Fprintf(stdout, "    "+format+"\n", args...)
		}
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if !slices.Contains(races, name) {
				problem("%s: reported in %d", name, found[name])
			}
		}
		for _, name := range races {
			if n := found[name]; n < c.runs {
				problem("%s: found in %d", name, n)
			}
		}
		if wrong > 0 {
			problem("%d runs did not end as tests with races do", wrong)
		}
	}
	return problems, nil
}

// module makes the module of the tests and returns the names of those that race.
func (c *config) module(ctx context.Context, dir string) (races []string, err error) {
	version, err := tool.GoEnv(ctx, c.toolchain, "GOVERSION")
	if err != nil {
		return nil, err
	}
	gomod, err := tool.GoEnv(ctx, "", "GOMOD")
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	for _, name := range sources {
		src, err := os.ReadFile(filepath.Join(filepath.Dir(gomod), "internal", "conformance", "testdata", filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		for _, m := range declared.FindAllSubmatch(src, -1) {
			races = append(races, string(m[1]))
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), src, 0o666); err != nil {
			return nil, err
		}
	}
	text := fmt.Sprintf("module parallel\n\ngo %s\n", tool.Language(version))
	return races, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o666)
}

var (
	declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)Race\w*)\(`)
	// A frame of a stack, in a line of its own or in a JSON string, or the test of a report that is
	// a line.
	frame = regexp.MustCompile(`parallel\.((?:Test|Fuzz)(?:No)?Race\w*?)[.(]| in ((?:Test|Fuzz)(?:No)?Race\w*) \(`)
)

// named are the tests whose functions are on the stacks of a run's reports, each once.
func named(out string) []string {
	var names []string
	for _, block := range strings.Split(out, "WARNING: DATA RACE")[1:] {
		block, _, _ = strings.Cut(block, "==================")
		for _, m := range frame.FindAllStringSubmatch(block, -1) {
			names = append(names, m[1]+m[2])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
