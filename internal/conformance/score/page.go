package score

import (
	"fmt"
	"path"
	"strings"
)

// Title names what was scored on a page.
type Title struct {
	Tool    string   // as in "racepred"
	Go      string   // as in "go1.26.8"
	From    string   // the directory of the tests; "" for those of the toolchain
	LeftOut []string // files that cannot be built without the race tag
}

// Markdown renders the sheet as docs/results/conformance.md, or as a page of the same form for
// programs from elsewhere.
func (s *Sheet) Markdown(t Title) string {
	var b strings.Builder
	if t.From == "" {
		fmt.Fprintf(&b, "# Conformance\n\n%s against the race tests of %s (`runtime/race/testdata`), scored as the toolchain\n", t.Tool, t.Go)
	} else {
		fmt.Fprintf(&b, "# Programs of %s\n\n%s, %s, against the programs of `%s`, scored as the toolchain\n", path.Base(t.From), t.Tool, t.Go, t.From)
	}
	fmt.Fprintf(&b, "scores its own detector, but stricter: a race counts as found only if a report's two accesses are both the test's own, that is, if the\n")
	fmt.Fprintf(&b, "test's function or a literal in it is on the stack of the access or on the one that started its goroutine (score/S7).\n\n")
	fmt.Fprintf(&b, "| | tests | right | wrong |\n| --- | ---: | ---: | ---: |\n")
	fmt.Fprintf(&b, "| `TestRace...`: must be reported | %d | %d found (%.1f %%) | %d lost |\n",
		s.Total(Race), s.Count(Found), s.FoundPercent(), s.lostOf(Race))
	fmt.Fprintf(&b, "| `TestNoRace...`: must not | %d | %d quiet | %d false, %d lost |\n",
		s.Total(NoRace), s.Count(Quiet), s.Count(False), s.lostOf(NoRace))
	fmt.Fprintf(&b, "\nReports of something else in `TestRace...` tests: %d.\n", s.Strays())
	if n := s.Count(Skipped); n > 0 {
		fmt.Fprintf(&b, "\nNot counted: %d that skip themselves.\n", n)
	}
	if len(t.LeftOut) > 0 {
		fmt.Fprintf(&b, "\nNot built, because they import what only the standard library may, or are for another build: %s.\n", strings.Join(t.LeftOut, ", "))
	}
	s.falseSection(&b)
	s.lostSection(&b)
	return b.String()
}

func (s *Sheet) lostOf(w Want) int {
	n := 0
	for _, r := range s.Lost() {
		if WantOf(r.Name) == w {
			n++
		}
	}
	return n
}

func (s *Sheet) falseSection(b *strings.Builder) {
	rows := s.With(False)
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## False reports\n\n| test | at |\n| --- | --- |\n")
	for _, r := range rows {
		fmt.Fprintf(b, "| %s | %s:%d |\n", r.Name, r.File, r.Line)
	}
}

func (s *Sheet) lostSection(b *strings.Builder) {
	rows := s.Lost()
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Lost, and why\n\n| test | at | outcome | cause |\n| --- | --- | --- | --- |\n")
	for _, r := range rows {
		fmt.Fprintf(b, "| %s | %s:%d | %s | %s |\n", r.Name, r.File, r.Line, r.outcome(), r.cause())
	}
}

func (r *Row) outcome() string {
	switch {
	case r.Possible:
		return r.Outcome.String() + " (reported as possible)"
	case r.Strays > 0:
		return r.Outcome.String() + " (something else was reported)"
	}
	return r.Outcome.String()
}

func (r *Row) cause() string {
	if r.Cause == "" {
		return "unexplained"
	}
	return strings.ReplaceAll(r.Cause, "|", `\|`)
}

// Summary is the score for a terminal: one line per test that is not right, then the totals.
func (s *Sheet) Summary(t Title) string {
	var b strings.Builder
	for _, r := range s.Rows {
		if r.Strays > 0 {
			fmt.Fprintf(&b, "%-10s %s (%s:%d): %d reports of something else\n", "stray", r.Name, r.File, r.Line, r.Strays)
		}
		switch {
		case r.Outcome == False:
			fmt.Fprintf(&b, "%-10s %s (%s:%d)\n", r.Outcome, r.Name, r.File, r.Line)
		case r.lost() && r.Cause != "":
			fmt.Fprintf(&b, "%-10s %s (%s:%d): %s\n", "known-miss", r.Name, r.File, r.Line, r.Cause)
		case r.lost():
			fmt.Fprintf(&b, "%-10s %s (%s:%d)\n", r.outcome(), r.Name, r.File, r.Line)
		}
	}
	known := 0
	for _, r := range s.Lost() {
		if r.Cause != "" {
			known++
		}
	}
	fmt.Fprintf(&b, "%s, %s: found %d of %d (%.1f %%), %d of them predicted, lost %d (%d with a known cause); quiet %d of %d, false %d; skipped %d; reports of something else %d\n",
		t.Tool, t.Go, s.Count(Found), s.Total(Race), s.FoundPercent(), s.Predicted(), len(s.Lost()), known,
		s.Count(Quiet), s.Total(NoRace), s.Count(False), s.Count(Skipped), s.Strays())
	return b.String()
}
