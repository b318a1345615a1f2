package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/conformance/examples"
)

// row is the result of the tests with one load.
type row struct {
	Load    string   `json:"load"`
	Doc     string   `json:"doc"`
	Alone   int      `json:"alone"` // races that are found without a load, for each run
	Found   int      `json:"found"` // those of them that are found with this one
	Lost    []string `json:"lost"`
	NoRace  int      `json:"no_race"` // race-free tests that were run
	False   []string `json:"false"`   // findings that name one of them, or no test at all
	NotRun  []string `json:"not_run"` // race-free tests that were not
	OwnLost []string `json:"own_lost"`
	Failed  []string `json:"failed"` // race-free tests that failed without a finding that names them
	Events  uint64   `json:"events"`
	Seconds float64  `json:"seconds"`
}

// take adds a run.
func (w *row) take(s *seen, alone map[string]bool) {
	w.Events += s.report.Stats.Events
	for i := range s.tests {
		t := &s.tests[i]
		result := s.results[t.Dir][t.Name]
		switch {
		case t.Want() == examples.NoRace:
			switch {
			case s.found(t):
				w.False = append(w.False, short(t))
			case result == "":
				w.NotRun = append(w.NotRun, short(t))
			case result == "fail" && !isLoad(t):
				w.Failed = append(w.Failed, short(t))
			}
			w.NoRace++
		case isLoad(t):
			if !s.found(t) {
				w.OwnLost = append(w.OwnLost, short(t))
			}
		case alone[short(t)]:
			w.Alone++
			if s.found(t) {
				w.Found++
			} else {
				w.Lost = append(w.Lost, short(t))
			}
		}
	}
	w.False = append(w.False, examples.Strays(s.all, s.report)...)
}

// page is the whole result.
type page struct {
	Goal    float64 `json:"goal"`
	Alone   int     `json:"alone"`
	Found   int     `json:"found"`
	False   int     `json:"false"`
	Guarded bool    `json:"guarded"` // whether the guarded programs ran, too
	Loads   []row   `json:"loads"`
}

// add adds the loads up.
func (p *page) add() {
	for _, w := range p.Loads {
		p.Alone, p.Found, p.False = p.Alone+w.Alone, p.Found+w.Found, p.False+len(w.False)
	}
}

func (p *page) good() bool {
	good := p.False == 0 && float64(p.Found) >= p.Goal*float64(p.Alone)
	for _, w := range p.Loads {
		good = good && len(w.NotRun)+len(w.OwnLost) == 0
	}
	return good
}

func (p *page) verdict() string {
	return fmt.Sprintf("%d of %d found in context (%.1f %%, goal %.0f %%), %d false", p.Found, p.Alone, percent(p.Found, p.Alone), p.Goal*100, p.False)
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// text is the table for a terminal.
func (p *page) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %6s %6s %6s  %s\n", "load", "alone", "found", "false", "lost")
	for _, w := range p.Loads {
		fmt.Fprintf(&b, "%-10s %6d %6d %6d  %s\n", w.Load, w.Alone, w.Found, len(w.False), names(w.Lost, 8))
		for _, note := range w.notes() {
			fmt.Fprintf(&b, "%-10s %s\n", "", note)
		}
	}
	return b.String() + "context: " + p.verdict() + "\n"
}

// markdown is the page for docs.
func (p *page) markdown() string {
	var b strings.Builder
	b.WriteString("# Races in company\n\nThe races of the examples in one process with a load that comes before them, runs beside them or comes after them. A race that a test by itself shows must not be lost in a test suite. ")
	free := "the examples' tests"
	if p.Guarded {
		free = "the examples' and the guarded programs' tests"
	}
	fmt.Fprintf(&b, "Race-free are %s.\n\n", free)
	fmt.Fprintf(&b, "**%s.**\n\n", p.verdict())
	b.WriteString("| load | | found alone | found in context | false | race-free | lost |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n")
	for _, w := range p.Loads {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %s |\n", w.Load, strings.TrimPrefix(w.Doc, "Package load "), w.Alone, w.Found, len(w.False), w.NoRace, names(w.Lost, 12))
	}
	for _, w := range p.Loads {
		for _, note := range w.notes() {
			fmt.Fprintf(&b, "\n%s: %s\n", w.Load, note)
		}
	}
	return b.String()
}

// notes are details that are not in the row of the table.
func (w *row) notes() []string {
	var notes []string
	for _, n := range []struct {
		what string
		all  []string
	}{{"false", w.False}, {"not run", w.NotRun}, {"its own race is lost", w.OwnLost}, {"failed for another reason", w.Failed}} {
		if len(n.all) > 0 {
			notes = append(notes, n.what+": "+names(n.all, 20))
		}
	}
	return notes
}

// names lists names, equal ones once with their number, at most most of them.
func names(all []string, most int) string {
	all = slices.Sorted(slices.Values(all))
	var parts []string
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n] == all[0] {
			n++
		}
		part := all[0]
		if n > 1 {
			part += fmt.Sprintf(" (%d times)", n)
		}
		parts, all = append(parts, part), all[n:]
	}
	if len(parts) > most {
		parts = append(parts[:most], fmt.Sprintf("and %d more", len(parts)-most))
	}
	return strings.Join(parts, ", ")
}
