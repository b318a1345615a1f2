package gotestplugin

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/format"
)

// summary prints the last lines: the findings, and how much was done. A run without findings ends
// as go test does, unless stderr is a terminal or -v is given; with -v there is a line for each
// package, too.
func (j *job) summary(rep *report.Report, o *outcome) {
	found := len(rep.Findings) > 0 || j.args.possible && candidates(&rep.Stats) != ""
	if !found && (len(o.run.Processes) == 0 || !j.args.on("v") && !isTerminal(j.err)) {
		return
	}
	var lines []string
	if j.args.on("v") {
		for i := range rep.Packages {
			p := &rep.Packages[i]
			line := fmt.Sprintf("%s: %s", p.Package, counts(0, o.testsOf(p.Package), &p.Stats, p.Stats.Seconds))
			if n := o.processesOf(p.Package); n > 1 {
				line += fmt.Sprintf(" in %d processes", n)
			}
			lines = append(lines, line)
		}
	}
	colour := green
	if slices.ContainsFunc(rep.Findings, func(f report.Finding) bool { return f.Fails() }) {
		colour = red
	}
	lines = append(lines, j.paint(colour, format.Summary(rep.Findings)+candidates(&rep.Stats)))
	lines = append(lines, counts(len(rep.Packages), o.testsOf(""), &rep.Stats, time.Since(j.begun).Seconds()))
	if n := j.countHidden(o, rep.Findings); n > 0 {
		what := "findings fail nothing: -v shows them"
		if n == 1 {
			what = "findings fails nothing: -v shows it"
		}
		lines = append(lines, fmt.Sprintf("go test shows no output of packages that pass; %d of these %s, and -report FILE has all", n, what))
	}
	lines = append(lines, j.madeForRace(rep.Findings)...)
	fmt.Fprint(j.err, "racepred: "+strings.Join(lines, "\nracepred: ")+"\n")
}

// sayPassed says why the run fails though go test passed. (X1)
func (j *job) sayPassed() {
	fmt.Fprint(j.err, "racepred: no test failed, the findings do: their schedules were found after their test, a process that a test started made them, or they are from the time after the tests\n")
}

// counts says how much was done.
func counts(packages, tests int, s *report.Stats, seconds float64) string {
	var parts []string
	for _, c := range []struct {
		n    uint64
		what string
	}{{uint64(packages), "package"}, {uint64(tests), "test"}, {s.Events, "event"}} {
		switch {
		case c.n == 0 && c.what == "package":
		case c.n == 1:
			parts = append(parts, "1 "+c.what)
		default:
			parts = append(parts, fmt.Sprintf("%d %ss", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ") + fmt.Sprintf(", %.1f s", seconds)
}

// processesOf is how many processes a package had: its test, and those that this one started.
func (o *outcome) processesOf(pkg string) (n int) {
	for i := range o.run.Processes {
		if o.packageOf(&o.run.Processes[i]) == pkg {
			n++
		}
	}
	return n
}

// testsOf is how many tests the processes of a package ran, or all of them; subtests are not
// counted.
func (o *outcome) testsOf(pkg string) (n int) {
	for i := range o.run.Processes {
		if p := &o.run.Processes[i]; o.started(p) && (pkg == "" || o.packageOf(p) == pkg) {
			n += p.Tests
		}
	}
	return n
}
