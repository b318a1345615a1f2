package score

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Test is a test as its source has it.
type Test struct {
	Name string
	File string // base name
	Line int
}

// Row is one scored test.
type Row struct {
	Test
	Verdict
	Cause string // from the table of causes; "" if it has none
}

// Sheet is the score of a whole run, one row per scored test in source order.
type Sheet struct {
	Rows  []Row
	Stale []string // tests with a cause that need none, sorted
}

// Run is the output of one process.
type Run struct {
	Blocks   []Block
	Complete bool // the process came to its end
}

// NewSheet scores the runs. Each test counts once: in the last run that has it, so that
// tests behind a crash can be run again.
func NewSheet(tests []Test, runs []Run, causes Causes) *Sheet {
	verdicts := make(map[string]Verdict)
	for _, run := range runs {
		for i, b := range run.Blocks {
			crashed := !run.Complete && i == len(run.Blocks)-1
			verdicts[b.Test] = Judge(b, crashed)
		}
	}
	s := new(Sheet)
	needed := make(map[string]bool)
	for _, t := range tests {
		if WantOf(t.Name) == Nothing {
			continue
		}
		v, ok := verdicts[t.Name]
		if !ok {
			v.Outcome = NotRun // (S6)
		}
		row := Row{Test: t, Verdict: v}
		if row.lost() {
			needed[t.Name] = true
			row.Cause = causes[t.Name]
		}
		s.Rows = append(s.Rows, row)
	}
	for _, name := range slices.Sorted(maps.Keys(causes)) {
		if !needed[name] && !strings.HasPrefix(causes[name], sometimes) {
			s.Stale = append(s.Stale, name)
		}
	}
	return s
}

// lost tells whether the row ought to have a cause.
func (r *Row) lost() bool {
	switch r.Outcome {
	case Missed, NotRun, Crashed:
		return true
	}
	return false
}

// Count counts the rows with an outcome.
func (s *Sheet) Count(o Outcome) int { return len(s.With(o)) }

// With returns the rows with an outcome.
func (s *Sheet) With(o Outcome) []Row {
	var rows []Row
	for _, r := range s.Rows {
		if r.Outcome == o {
			rows = append(rows, r)
		}
	}
	return rows
}

// Lost returns the rows that are missed, crashed or not run.
func (s *Sheet) Lost() []Row {
	var rows []Row
	for _, r := range s.Rows {
		if r.lost() {
			rows = append(rows, r)
		}
	}
	return rows
}

// Predicted counts the races that were found by a prediction, and not seen in the run.
func (s *Sheet) Predicted() int {
	n := 0
	for _, r := range s.With(Found) {
		if r.Predicted {
			n++
		}
	}
	return n
}

// Strays counts the reports in TestRace... tests that are not of the test's own accesses (S7).
func (s *Sheet) Strays() int {
	n := 0
	for _, r := range s.Rows {
		n += r.Strays
	}
	return n
}

// Total counts the tests that want w, without those that skipped themselves.
func (s *Sheet) Total(w Want) int {
	n := 0
	for _, r := range s.Rows {
		if WantOf(r.Name) == w && r.Outcome != Skipped {
			n++
		}
	}
	return n
}

// FoundPercent is the share of the TestRace... tests that were found, from 0 to 100.
func (s *Sheet) FoundPercent() float64 {
	total := s.Total(Race)
	if total == 0 {
		return 100
	}
	return 100 * float64(s.Count(Found)) / float64(total)
}

// False lists the tests that were reported though they do not race.
func (s *Sheet) False() []string {
	var lines []string
	for _, r := range s.With(False) {
		lines = append(lines, fmt.Sprintf("%s:%d: %s does not race and was reported", r.File, r.Line, r.Name))
	}
	return lines
}

// WithoutVerdict lists the TestNoRace... tests that crashed or were not run.
func (s *Sheet) WithoutVerdict() []string {
	var lines []string
	for _, r := range s.Lost() {
		if WantOf(r.Name) == NoRace {
			lines = append(lines, fmt.Sprintf("%s:%d: %s: %s", r.File, r.Line, r.Name, r.Outcome))
		}
	}
	return lines
}

// Unexplained returns the names of the TestRace... tests that are lost and have no cause.
func (s *Sheet) Unexplained() []string {
	var names []string
	for _, r := range s.Lost() {
		if WantOf(r.Name) == Race && r.Cause == "" {
			names = append(names, r.Name)
		}
	}
	return names
}

// Problems says why the score is not good enough: a false report, a race that is lost without a
// cause, a cause for a test that needs none.
func (s *Sheet) Problems() []string {
	problems := s.False()
	for _, name := range s.Unexplained() {
		problems = append(problems, fmt.Sprintf("%s races and was not reported", name))
	}
	for _, name := range s.Stale {
		problems = append(problems, fmt.Sprintf("%s is not missed any more: remove it from the causes", name))
	}
	return problems
}
