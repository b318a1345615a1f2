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

// reading is the content of a block.
type reading struct {
	race     bool
	seen     bool // one of the test's own reports is not a prediction
	strays   int  // reports of something else (S7)
	possible bool
	skipped  bool
}

func read(b Block) reading {
	var r reading
	for i, line := range b.Lines {
		switch {
		case strings.Contains(line, "fatal error: concurrent map"): // (S3)
			r.race, r.seen = true, true
		case strings.Contains(line, "DATA RACE"): // (S3)
			if isPossible(b.Lines[i:]) { // (S5)
				r.possible = true
			} else if WantOf(b.Test) == Race && !parseReport(b.Lines[i+1:]).of(b.Test) {
				r.strays++
			} else {
				r.race = true
				r.seen = r.seen || !isPredicted(b.Lines[i:])
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

// isPredicted tells whether the report that begins with the first line is a prediction.
func isPredicted(report []string) bool {
	return len(report) > 1 && strings.HasPrefix(report[1], "Predicted (")
}

// Verdict is the outcome of a test, with details.
type Verdict struct {
	Outcome   Outcome
	Predicted bool // all reports of the test are predictions
	Possible  bool // a possible report was printed (S5)
	Strays    int  // reports in a TestRace... that are not of the test's own accesses (S7)
}

// Judge compares the result that a block's name asks for with the block's content. crashed is true
// for the last block of a run that broke off (S6).
func Judge(b Block, crashed bool) Verdict {
	want, r := WantOf(b.Test), read(b)
	v := Verdict{Predicted: r.race && !r.seen, Possible: r.possible, Strays: r.strays}
	switch {
	case want == Nothing:
		return Verdict{}
	case r.skipped:
		return Verdict{Outcome: Skipped}
	case want == Race && r.race:
		v.Outcome = Found
	case want == NoRace && r.race:
		v.Outcome = False
	case crashed:
		v.Outcome = Crashed
	case want == Race:
		v.Outcome = Missed
	default:
		v.Outcome = Quiet
	}
	return v
}
