package gotestplugin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
	comments "github.com/racepred/racepred/internal/waive/ignore"
)

// waived is what is known before the tests run of the findings that fail nothing.
type waived struct {
	rules    waive.Rules
	baseline *baseline // nil: no -baseline
	ignores  []ignore
}

// setWaived reads -baseline, -fail-on and the suppressions, before anything is built.
func (j *job) setWaived() error {
	w, a := &j.waived, j.args
	if a.baseline == "" && a.updateBaseline {
		return usagef("-baseline-update writes the file of -baseline, which is not given")
	}
	if a.baseline != "" {
		var err error
		if w.baseline, err = readBaseline(inDir(j.dir, a.baseline), a.updateBaseline); err != nil {
			return err
		}
		w.rules.Known, w.rules.All, w.rules.Leaks = w.baseline.fingerprints(), a.updateBaseline, a.updateBaseline && a.leaksFail()
	}
	w.rules.Least, w.rules.Kinds = a.failOn.least, a.failOn.kinds
	for _, name := range append(slices.Clip(a.suppressions), goraceSuppressions(getenv(j.env, "GORACE"))...) {
		if err := w.readSuppressions(inDir(j.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// goraceSuppressions are the files that GORACE names, as -race reads them.
func goraceSuppressions(gorace string) (names []string) {
	for _, o := range strings.Fields(gorace) {
		if name, ok := strings.CutPrefix(o, "suppressions="); ok {
			names = append(names, strings.Trim(name, `"'`))
		}
	}
	return names
}

// otherSuppressions are kinds of ThreadSanitizer's patterns for defects that racepred does not look
// for. They suppress nothing.
var otherSuppressions = []string{"called_from_lib", "mutex", "signal", "thread"}

// readSuppressions reads a suppression file of ThreadSanitizer: a pattern in each line, "#" before
// comments. Any other line is an error, as it is for ThreadSanitizer.
func (w *waived) readSuppressions(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return inputf("suppressions: %w", err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		kind, text, _ := strings.Cut(line, ":")
		switch p, ok := waive.ParsePattern(line); {
		case ok:
			w.rules.Patterns = append(w.rules.Patterns, p)
		case text == "" || !slices.Contains(otherSuppressions, kind):
			return inputf("suppressions: %s:%d: %q is none: a suppression is KIND:PATTERN, and of the kinds race, race_top and deadlock are used", name, n, line)
		}
	}
	return nil
}

// findIgnores reads the comments, once the packages are known.
func (j *job) findIgnores() (err error) {
	w := &j.waived
	if w.ignores, err = j.graph.ignores(j.goEnv.root(j.dir)); err != nil {
		return inputError{err}
	}
	for _, i := range w.ignores {
		w.rules.Ignored = append(w.rules.Ignored, i.lines...)
	}
	return nil
}

// waivedFile writes the rules for the test processes. It is "" if there are none.
func (j *job) waivedFile() (string, error) {
	data := j.waived.rules.Encode()
	if len(data) == 0 {
		return "", nil
	}
	name := filepath.Join(j.work, "waived")
	return name, os.WriteFile(name, data, 0o666)
}

// concludeWaived updates the baseline, and prints which of its findings did not turn up and, if the
// run was of all tests, which comments waived nothing.
func (j *job) concludeWaived(found []report.Finding, whole bool) error {
	w := &j.waived
	if w.baseline != nil {
		j.sayMissing(found, whole)
	}
	if whole {
		for _, i := range w.ignores {
			if i.named && !i.used(found) {
				fmt.Fprintf(j.err, "racepred: %s:%d: %s is about nothing that was found in this run\n", report.Rel(j.goEnv.root(j.dir), i.lines[0].File), i.line, comments.Prefix)
			}
		}
	}
	if !j.args.updateBaseline {
		return nil
	}
	b, err := readBaseline(w.baseline.name, true) // another run may have added to it meanwhile
	if err != nil {
		return err
	}
	added := b.add(found, func(f *report.Finding) bool { return f.Waived == waive.ByNewBaseline })
	if err := b.write(); err != nil {
		return inputf("-baseline-update: %w", err)
	}
	fmt.Fprintf(j.err, "racepred: baseline: %d added, %d in all\n", added, len(b.Findings))
	return nil
}

// whole reports whether the run was of all tests of the named packages.
func (j *job) whole() bool {
	for _, name := range []string{"run", "skip", "list", "short", "failfast"} {
		if _, given := j.args.set[name]; given {
			return false
		}
	}
	return j.args.shard.of < 2
}

// failOn is the value of -fail-on.
type failOn struct {
	least report.Verdict
	kinds []report.Kind
}

// parseFailOn reads "observed" or "predicted,race,deadlock".
func parseFailOn(value string) (f failOn, err error) {
	words := splitList(value)
	if len(words) == 0 || !slices.Contains([]report.Verdict{report.Observed, report.Predicted, waive.None}, report.Verdict(words[0])) {
		return f, errors.New("it is none, observed or predicted, and after a comma the kinds that fail")
	}
	f.least = report.Verdict(words[0])
	for _, k := range words[1:] {
		if !slices.Contains(testKinds, report.Kind(k)) {
			return f, fmt.Errorf("%q is no kind of finding: they are %s", k, kindNames())
		}
		f.kinds = append(f.kinds, report.Kind(k))
	}
	return f, nil
}

// testKinds are the kinds of what a run can show.
var testKinds = slices.DeleteFunc(slices.Clone(report.Kinds), func(k report.Kind) bool { return k == report.Misuse })

func kindNames() string {
	var names []string
	for _, k := range testKinds {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}
