package examples

import (
	"fmt"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// Outcome is the outcome of one example.
type Outcome int

// The outcomes; those from Missed on are wrong.
const (
	Found  Outcome = iota // a race, as it should be
	Quiet                 // no race, as it should be
	Seen                  // found, but the schedule did not hide it, though (E2) wants that
	Known                 // a race, not found, with a known cause
	Missed                // a race, not found
	False                 // no race, but reported
	Broken                // failed, passed or was not run without the findings that go with it
)

var outcomeNames = [...]string{
	Found: "found", Quiet: "quiet", Seen: "seen", Known: "known-miss", Missed: "missed", False: "false", Broken: "broken",
}

func (o Outcome) String() string { return outcomeNames[o] }

// Wrong tells whether racepred, and not only the schedule, was wrong.
func (o Outcome) Wrong() bool { return o >= Missed }

// Result is what became of a test, as test2json has it: pass, fail or skip; "" if it was not run.
type Result string

// Row is one checked test.
type Row struct {
	Test
	Outcome  Outcome
	Findings []string // "R1 predicted", by the report's order
	Note     string
}

// Check compares the tests with their results (by directory and name) and with
// the report. causes says, by name, why a test is known to be missed.
func Check(tests []Test, results map[string]map[string]Result, rep *report.Report, causes map[string]string) []Row {
	rows := make([]Row, 0, len(tests))
	for _, t := range tests {
		row := Row{Test: t}
		verdicts, other := make(map[report.Verdict]bool), false
		for i := range rep.Findings {
			f := &rep.Findings[i]
			if !Names(f, &t) {
				continue
			}
			if want := t.Want(); f.Kind != want.Kind() && want != NoRace {
				other = other || f.Fails() && f.Kind != report.Leak
				continue
			}
			row.Findings = append(row.Findings, fmt.Sprintf("%s %s", f.ID, f.Verdict))
			verdicts[f.Verdict] = true
		}
		row.judge(results[t.Dir][t.Name], verdicts)
		if other && (t.Want() == Deadlock || t.Want() == Leak || t.Want() == Atomicity) { // (E4), (E5), (E6)
			row.Outcome, row.Note = False, "it has another finding"
		}
		row.excuse(causes[t.Name])
		rows = append(rows, row)
	}
	return rows
}

func (r *Row) judge(result Result, verdicts map[report.Verdict]bool) {
	named := verdicts[report.Observed] || verdicts[report.Predicted] || verdicts[report.Confirmed]
	failed := result == "fail"
	want := r.Want()
	passes := want == Leak || want == Deadlock && verdicts[report.Observed] // (E4), (E5): known when the test is over
	switch {
	case want == NoRace && named: // (E3)
		r.Outcome = False
	case result != "pass" && result != "fail":
		r.Outcome, r.Note = Broken, "was not run"
	case want == NoRace && failed:
		r.Outcome, r.Note = Broken, "failed without a finding that names it"
	case want == NoRace:
		r.Outcome = Quiet
	case failed && !named: // (E1)
		r.Outcome, r.Note = Broken, "failed without a finding that names it"
	case !failed && named && passes:
		r.Outcome = Found
	case !failed && named:
		r.Outcome, r.Note = Broken, "has a finding and passed"
	case !failed:
		r.Outcome = Missed
		if verdicts[report.Possible] {
			r.Note = "reported as possible"
		}
	case want == Predicted && verdicts[report.Observed]: // (E2)
		r.Outcome, r.Note = Seen, "observed in this schedule, not predicted"
	default:
		r.Outcome = Found
	}
}

// excuse applies a known cause: a test with one may be missed, and must not be
// found.
func (r *Row) excuse(cause string) {
	switch {
	case cause == "":
	case r.Outcome == Missed:
		r.Outcome, r.Note = Known, cause
	default:
		r.Outcome, r.Note = Broken, "is not missed any more: remove it from the causes"
	}
}

// Names tells whether a finding names a line of the test, in an access, its
// stack or its goroutine's creation.
func Names(f *report.Finding, t *Test) bool {
	for _, one := range f.Each() {
		for _, a := range one.Accesses {
			if t.Covers(a.File, a.Line) || covers(t, a.Stack) || covers(t, a.Created) {
				return true
			}
		}
	}
	return false
}

func covers(t *Test, stack []report.Frame) bool {
	for _, fr := range stack {
		if t.Covers(fr.File, fr.Line) {
			return true
		}
	}
	return false
}

// Strays are the findings that fail a test and name no test at all, as "R1 file:line".
func Strays(tests []Test, rep *report.Report) []string {
	var strays []string
	for i := range rep.Findings {
		f := &rep.Findings[i]
		if !f.Fails() || named(tests, f) {
			continue
		}
		var at []string
		for _, a := range f.Accesses {
			at = append(at, fmt.Sprintf("%s:%d", a.File, a.Line))
		}
		strays = append(strays, f.ID+" "+strings.Join(at, " "))
	}
	return strays
}

func named(tests []Test, f *report.Finding) bool {
	for i := range tests {
		if Names(f, &tests[i]) {
			return true
		}
	}
	return false
}
