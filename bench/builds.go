package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/racepred/racepred/internal/dev/command"
)

// buildsConfig is the command line of `bench builds`.
type buildsConfig struct{ overSuites }

// changes is how often a module is changed in a round.
const changes = 3

// RunBuilds is the command `bench builds`: what it costs to build the tests of real modules, with no
// test run. The exit status is 0 if all modules were measured.
func RunBuilds(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := &buildsConfig{}
	fs := flag.NewFlagSet("bench builds", flag.ContinueOnError)
	if err := c.parse(fs, args, stderr, "client_golang|chi|testify|zap", 1, "how often each is measured with empty caches; it is measured three times as often after a change"); err != nil {
		return command.Misused("bench", stderr, err)
	}
	if fs.NArg() > 0 || c.rounds < 1 {
		return command.Misused("bench", stderr, fmt.Errorf("no arguments and one round at least, got %q and %d", fs.Args(), c.rounds))
	}
	return command.Done("bench", stderr, true, c.run(ctx, stdout, stderr))
}

func (c *buildsConfig) run(ctx context.Context, stdout, stderr io.Writer) error {
	var b strings.Builder
	b.WriteString(`# Builds

CPU time of the whole command with ` + "`-run '^$'`" + `, which builds and vets the packages of [modules](modules.md) and runs
no test: plain ` + "`go test`, `go test -race`, and `racepred test`" + `. *First* is with empty caches, *change*
after a function was added to a file of the first package. Medians.

| module | | plain | -race | racepred | racepred to -race |
| --- | --- | ---: | ---: | ---: | ---: |
`)
	kinds := [2]string{"first", "change"}
	var means [2]geomean
	err := c.each(ctx, func(s suite, binary, dir string) error {
		module := filepath.Join(dir, "module")
		if err := s.fetch(ctx, module); err != nil {
			return err
		}
		samples, err := c.measure(ctx, s, module, binary, dir)
		if err != nil {
			return err
		}
		for i, of := range samples {
			plain, race, racepred := of[0].median().CPU, of[1].median().CPU, of[2].median().CPU
			row := fmt.Sprintf("| %s | %s | %s | %s | %s | %.2f |\n", s, kinds[i], seconds(plain), seconds(race), seconds(racepred), means[i].add(float64(racepred), float64(race)))
			b.WriteString(row)
			io.WriteString(stderr, row)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, mean := range means {
		fmt.Fprintf(&b, "| **geometric mean** | %s | | | | **%.2f** |\n", kinds[i], mean.mean())
	}
	return c.publish(b.String(), "builds", stdout)
}

// measure builds a module's tests by each command in turn: first with empty caches, in dir, then
// after changes.
func (c *buildsConfig) measure(ctx context.Context, s suite, module, binary, dir string) (samples [2][3]Samples, err error) {
	commands := [3][]string{{"go", "test"}, {"go", "test", "-race"}, {binary, "test"}}
	for round := range c.rounds {
		for n := range 1 + changes {
			if n > 0 {
				if err := changeFile(filepath.Join(module, s.Packages[0]), changes*round+n-1); err != nil {
					return samples, err
				}
			}
			for k, words := range commands {
				caches := filepath.Join(dir, fmt.Sprint("caches", round, k))
				env := append(inModule, "GOCACHE="+filepath.Join(caches, "go"), "RACEPRED_CACHE="+filepath.Join(caches, "racepred"))
				u, err := c.build(ctx, s, module, env, words)
				if err != nil {
					return samples, err
				}
				of := &samples[min(n, 1)][k]
				*of = append(*of, u)
			}
		}
	}
	return samples, nil
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
