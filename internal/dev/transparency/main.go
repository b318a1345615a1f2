// Command transparency runs the tests of Go packages as they are and
// rewritten, with recording calls that do nothing, and compares the outcome of every test.
//
//	go run ./internal/dev/transparency [-C dir] [-all] [-keep dir] [-run tests] packages...
//
// With -table it goes over the packages of the standard library and the modules that
// targets.txt lists, runs go vet on the rewritten files, too, and writes a page:
//
//	go run ./internal/dev/transparency -table docs/results/transparency.md -work dir [-only regexp] [-racepred binary] [-again]
//
// A target with a result in dir is not run again, so the run can be interrupted and taken up. It
// exits with 1 if there is a difference whose cause is not in causes.txt. Running all takes about
// an hour.
//
// With -table and -complete, modules that have a result are compared with the compiler's
// instrumentation, and nothing else is run.
//
// With -complete it compares, line by line, the accesses that the compiler's own
// instrumentation sees with those that rewritten code records.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/internal/dev/command"
	"github.com/racepred/racepred/internal/dev/fake"
)

func main() { command.Simple(run) }

func run(args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("transparency", flag.ContinueOnError)
	fs.SetOutput(stderr)
	dir := fs.String("C", ".", "directory of the module")
	all := fs.Bool("all", false, "no pruning")
	keep := fs.String("keep", "", "leave the rewritten files in this directory")
	short := fs.Bool("short", true, "run the tests with -short")
	list := fs.Bool("misses", false, "only list the accesses that are not recorded")
	build := fs.Bool("build", false, "only build the tests")
	complete := fs.Bool("complete", false, "list the accesses that the compiler sees and the rewriter does not record")
	filter := fs.String("run", "", "run these tests only")
	c := &tableConfig{}
	table := fs.String("table", "", "go over targets.txt and write this page")
	fs.StringVar(&c.work, "work", filepath.Join(os.TempDir(), "racepred-transparency"), "results and copies of modules, for -table")
	only := fs.String("only", "", "only the packages and modules that match, for -table")
	fs.StringVar(&c.racepred, "racepred", "", "a racepred binary, to run the tests under it, too, for -table")
	fs.BoolVar(&c.again, "again", false, "run what has a result, too, for -table")
	fs.StringVar(&c.timeout, "timeout", "9m", "of each go test, for -table")
	if err := fs.Parse(args); err != nil {
		return command.Misused("transparency", stderr, err)
	}
	if *table != "" {
		c.all, c.complete = *all, *complete
		return runTable(c, *table, *only, stdout, stderr)
	}
	tmp := *keep
	if tmp == "" {
		t, err := os.MkdirTemp("", "racepred-transparency")
		if err != nil {
			return command.Done("transparency", stderr, false, err)
		}
		defer os.RemoveAll(t)
		tmp = t
	}
	start := time.Now()
	res, err := instrument.Rewrite(instrument.Config{Dir: *dir, Patterns: fs.Args(), Tests: true, Options: instrument.Options{All: *all}})
	if err != nil {
		return command.Done("transparency", stderr, false, err)
	}
	if *list {
		for _, p := range res.Packages {
			for _, m := range p.Misses {
				fmt.Fprintf(stdout, "%s:%d:%d: %s: %s\n", m.File, m.Line, m.Col, m.Expr, m.Why)
			}
		}
		return 0
	}
	sites := 0
	for _, p := range res.Packages {
		sites += p.Sites
	}
	fmt.Fprintf(stdout, "rewrote %d files of %d packages, %d sites, in %.1fs\n", len(res.Files), len(res.Packages), sites, time.Since(start).Seconds())
	for _, n := range res.Notes {
		fmt.Fprintln(stdout, "note:", n)
	}
	if *complete {
		found, err := comparison(*dir, tmp, *filter, "", fs.Args(), res, stderr)
		if err != nil {
			return command.Done("transparency", stderr, false, err)
		}
		return found.print(stdout)
	}
	overlay, err := fake.Overlay(tmp, res.Files, fake.Quiet)
	if err != nil {
		return command.Done("transparency", stderr, false, err)
	}
	test := []string{"test", "-count=1", "-vet=off", "-json"}
	if *short {
		test = append(test, "-short")
	}
	if *filter != "" {
		test = append(test, "-run="+*filter)
	}
	if *build {
		test = append(test, "-run=^$")
	}
	absOverlay, _ := filepath.Abs(overlay)
	plain := runTests(*dir, "go", append(test, fs.Args()...), stderr)
	rewritten := runTests(*dir, "go", append(append(test, "-overlay="+absOverlay), fs.Args()...), stderr)
	return compare(stdout, plain, rewritten)
}

// runTable measures what is not measured yet and writes the page.
func runTable(c *tableConfig, page, only string, stdout, stderr io.Writer) int {
	var err error
	if c.only, err = regexp.Compile(only); err != nil {
		return command.Misused("transparency", stderr, fmt.Errorf("-only: %w", err))
	}
	targets, err := parseTargets(targetList)
	if err == nil {
		c.work, err = filepath.Abs(c.work)
	}
	if err == nil {
		err = c.measure(targets, stdout, stderr)
	}
	unexplained := 0
	if err == nil {
		unexplained, err = c.page(page, targets)
	}
	if unexplained > 0 {
		fmt.Fprintf(stdout, "%d differences without a known cause\n", unexplained)
	}
	return command.Done("transparency", stderr, unexplained == 0, err)
}

// compare prints which outcomes differ; it returns the exit code.
func compare(stdout io.Writer, plain, rewritten outcomes) int {
	diffs := differences(plain, rewritten)
	for _, d := range diffs {
		fmt.Fprintf(stdout, "DIFFERS %s: %s, rewritten %s\n%s\n", d.Test, d.Was, d.Is, d.Output)
	}
	fmt.Fprintf(stdout, "%d outcomes, rewritten %v, %d differ\n", len(plain), rewritten.count(), len(diffs))
	if len(diffs) > 0 {
		return 1
	}
	return 0
}
