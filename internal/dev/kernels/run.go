package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/dev/command"
	"github.com/racepred/racepred/internal/report"
)

const name = "kernels"

// module is the go.mod of programs that have none.
const module = "module kernels\n\ngo 1.21\n"

// testTimeout ends a test that hangs, and runTimeout a command with all that it builds.
const (
	testTimeout = "-timeout=30s"
	runTimeout  = 5 * time.Minute
)

// Run is the command.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(stderr)
	n := f.Int("n", 5, "`runs` of each test with each tool")
	which := f.String("run", "", "only the packages whose import paths match this `regexp`")
	asJSON := f.Bool("json", false, "print the result as JSON")
	page := f.String("write", "", "write the result to this `page`, too")
	if err := f.Parse(args); err != nil {
		return command.Misused(name, stderr, err)
	}
	if f.NArg() != 1 {
		return command.Misused(name, stderr, errors.New("one directory with packages is needed"))
	}
	re, err := regexp.Compile(*which)
	if err != nil {
		return command.Misused(name, stderr, err)
	}
	rows, err := all(ctx, f.Arg(0), re, *n, stderr)
	if e := command.Print(stdout, *asJSON, rows, text(rows)); err == nil {
		err = e
	}
	if *page != "" && err == nil {
		// The directory is somewhere else for everybody.
		err = command.WritePage(*page, text(rows), "go run ./internal/dev/kernels", append(args[:len(args)-1:len(args)-1], "DIR")...)
	}
	return command.Done(name, stderr, !slices.ContainsFunc(rows, func(r row) bool { return r.Race > 0 && r.Racepred == 0 || r.Broken != "" }), err)
}

// row is what became of a package's runs.
type row struct {
	Package   string `json:"package"`
	Runs      int    `json:"runs"`      // of each tool
	Race      int    `json:"race"`      // runs in which -race reported a race
	Racepred  int    `json:"racepred"`  // in which racepred did
	Predicted int    `json:"predicted"` // of these, those in which none was observed
	Broken    string `json:"broken,omitempty"`
}

func all(ctx context.Context, from string, which *regexp.Regexp, n int, stderr io.Writer) ([]row, error) {
	tmp, err := os.MkdirTemp("", name)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	binary, err := tool.Build(ctx, tmp)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(tmp, "copy")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); errors.Is(err, os.ErrNotExist) {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o666); err != nil {
			return nil, err
		}
	}
	packages, err := list(ctx, dir)
	if err != nil {
		return nil, err
	}
	r := runner{dir: dir, report: filepath.Join(tmp, "report.json"), race: tool.GoRace(), racepred: tool.Racepred(binary)}
	var rows []row
	for _, pkg := range packages {
		if !which.MatchString(pkg) {
			continue
		}
		row, err := r.runs(ctx, pkg, n)
		if err != nil {
			return rows, err
		}
		fmt.Fprintf(stderr, "%s: %s: of %d runs, -race %d, racepred %d, %d of these predicted %s\n", name, pkg, row.Runs, row.Race, row.Racepred, row.Predicted, row.Broken)
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no package with tests in %s is asked for", from)
	}
	return rows, nil
}

// list has the import paths of the packages with tests.
func list(ctx context.Context, dir string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w", dir, err)
	}
	return strings.Fields(string(out)), nil
}

type runner struct {
	dir, report    string
	race, racepred *tool.Tool
}

// runs runs a package's tests n times with each tool. The error is one that ends everything.
func (r *runner) runs(ctx context.Context, pkg string, n int) (row, error) {
	row := row{Package: pkg}
	for range n {
		out, err := r.test(ctx, r.race, pkg)
		if err != nil {
			row.Broken = err.Error()
			break
		}
		if err := os.RemoveAll(r.report); err != nil {
			return row, err
		}
		if _, err := r.test(ctx, r.racepred, pkg, "-report", r.report); err != nil {
			row.Broken = err.Error()
			break
		}
		rep, err := tool.ReadReport(r.report)
		if err != nil {
			row.Broken = err.Error()
			break
		}
		row.Runs++
		if strings.Contains(out, "WARNING: DATA RACE") {
			row.Race++
		}
		switch surest(rep) {
		case report.Observed:
			row.Racepred++
		case report.Predicted:
			row.Racepred++
			row.Predicted++
		}
	}
	return row, ctx.Err()
}

// test runs the tests once, and fails if they do not build.
func (r *runner) test(ctx context.Context, t *tool.Tool, pkg string, more ...string) (string, error) {
	args := append([]string{"-count=1", "-vet=off", testTimeout}, more...)
	out, _, err := t.Run(ctx, tool.Job{Dir: r.dir, Args: append(args, pkg), Timeout: runTimeout})
	if err == nil && (strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]")) {
		err = errors.New(t.Name + " cannot build it")
	}
	return out, err
}

// surest is the verdict of the surest data race that fails the run, "" if there is none.
func surest(rep *report.Report) (best report.Verdict) {
	for i := range rep.Findings {
		if f := &rep.Findings[i]; f.Kind == report.Race && f.Fails() && (best == "" || f.Verdict.Surer(best)) {
			best = f.Verdict
		}
	}
	return best
}
