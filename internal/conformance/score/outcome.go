package score

import "strings"

// Outcome is what happened to one test.
type Outcome int

// The outcomes.
const (
	NotScored Outcome = iota // the name says nothing (S2)
	Found                    // TestRace..., reported
	Missed                   // TestRace..., not reported
	Quiet                    // TestNoRace..., not reported
	False                    // TestNoRace..., reported
	Skipped                  // the test skipped itself (S4)
	NotRun                   // never started (S6)
	Crashed                  // brought the process down (S6)
)

var outcomeNames = [...]string{
	NotScored: "not scored",
	Found:     "found",
	Missed:    "missed",
	Quiet:     "quiet",
	False:     "false",
	Skipped:   "skipped",
	NotRun:    "not run",
	Crashed:   "crashed",
}

func (o Outcome) String() string { return outcomeNames[o] }

// Want is what a test's name asks for.
type Want int

// The wants.
const (
	Nothing Want = iota
	Race
	NoRace
)

// WantOf reads a test's name (S2).
func WantOf(test string) Want {
	switch {
	case strings.HasPrefix(test, "TestRace"):
		return Race
	case strings.HasPrefix(test, "TestNoRace"):
		return NoRace
	}
	return Nothing
}

// reading is what a block says.
type reading struct {
	race     bool
	possible bool
	skipped  bool
}

func read(b Block) reading {
	var r reading
	for i, line := range b.Lines {
		switch {
		case strings.Contains(line, "fatal error: concurrent map"): // (S3)
			r.race = true
		case strings.Contains(line, "DATA RACE"): // (S3)
			if isPossible(b.Lines[i:]) { // (S5)
				r.possible = true
			} else {
				r.race = true
			}
		case strings.Contains(line, "--- SKIP:"): // (S4)
			r.skipped = !r.race
		}
	}
	return r
}

// isPossible tells whether the report that begins with the first line is only
// possible: its headline or the verdict under it says so (S5).
func isPossible(report []string) bool {
	return strings.Contains(report[0], "POSSIBLE") ||
		len(report) > 1 && strings.HasPrefix(report[1], "Possible (")
}

// Judge compares what a block's name asks for with what it says. crashed is true
// for the last block of a run that broke off (S6).
func Judge(b Block, crashed bool) (o Outcome, possible bool) {
	want, r := WantOf(b.Test), read(b)
	switch {
	case want == Nothing:
		return NotScored, false
	case r.skipped:
		return Skipped, false
	case want == Race && r.race:
		return Found, r.possible
	case want == NoRace && r.race:
		return False, r.possible
	case crashed:
		return Crashed, r.possible
	case want == Race:
		return Missed, r.possible
	}
	return Quiet, r.possible
}
