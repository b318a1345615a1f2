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

	"github.com/racepred/racepred/internal/dev/command"
	"github.com/racepred/racepred/internal/protocol"
)

// settingsConfig is the command line of `bench settings`.
type settingsConfig struct {
	overSuites
	of [2]string // of RACEPRED_OPTS
}

// RunSettings is the command `bench settings`: CPU time of the suites' test processes under one
// setting of RACEPRED_OPTS beside that under another. The exit status is 0 if all packages were
// measured.
func RunSettings(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := &settingsConfig{}
	fs := flag.NewFlagSet("bench settings", flag.ContinueOnError)
	if err := c.parse(fs, args, stderr, "", 5, "how often the test binary is run with each setting"); err != nil {
		return command.Misused("bench", stderr, err)
	}
	if fs.NArg() != 2 || c.rounds < 1 {
		return command.Misused("bench", stderr, fmt.Errorf("two settings of %s are needed, such as engines=hb+wcp and engines=hb+wcp+ipa; got %q", protocol.EnvOpts, fs.Args()))
	}
	for i, s := range fs.Args() {
		if _, err := protocol.ParseOptions(s); err != nil {
			return command.Misused("bench", stderr, err)
		}
		c.of[i] = s
	}
	return command.Done("bench", stderr, true, c.run(ctx, stdout, stderr))
}

func (c *settingsConfig) run(ctx context.Context, stdout, stderr io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Two settings\n\nCPU time of the test processes of real modules with `%s=%s` and with `%s`, medians of %d interleaved runs.\n\n", protocol.EnvOpts, c.of[0], c.of[1], c.rounds)
	b.WriteString("| package | first | second | second to first |\n| --- |" + strings.Repeat(" ---: |", 3) + "\n")
	var mean geomean
	err := c.each(ctx, func(s suite, binary, dir string) error {
		module := filepath.Join(dir, "module")
		if err := s.fetch(ctx, module); err != nil {
			return err
		}
		for _, pkg := range s.Packages {
			cpu, err := c.measure(ctx, module, pkg, binary, filepath.Join(dir, "test"))
			if err != nil {
				return fmt.Errorf("%s %s: %w", s, pkg, err)
			}
			row := fmt.Sprintf("| %s %s | %s | %s | %.3f |\n", s, pkg, seconds(cpu[0]), seconds(cpu[1]), mean.add(float64(cpu[1]), float64(cpu[0])))
			b.WriteString(row)
			io.WriteString(stderr, row)
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(&b, "| **geometric mean** | | | %.3f |\n", mean.mean())
	return c.publish(b.String(), "settings", stdout)
}

// measure builds a package's test binary in the directory to and runs it with each setting in turn.
func (c *settingsConfig) measure(ctx context.Context, module, pkg, racepred, to string) (cpu [2]time.Duration, err error) {
	left := filepath.Join(to, "run")
	if err := os.MkdirAll(to, 0o777); err != nil {
		return cpu, err
	}
	file := filepath.Join(to, "racepred.test")
	_, out, err := run(ctx, module, inModule, racepred, "test", "-run", "^$", "-vet=off", "-c", "-o", file, "./"+pkg)
	if err != nil {
		return cpu, fmt.Errorf("%w: %s", err, firstLines(out, 3))
	}
	var samples [2]Samples
	for range c.rounds {
		for i, setting := range c.of {
			if err := os.MkdirAll(left, 0o777); err != nil {
				return cpu, err
			}
			u, _, err := runTests(ctx, module, pkg, file, left, []string{protocol.EnvOpts + "=" + setting}, c.timeout) // tests that fail are no matter here
			if ctx.Err() != nil {
				return cpu, err
			}
			samples[i] = append(samples[i], u)
		}
	}
	for i := range cpu {
		cpu[i] = samples[i].median().CPU
	}
	return cpu, os.RemoveAll(to)
}
