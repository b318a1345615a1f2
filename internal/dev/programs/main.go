// Command programs runs racepred on random concurrent programs of which every schedule is known
// (package programs): each race it predicts must be one that some schedule has.
//
//	go run ./internal/dev/programs [-racepred binary] [-rounds n] [-seed n] [-n tests] [-opts options]
//
// The exit status is 1 if one is not; its program is printed then. Observed races count for
// completeness only: accesses that nothing orders need not be able to stand side by side once other
// accesses have raced. About 15 seconds a round; -rounds 17 runs 10,200 programs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/conformance/programs"
	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/dev/command"
	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
)

func main() { command.Main(Run) }

// config is the command line.
type config struct {
	binary, opts string
	rounds, n    int
	seed         uint64
	timeout      time.Duration
}

// totals are those of all rounds.
type totals struct {
	programs  int
	races     int // that the programs have
	found     int // of those, predicted or observed
	predicted int
	observed  int
	possible  map[string][2]int // by note, those that some schedule has, and the others
	wrong     int               // predicted ones that no schedule has
}

// Run is the command: 0 all predictions hold, 1 not, 2 wrong usage.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := &config{}
	fs := flag.NewFlagSet("programs", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&c.binary, "racepred", "", "the racepred `binary` (default: built from this module)")
	fs.StringVar(&c.opts, "opts", "", "`options` of the recorder, as in "+protocol.EnvOpts)
	fs.IntVar(&c.rounds, "rounds", 5, "how many times new programs are made and run")
	fs.Uint64Var(&c.seed, "seed", 1, "of the first round; the next ones follow")
	fs.IntVar(&c.n, "n", 600, "programs of a round")
	fs.DurationVar(&c.timeout, "timeout", 10*time.Minute, "give a round up after this `duration`")
	if err := fs.Parse(args); err != nil {
		return command.Misused("programs", stderr, err)
	}
	sum := totals{possible: map[string][2]int{}}
	err := c.run(ctx, &sum, stdout, stderr)
	fmt.Fprintf(stdout, "%d programs with %d races: %d found; predicted %d, wrong %d; observed %d\n",
		sum.programs, sum.races, sum.found, sum.predicted, sum.wrong, sum.observed)
	for _, note := range slices.Sorted(maps.Keys(sum.possible)) {
		n := sum.possible[note]
		fmt.Fprintf(stdout, "possible, and some schedule has it %d, or none %d: %s\n", n[0], n[1], note)
	}
	return command.Done("programs", stderr, sum.wrong == 0, err)
}

func (c *config) run(ctx context.Context, sum *totals, stdout, stderr io.Writer) error {
	tmp, err := os.MkdirTemp("", "programs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if c.binary, err = tool.Binary(ctx, c.binary, tmp); err != nil {
		return err
	}
	version, err := tool.GoEnv(ctx, "", "GOVERSION")
	if err != nil {
		return err
	}
	language := tool.Language(version)
	if err := os.Setenv(protocol.EnvOpts, c.opts); err != nil {
		return err
	}
	var failed error // a round that fails takes nothing from the next one
	for round := range c.rounds {
		seed := c.seed + uint64(round)
		dir := filepath.Join(tmp, fmt.Sprint(round))
		begin := time.Now()
		if err := c.round(ctx, dir, language, seed, sum, stdout); err != nil {
			failed = errors.Join(failed, fmt.Errorf("seed %d: %w", seed, err))
			continue
		}
		sum.programs += c.n
		fmt.Fprintf(stderr, "programs: seed %d: %d predicted so far, %d wrong; %.0f programs a minute\n",
			seed, sum.predicted, sum.wrong, float64(c.n)/time.Since(begin).Minutes())
		os.RemoveAll(dir)
	}
	return failed
}

func (c *config) round(ctx context.Context, dir, language string, seed uint64, sum *totals, stdout io.Writer) error {
	source, races := programs.Tests(seed, c.n)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	for name, text := range map[string]string{"go.mod": "module programs\n\ngo " + language + "\n", "programs_test.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	file := filepath.Join(dir, "report.json")
	out, _, err := tool.Racepred(c.binary).Run(ctx, tool.Job{Dir: dir, Args: []string{"-possible", "-report", file, "."}, Timeout: c.timeout})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	rep, err := tool.ReadReport(file)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	if rep.Stats.Events == 0 {
		return fmt.Errorf("nothing was recorded:\n%s", out)
	}
	for _, r := range races {
		sum.races += len(r)
	}
	var all []report.Finding
	for i := range rep.Findings {
		all = append(all, rep.Findings[i].Each()...)
	}
	for i := range all {
		f := &all[i]
		if f.Kind != report.Race { // no schedule of these programs deadlocks, or leaves a goroutine behind (package programs)
			if f.Verdict != report.Possible {
				sum.wrong++
				fmt.Fprintf(stdout, "seed %d: %s: no schedule has a %s\n%s", seed, f.Test, f.Kind, program(source, f.Test))
			}
			continue
		}
		a, b := f.Accesses[0].Line, f.Accesses[1].Line
		pair := [2]int{min(a, b), max(a, b)}
		real := races[f.Test][pair]
		switch f.Verdict {
		case report.Possible:
			n := sum.possible[f.Note]
			if real {
				n[0]++
			} else {
				n[1]++
			}
			sum.possible[f.Note] = n
			continue
		case report.Observed:
			sum.observed++
		case report.Predicted:
			sum.predicted++
			if !real {
				sum.wrong++
				fmt.Fprintf(stdout, "seed %d: %s: no schedule has lines %d and %d side by side\n%s", seed, f.Test, a, b, program(source, f.Test))
			}
		}
		if real {
			sum.found++
		}
	}
	return nil
}

// program is the source of a test with its line numbers.
func program(source, test string) string {
	var b strings.Builder
	inside := false
	for i, line := range strings.Split(source, "\n") {
		inside = inside || strings.HasPrefix(line, "func "+test+"(")
		if inside {
			fmt.Fprintf(&b, "%6d %s\n", i+1, line)
			if line == "}" && strings.Contains(b.String(), "wg.Wait()") {
				return b.String()
			}
		}
	}
	return b.String()
}
