package main

import (
	"context"
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

// buildsConfig is the command line of `bench builds`.
type buildsConfig struct {
	match   *regexp.Regexp
	rounds  int
	md      string
	args    []string
	timeout time.Duration
}

// RunBuilds is the command `bench builds`: what it costs to build the tests of real modules, with no
// test run. The exit status is 0 if all modules were measured.
func RunBuilds(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := &buildsConfig{args: args}
	fs := flag.NewFlagSet("bench builds", flag.ContinueOnError)
	fs.SetOutput(stderr)
	match := fs.String("modules", "client_golang|chi|testify|zap", "only the modules whose path matches the `regexp`")
	fs.IntVar(&c.rounds, "rounds", 1, "how often each is measured with empty caches; it is measured three times as often after a change")
	fs.StringVar(&c.md, "md", "", "write the table to the `file` too")
	fs.DurationVar(&c.timeout, "timeout", 10*time.Minute, "end a build after this `duration`")
	if err := fs.Parse(args); err != nil {
		return command.Misused("bench", stderr, err)
	}
	var err error
	if c.match, err = regexp.Compile(*match); err != nil {
		return command.Misused("bench", stderr, fmt.Errorf("-modules: %w", err))
	}
	if fs.NArg() > 0 || c.rounds < 1 {
		return command.Misused("bench", stderr, fmt.Errorf("no arguments and one round at least, got %q and %d", fs.Args(), c.rounds))
	}
	return command.Done("bench", stderr, true, c.run(ctx, stdout, stderr))
}

func (c *buildsConfig) run(ctx context.Context, stdout, stderr io.Writer) error {
	tmp, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	binary, err := tool.Binary(ctx, "", tmp)
	if err != nil {
		return err
	}
	commands := [][]string{{"go", "test"}, {"go", "test", "-race"}, {binary, "test"}}
	var b strings.Builder
	b.WriteString(`# Builds

CPU time of the whole command with ` + "`-run '^$'`" + `, which builds and vets the packages of [modules](modules.md) and runs
no test: plain ` + "`go test`, `go test -race`, and `racepred test`" + `. *First* is with empty caches, *change*
after a function was added to a file of the first package. Medians.

| module | | plain | -race | racepred | racepred to -race |
| --- | --- | ---: | ---: | ---: | ---: |
`)
	var means [2]geomean
	for i, s := range suites {
		if !c.match.MatchString(s.Module) {
			continue
		}
		dir := filepath.Join(tmp, fmt.Sprint(i))
		module := filepath.Join(dir, "module")
		if err := s.fetch(ctx, module); err != nil {
			return err
		}
		var first, change [3]Samples
		for round := range c.rounds {
			for k, words := range commands {
				caches := filepath.Join(dir, fmt.Sprint("caches", round, k))
				env := append(inModule, "GOCACHE="+filepath.Join(caches, "go"), "RACEPRED_CACHE="+filepath.Join(caches, "racepred"))
				u, err := c.build(ctx, s, module, env, words)
				if err != nil {
					return err
				}
				first[k] = append(first[k], u)
			}
			for n := range 3 {
				if err := changeFile(filepath.Join(module, s.Packages[0]), 3*round+n); err != nil {
					return err
				}
				for k, words := range commands {
					caches := filepath.Join(dir, fmt.Sprint("caches", round, k))
					env := append(inModule, "GOCACHE="+filepath.Join(caches, "go"), "RACEPRED_CACHE="+filepath.Join(caches, "racepred"))
					u, err := c.build(ctx, s, module, env, words)
					if err != nil {
						return err
					}
					change[k] = append(change[k], u)
				}
			}
		}
		for k, samples := range [][3]Samples{first, change} {
			cpu := [3]time.Duration{samples[0].median().CPU, samples[1].median().CPU, samples[2].median().CPU}
			row := fmt.Sprintf("| %s | %s | %s | %s | %s | %.2f |\n", s, []string{"first", "change"}[k], seconds(cpu[0]), seconds(cpu[1]), seconds(cpu[2]), means[k].add(float64(cpu[2]), float64(cpu[1])))
			b.WriteString(row)
			io.WriteString(stderr, row)
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	if len(means[0].logs) == 0 {
		return fmt.Errorf("no module matches %v", c.match)
	}
	for k, of := range []string{"first", "change"} {
		fmt.Fprintf(&b, "| **geometric mean** | %s | | | | **%.2f** |\n", of, means[k].mean())
	}
	if c.md != "" {
		if err := command.WritePage(c.md, b.String(), "go run ./bench builds", c.args...); err != nil {
			return err
		}
	}
	_, err = io.WriteString(stdout, b.String())
	return err
}

// build builds the tests of a module's packages.
func (c *buildsConfig) build(ctx context.Context, s suite, module string, env, words []string) (Usage, error) {
	ctx, stop := context.WithTimeout(ctx, c.timeout)
	defer stop()
	words = append(words[:len(words):len(words)], "-run", "^$")
	for _, pkg := range s.Packages {
		words = append(words, "./"+pkg)
	}
	return use(ctx, module, env, words...)
}

// changeFile adds function number n to a Go file of a directory that is not a test's. What imports
// the package is compiled again then, which a comment alone may not bring about.
func changeFile(dir string, n int) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(f, "\nfunc changed%[1]d() int { return %[1]d }\n", n)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		return err
	}
	return fmt.Errorf("%s: no Go file", dir)
}
