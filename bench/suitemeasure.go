package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/dev/command"
	"github.com/racepred/racepred/internal/report"
)

const nSuiteModes = 3

// suitePackage is one package of a suite, measured.
type suitePackage struct {
	Package  string
	LeftOut  string // why it is not measured; "" if it is
	Samples  [nSuiteModes]Samples
	Failed   [nSuiteModes][]string // tests that failed in some round, by mode
	Report   *report.Report
	Verdicts map[report.Verdict]int
}

// measuredSuite is one suite, measured.
type measuredSuite struct {
	suite
	LeftOut  string
	Packages []*suitePackage
}

// suiteConfig is the command line of `bench modules`.
type suiteConfig struct {
	overSuites
	json string
}

func parseSuites(args []string, stderr io.Writer) (*suiteConfig, error) {
	c := &suiteConfig{}
	fs := flag.NewFlagSet("bench modules", flag.ContinueOnError)
	fs.StringVar(&c.json, "json", "", "write the figures to the `file`")
	fs.StringVar(&c.racepred, "racepred", "", "the racepred `binary` (default: built from this module)")
	if err := c.parse(fs, args, stderr, "", 3, "how often each test binary is run in each mode"); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 || c.rounds < 1 {
		fs.Usage()
		return nil, fmt.Errorf("unexpected arguments %q", args)
	}
	return c, nil
}

// RunSuites is the command `bench modules`: 0 all packages were measured, 1 not, 2 wrong usage.
// Whether a cost is within the goal is for the reader.
func RunSuites(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parseSuites(args, stderr)
	if err != nil {
		return command.Misused("bench", stderr, err)
	}
	return command.Done("bench", stderr, true, c.run(ctx, stdout, stderr))
}

func (c *suiteConfig) run(ctx context.Context, stdout, stderr io.Writer) error {
	var all []*measuredSuite
	err := c.each(ctx, func(s suite, binary, dir string) error {
		if ctx.Err() != nil {
			return nil // the measurements so far are printed all the same
		}
		m := &measuredSuite{suite: s}
		all = append(all, m)
		if err := s.fetch(ctx, filepath.Join(dir, "module")); err != nil {
			m.LeftOut = err.Error()
		}
		for k, pkg := range s.Packages {
			if m.LeftOut != "" || ctx.Err() != nil {
				break
			}
			p := c.measurePackage(ctx, filepath.Join(dir, "module"), pkg, binary, filepath.Join(dir, fmt.Sprint(k)))
			if ctx.Err() != nil {
				break
			}
			m.Packages = append(m.Packages, p)
			fmt.Fprintf(stderr, "bench: %s %s\n", s, p.line())
		}
		if m.LeftOut != "" && ctx.Err() == nil {
			fmt.Fprintf(stderr, "bench: %s left out: %s\n", s, m.LeftOut)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if c.json != "" {
		data, err := json.MarshalIndent(suiteFigures(all), "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile(c.json, append(data, '\n'), 0o666); err != nil {
			return err
		}
	}
	if err := c.publish(suitePage(all, c.rounds), "modules", stdout); err != nil {
		return err
	}
	return ctx.Err()
}

// measurePackage builds a package's test binaries and runs them in turn.
func (c *suiteConfig) measurePackage(ctx context.Context, dir, pkg, racepred, to string) *suitePackage {
	p := &suitePackage{Package: pkg, Verdicts: map[report.Verdict]int{}}
	if err := os.MkdirAll(to, 0o777); err != nil {
		p.LeftOut = err.Error()
		return p
	}
	file := filepath.Join(to, "report.json")
	binaries, err := buildSuite(ctx, dir, pkg, racepred, to, file, c.timeout)
	if err == nil {
		p.Report, err = tool.ReadReport(file)
	}
	if err != nil {
		p.LeftOut = err.Error()
		return p
	}
	for _, f := range p.Report.Findings {
		p.Verdicts[f.Verdict]++
	}
	for range c.rounds {
		for i, m := range suiteModes {
			left := filepath.Join(to, "run")
			if err := os.MkdirAll(left, 0o777); err != nil {
				p.LeftOut = err.Error()
				return p
			}
			u, out, err := runTests(ctx, dir, pkg, binaries[m.build], left, m.env, c.timeout)
			p.Samples[i] = append(p.Samples[i], u)
			p.fail(i, out, err)
		}
	}
	return p
}

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

// fail notes the tests that failed in a run, or why the run did.
func (p *suitePackage) fail(mode int, out []byte, err error) {
	if err == nil {
		return
	}
	var names []string
	for _, m := range failedTest.FindAllSubmatch(out, -1) {
		names = append(names, string(m[1]))
	}
	if len(names) == 0 {
		names = []string{err.Error()}
	}
	for _, n := range names {
		if !slices.Contains(p.Failed[mode], n) {
			p.Failed[mode] = append(p.Failed[mode], n)
		}
	}
}
