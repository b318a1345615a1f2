package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
)

// stressRun is one run of a program of bench/stress.
type stressRun struct {
	name    string
	program string
	plain   bool // without racepred
	args    []string
	env     []string
}

// stressRuns are all of them. Runs that sample leave out most accesses of what runs long (-sample);
// the others record everything. A short one takes seconds; of the others, those that have a
// duration take as long as soak says.
func stressRuns(short bool, soak time.Duration) []stressRun {
	lives, accesses, blocked := "100000000", "1000000000", "1000000"
	if short {
		lives, accesses, blocked, soak = "300000", "3000000", "20000", 2*time.Second
	}
	of := func(name string, opts string, env ...string) stressRun {
		return stressRun{name, "soak", false, []string{"-for", soak.String()}, append(env, protocol.EnvOpts+"=check=on,"+opts)}
	}
	return []stressRun{
		{"lives", "lives", false, []string{"-n", lives}, nil},
		{"lives-all", "lives", false, []string{"-n", lives}, []string{protocol.EnvOpts + "=sample=off"}},
		{"lives-checked", "lives", false, []string{"-n", "1000000"}, []string{protocol.EnvOpts + "=check=on,sample=off"}},
		{"lives-flip", "lives", false, []string{"-n", "1000000"}, []string{protocol.EnvOpts + "=check=on,sample=100000,flip=on"}},
		{"lives-drains", "lives", false, []string{"-n", "300000"}, []string{protocol.EnvOpts + "=check=on,sample=off,drain=1"}},
		{"workers", "workers", false, nil, []string{protocol.EnvOpts + "=sample=off"}},
		{"workers-drains", "workers", false, nil, []string{protocol.EnvOpts + "=sample=off,drain=1"}},
		of("soak-1", "sample=off", "GOMAXPROCS=1"),
		of("soak-2", "sample=off", "GOMAXPROCS=2"),
		of("soak-8", "sample=off", "GOMAXPROCS=8"),
		of("soak-stopped", "sample=off", "GODEBUG=gcstoptheworld=1"),
		of("soak-flip", "sample=20000,flip=on", "GOMAXPROCS=2"),
		{"meetings", "meetings", false, []string{"-for", soak.String()}, []string{protocol.EnvOpts + "=check=on,sample=1000000000,flip=on"}}, // nothing gets busy
		{"published", "published", false, []string{"-for", soak.String()}, []string{protocol.EnvOpts + "=sample=20000,flip=on"}},
		{"published-checked", "published", false, []string{"-for", soak.String()}, []string{protocol.EnvOpts + "=check=on,sample=20000,flip=on"}},
		{"accesses-plain", "accesses", true, []string{"-n", accesses}, nil},
		{"accesses", "accesses", false, []string{"-n", accesses}, nil},
		{"accesses-all", "accesses", false, []string{"-n", accesses}, []string{protocol.EnvOpts + "=sample=off"}},
		{"blocked-plain", "blocked", true, []string{"-n", blocked}, nil},
		{"blocked", "blocked", false, []string{"-n", blocked}, nil},
	}
}

// stressed is what became of a run.
type stressed struct {
	Usage
	Log      string           // what the program says of itself
	Found    map[string]int   // findings by verdict
	Process  protocol.Process // zero for a plain run
	Problems []string
}

// runStress runs the programs of bench/stress, which have no race, one after the other.
func (c *config) runStress(ctx context.Context, racepred, tmp string, stdout, stderr io.Writer) (ok bool, err error) {
	dir, err := benchDir(ctx, "stress")
	if err != nil {
		return false, err
	}
	var b strings.Builder
	b.WriteString("| run | what it did | wall | CPU | memory | observed, predicted, possible | events, checked | not covered |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n")
	ok = true
	for _, r := range stressRuns(c.short, c.soak) {
		if !c.match.MatchString(r.name) {
			continue
		}
		s, err := c.stress(ctx, dir, racepred, tmp, r)
		if err != nil {
			return false, fmt.Errorf("%s: %w", r.name, err)
		}
		row := s.row(r)
		b.WriteString(row)
		fmt.Fprint(stderr, "bench: ", row)
		for _, p := range s.Problems {
			fmt.Fprintf(stderr, "bench: %s: %s\n", r.name, p)
			ok = false
		}
	}
	return ok, c.print(stdout, b.String())
}

// stress builds a program and runs it once. That it fails, or that something is found, is a
// problem; the error is one of what is around it.
func (c *config) stress(ctx context.Context, dir, racepred, tmp string, r stressRun) (*stressed, error) {
	build := racepred
	if r.plain {
		build = "go"
	}
	binary := filepath.Join(tmp, r.name+".test")
	cmd := exec.CommandContext(ctx, build, "test", "-c", "-o", binary, "./"+r.program)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	out := filepath.Join(tmp, r.name)
	if err := os.Mkdir(out, 0o777); err != nil {
		return nil, err
	}
	cmd = exec.CommandContext(ctx, binary, append([]string{"-test.v", "-test.timeout=0"}, r.args...)...)
	cmd.Dir = filepath.Join(dir, r.program)
	cmd.Env = append(append(os.Environ(), protocol.EnvOpts+"=", protocol.EnvDir+"="+out, protocol.EnvPossible+"=1"), r.env...)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	u, err := measured(ctx, cmd)
	s := &stressed{Found: map[string]int{}}
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	s.Usage = u
	if err != nil {
		s.Problems = append(s.Problems, fmt.Sprintf("%v\n%s", err, tail(text.Bytes(), 4000)))
	}
	if m := logged.FindSubmatch(text.Bytes()); m != nil {
		s.Log = string(m[1])
	}
	if r.plain {
		return s, nil
	}
	return s, s.read(out, strings.Contains(strings.Join(r.env, " "), "check=on"))
}

// logged is what a test's only T.Log says.
var logged = regexp.MustCompile(`(?m)^    [a-z]+_test\.go:\d+: (.*)$`)

// read takes in what the process left in the directory.
func (s *stressed) read(dir string, checked bool) error {
	files, err := filepath.Glob(filepath.Join(dir, "*"+protocol.FindingsSuffix))
	if err != nil {
		return err
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		for d := json.NewDecoder(bytes.NewReader(b)); d.More(); {
			var found report.Finding
			if err := d.Decode(&found); err != nil {
				return fmt.Errorf("%s: %w", f, err)
			}
			s.Found[string(found.Verdict)]++
			said := "a finding: " + string(found.Verdict)
			for _, a := range found.Accesses {
				said += fmt.Sprintf(", %s at %s:%d", a.Op, filepath.Base(a.File), a.Line)
			}
			s.Problems = append(s.Problems, said+" "+found.Note)
		}
	}
	results, err := filepath.Glob(filepath.Join(dir, "*"+protocol.ResultSuffix))
	if err != nil {
		return err
	}
	if len(results) != 1 {
		s.Problems = append(s.Problems, fmt.Sprintf("%d processes left a result", len(results)))
		return nil
	}
	b, err := os.ReadFile(results[0])
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &s.Process); err != nil {
		return fmt.Errorf("%s: %w", results[0], err)
	}
	for _, u := range s.Process.Uncovered {
		if strings.Contains(u.Reason, "internal error") || strings.HasPrefix(u.Reason, "recording ended") {
			s.Problems = append(s.Problems, u.Reason)
		}
	}
	if s.Process.Stats.Events == 0 {
		s.Problems = append(s.Problems, "nothing was recorded")
	}
	if checked && s.checked() == 0 {
		s.Problems = append(s.Problems, "nothing was checked")
	}
	return nil
}

// checked is how many events went through the checks of the option check=on.
func (s *stressed) checked() uint64 {
	for _, r := range s.Process.Stats.Rules {
		if r.Predictor == "check" && r.Rule == "events" {
			return r.Fired
		}
	}
	return 0
}

func (s *stressed) row(r stressRun) string {
	found, events, notes := "", "", []string{}
	if !r.plain {
		found = fmt.Sprintf("%d, %d, %d", s.Found["observed"], s.Found["predicted"], s.Found["possible"])
		events = fmt.Sprintf("%d, %d", s.Process.Stats.Events, s.checked())
	}
	for _, u := range s.Process.Uncovered {
		notes = append(notes, u.Reason)
	}
	return fmt.Sprintf("| %s | %s | %.0f s | %.0f s | %d MB | %s | %s | %s |\n", r.name, s.Log, s.Wall.Seconds(), s.CPU.Seconds(), s.Memory>>20,
		found, events, strings.Join(notes, "; "))
}
