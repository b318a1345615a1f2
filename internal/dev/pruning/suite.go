package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/internal/conformance/pruning"
	"github.com/racepred/racepred/internal/conformance/score"
	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/conformance/upstream"
)

// suite is a set of tests in one module.
type suite struct {
	name, dir, pattern string
	processor          int
	complete           string // the line at the end of complete output; "": not known
	work               string
}

// suite prepares the suite of a name in a directory below tmp.
func (c *config) suite(ctx context.Context, name, tmp string) (*suite, error) {
	s := &suite{name: name, dir: filepath.Join(tmp, name), pattern: ".", processor: 1, work: tmp}
	gomod, err := tool.GoEnv(ctx, "", "GOMOD")
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(gomod)
	version, err := tool.GoEnv(ctx, "", "GOVERSION")
	if err != nil {
		return nil, err
	}
	language := tool.Language(version)
	if name == "examples" {
		s.dir, s.pattern, s.processor = root, "./examples/...", 0
		return s, nil
	}
	if err := os.Mkdir(s.dir, 0o777); err != nil {
		return nil, err
	}
	switch name {
	case "guarded":
		_, err = upstream.Adapt(filepath.Join(root, "internal", "conformance", "testdata", "guarded"), s.dir, language)
	case "toolchain":
		var goroot string
		if goroot, err = tool.GoEnv(ctx, "", "GOROOT"); err != nil {
			return nil, err
		}
		s.complete = "ALL TESTS COMPLETE"
		_, err = upstream.Adapt(filepath.Join(goroot, "src", "runtime", "race", "testdata"), s.dir, language)
	case "random":
		if err = os.WriteFile(filepath.Join(s.dir, "go.mod"), []byte("module random\n\ngo "+language+"\n"), 0o666); err == nil {
			err = os.WriteFile(filepath.Join(s.dir, "random_test.go"), []byte(pruning.RandomTests(c.seed, c.n)), 0o666)
		}
	}
	return s, err
}

// compare runs a suite in both modes until their findings are the same (E3), and reports whether
// none is missing with pruning (E4).
func (c *config) compare(ctx context.Context, s *suite, stdout io.Writer) (same bool, err error) {
	made, err := instrument.Rewrite(instrument.Config{Dir: s.dir, Patterns: []string{s.pattern}, Tests: true})
	if err != nil {
		return false, err
	}
	by := pruning.CoveringsOf(made.Packages, func(file string) string {
		rel, err := filepath.Rel(s.dir, file)
		if err != nil {
			return file
		}
		return filepath.ToSlash(rel)
	})
	once := 0
	for _, p := range made.Packages {
		once += p.Once
	}
	found := map[string]pruning.Findings{"auto": {}, "all": {}}
	rounds, agree := 0, false
	for rounds < c.rounds && !agree {
		rounds++
		for mode, f := range found {
			if err := c.record(ctx, s, mode, f, by); err != nil {
				return false, err
			}
		}
		same = len(found["all"].Only(found["auto"])) == 0
		agree = same && len(found["auto"].Only(found["all"])) == 0
	}
	for _, pair := range found["auto"].Only(found["all"]) {
		fmt.Fprintf(stdout, "only with pruning     %s\n", pair)
	}
	for _, pair := range found["all"].Only(found["auto"]) {
		fmt.Fprintf(stdout, "only without pruning  %s\n", pair)
	}
	fmt.Fprintf(stdout, "%s: %d accesses covered, %d recorded once for a loop; %d findings with pruning, %d without, after %d rounds\n",
		s.name, len(by), once, len(found["auto"]), len(found["all"]), rounds)
	return same, nil
}

// maxRuns bounds how often the tests behind a crash are run again.
const maxRuns = 12

// record runs the suite's tests in one mode and adds what was found.
func (c *config) record(ctx context.Context, s *suite, mode string, f pruning.Findings, by pruning.Coverings) error {
	var done []string
	for range maxRuns {
		file := filepath.Join(s.work, s.name+"-"+mode+".json")
		args := []string{"-instrument=" + mode, "-report=" + file, "-v", "-count=1", "-vet=off"}
		if len(done) > 0 {
			args = append(args, "-skip=^("+strings.Join(done, "|")+")$")
		}
		out, _, err := tool.Racepred(c.binary).Run(ctx, tool.Job{Dir: s.dir, Processor: s.processor, Args: append(args, s.pattern), Timeout: c.timeout})
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		rep, err := tool.ReadReport(file)
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		f.Add(rep, by)
		if s.complete == "" || strings.Contains(out, s.complete) {
			return nil
		}
		blocks := score.Cut(out)
		if len(blocks) == 0 {
			return fmt.Errorf("no test ran:\n%s", out)
		}
		for _, b := range blocks {
			done = append(done, b.Test)
		}
	}
	return nil
}
