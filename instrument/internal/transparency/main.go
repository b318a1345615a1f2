// Command transparency runs the tests of Go packages as they are and
// rewritten, with recording calls that do nothing, and compares the outcome of every test.
//
//	go run ./instrument/internal/transparency [-C dir] [-all] [-keep dir] [-run tests] packages...
//
// With -complete it compares, line by line, the accesses that the compiler's own
// instrumentation sees with those that rewritten code records.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"time"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/instrument/internal/fake"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

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
	if err := fs.Parse(args); err != nil {
		return 2
	}
	tmp := *keep
	if tmp == "" {
		t, err := os.MkdirTemp("", "racepred-transparency")
		if err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
		defer os.RemoveAll(t)
		tmp = t
	}
	start := time.Now()
	res, err := instrument.Rewrite(instrument.Config{Dir: *dir, Patterns: fs.Args(), Tests: true, All: *all})
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
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
		return missing(*dir, tmp, *filter, fs.Args(), res, stdout, stderr)
	}
	overlay, err := fake.Overlay(tmp, res.Files, false)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
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
	plain := outcomes(*dir, append(test, fs.Args()...), stderr)
	rewritten := outcomes(*dir, append(append(test, "-overlay="+absOverlay), fs.Args()...), stderr)
	return compare(stdout, plain, rewritten)
}

// outcome is how one test ended, and what it printed.
type outcome struct {
	action string
	output strings.Builder
}

// addresses in the names of tests differ from run to run.
var addresses = regexp.MustCompile("0x[0-9a-f]+")

func outcomes(dir string, args []string, stderr io.Writer) map[string]*outcome {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Stderr = stderr
	out, _ := cmd.Output() // failing tests are an outcome
	res := map[string]*outcome{}
	sc := bufio.NewScanner(bytes.NewReader(out))
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var ev struct{ Action, Package, Test, Output, ImportPath string }
		if json.Unmarshal(sc.Bytes(), &ev) != nil {
			continue
		}
		if ev.ImportPath != "" && ev.Package == "" {
			ev.Package = "build " + ev.ImportPath
		}
		key := ev.Package + " " + addresses.ReplaceAllString(ev.Test, "0x")
		o := res[key]
		if o == nil {
			o = &outcome{}
			res[key] = o
		}
		switch ev.Action {
		case "pass", "fail", "skip", "build-fail":
			o.action = ev.Action
		case "output", "build-output":
			o.output.WriteString(ev.Output)
		}
	}
	return res
}

func compare(stdout io.Writer, plain, rewritten map[string]*outcome) int {
	keys := map[string]bool{}
	for k := range plain {
		keys[k] = true
	}
	for k := range rewritten {
		keys[k] = true
	}
	var sorted []string
	for k := range keys {
		sorted = append(sorted, k)
	}
	sort.Strings(sorted)
	differ := 0
	count := map[string]int{}
	for _, k := range sorted {
		a, b := plain[k], rewritten[k]
		was, is := "none", "none"
		if a != nil {
			was = a.action
		}
		if b != nil {
			is = b.action
		}
		count[is]++
		if was != is {
			differ++
			fmt.Fprintf(stdout, "DIFFERS %s: %s, rewritten %s\n", k, was, is)
			if b != nil {
				out := b.output.String()
				if len(out) > 1500 {
					out = out[:1500]
				}
				fmt.Fprintln(stdout, out)
			}
		}
	}
	fmt.Fprintf(stdout, "%d outcomes, rewritten %v, %d differ\n", len(sorted), count, differ)
	if differ > 0 {
		return 1
	}
	return 0
}
