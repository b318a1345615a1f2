package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/dev/command"
	"github.com/racepred/racepred/internal/dev/fetch"
	"github.com/racepred/racepred/internal/report"
)

const name = "unlocked"

// targets are module@version and, where the tests are not at its root, /package: small modules of
// much used concurrent code, with tests of their own.
var targets = []string{
	"github.com/jackc/puddle/v2@v2.2.2",
	"github.com/tidwall/buntdb@v1.3.2",
	"github.com/gorilla/websocket@v1.5.3",
	"github.com/sony/gobreaker/v2@v2.1.0",
	"github.com/alitto/pond/v2@v2.3.4",
	"github.com/allegro/bigcache/v3@v3.1.0",
	"github.com/go-co-op/gocron/v2@v2.16.1",
}

// Run is the command.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(stderr)
	n := f.Int("n", 10, "`functions` of each package")
	again := f.Int("again", 0, "how many more `times` -race runs the tests if neither finds a race at first")
	seed := f.Uint64("seed", 1, "what the functions are drawn by")
	asJSON := f.Bool("json", false, "print the result as JSON")
	page := f.String("write", "", "write the result to this `page`, too")
	if err := f.Parse(args); err != nil {
		return command.Misused(name, stderr, err)
	}
	which := f.Args()
	if len(which) == 0 {
		which = targets
	}
	r := &runner{stderr: stderr, n: *n, again: *again, rng: rand.New(rand.NewPCG(*seed, 7))}
	err := r.all(ctx, which)
	if e := command.Print(stdout, *asJSON, r.rows, text(r.rows)); err == nil {
		err = e
	}
	if *page != "" && err == nil {
		err = command.WritePage(*page, text(r.rows), "go run ./internal/dev/unlocked", args...)
	}
	return command.Done(name, stderr, true, err)
}

type runner struct {
	stderr   io.Writer
	n, again int
	rng      *rand.Rand
	racepred string // the binary
	report   string // the file that it writes
	rows     []row
}

// row is what became of the functions of a package.
type row struct {
	Package string   `json:"package"`
	Tried   []result `json:"tried"`
}

// result is what became of a function without its lock.
type result struct {
	mutant
	Race     bool           `json:"race"`               // go test -race found it at the first run
	Later    bool           `json:"later"`              // it did at one of the runs after that, which are for what racepred did not find either
	Racepred report.Verdict `json:"racepred"`           // the surest of racepred's findings there, "" for none
	Possible string         `json:"possible,omitempty"` // why a finding there is only possible, where there is no surer one
	Broken   string         `json:"broken,omitempty"`
}

func (r *runner) all(ctx context.Context, which []string) error {
	dir, err := os.MkdirTemp("", "unlocked")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r.report = filepath.Join(dir, "report.json")
	if r.racepred, err = tool.Build(ctx, dir); err != nil {
		return err
	}
	var failed []error
	for i, target := range which {
		if err := r.target(ctx, target, filepath.Join(dir, strconv.Itoa(i))); err != nil {
			if ctx.Err() != nil {
				return err
			}
			failed = append(failed, err) // the others are tried all the same
		}
	}
	return errors.Join(failed...)
}

func (r *runner) target(ctx context.Context, target, dir string) error {
	module, sub := fetch.Split(target)
	if err := fetch.Module(ctx, module, dir); err != nil {
		return err
	}
	dir = filepath.Join(dir, filepath.FromSlash(sub))
	list, err := mutants(dir)
	if err != nil {
		return err
	}
	r.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	row := row{Package: target}
	for _, m := range list {
		if len(row.Tried) == r.n {
			break
		}
		res, ok, err := r.try(ctx, dir, m)
		if err != nil {
			return err
		}
		if ok {
			fmt.Fprintf(r.stderr, "%s: %s: %s without %s: -race %v, later %v, racepred %q %s%s\n", name, target, m.Func, m.Lock, res.Race, res.Later, res.Racepred, res.Possible, res.Broken)
			row.Tried = append(row.Tried, res)
		}
	}
	r.rows = append(r.rows, row)
	return nil
}

// try runs the package's tests with the mutant in it; false if it does not build.
func (r *runner) try(ctx context.Context, dir string, m mutant) (res result, ok bool, err error) {
	restore, err := m.apply(dir)
	if err != nil {
		return res, false, err
	}
	defer func() {
		if e := restore(); err == nil {
			err = e
		}
	}()
	res.mutant = m
	if _, err := output(ctx, dir, "go", "test", "-vet=off", "-run", "^$", "."); err != nil {
		return res, false, ctx.Err()
	}
	race := func() bool {
		out, _ := output(ctx, dir, "go", "test", "-race", "-count=1", "-vet=off", "-timeout=3m", ".")
		return m.inText(out)
	}
	res.Race = race()
	if err := os.RemoveAll(r.report); err != nil {
		return res, false, err
	}
	_, _ = output(ctx, dir, r.racepred, "test", "-possible", "-vet=off", "-timeout=3m", "-report", r.report, ".")
	found, err := tool.ReadReport(r.report)
	if err != nil {
		res.Broken = err.Error()
		return res, true, nil
	}
	res.Racepred, res.Possible = m.in(found)
	for range r.again {
		if res.Race || res.Later || res.Racepred != "" {
			break
		}
		res.Later = race()
	}
	return res, true, ctx.Err()
}

func output(ctx context.Context, dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GORACE=")
	cmd.WaitDelay = 5 * time.Second
	return cmd.CombinedOutput()
}

var frame = regexp.MustCompile(`(?m)^\s+\S*/([^/\s]+\.go):(\d+)`)

// inText is (U1) for the text of go test -race.
func (m *mutant) inText(out []byte) bool {
	for _, block := range bytes.Split(out, []byte("WARNING: DATA RACE"))[1:] {
		block, _, _ = bytes.Cut(block, []byte("=================="))
		accesses, _, _ := bytes.Cut(block, []byte(" created at:"))
		for _, f := range frame.FindAllSubmatch(accesses, -1) {
			if line, _ := strconv.Atoi(string(f[2])); m.has(string(f[1]), line) {
				return true
			}
		}
	}
	return false
}

// in is (U1) for a report of racepred's: the surest verdict that fails a test, or why there is only
// a possible finding.
func (m *mutant) in(r *report.Report) (best report.Verdict, possible string) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Kind != report.Race {
			continue
		}
		if !slices.ContainsFunc(f.Accesses, func(a report.Access) bool {
			return slices.ContainsFunc(a.Stack, func(f report.Frame) bool { return m.has(path.Base(filepath.ToSlash(f.File)), f.Line) })
		}) {
			continue
		}
		switch {
		case f.Fails() && (best == "" || f.Verdict.Surer(best)):
			best = f.Verdict
		case f.Verdict == report.Possible && possible == "":
			possible = f.Note
		}
	}
	if best != "" {
		possible = ""
	}
	return best, possible
}

func (m *mutant) has(file string, line int) bool {
	return file == m.File && m.First <= line && line <= m.Last
}
