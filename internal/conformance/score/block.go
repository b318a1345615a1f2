// Package score turns the output of race tests into outcomes: what was found,
// missed, or reported though it does not race. The rules are those of the
// toolchain's own driver, runtime/race/race_test.go:
//
//	(S1) the output is cut at its "=== RUN" lines; what stands between two of
//	     them belongs to the first one's test
//	(S2) a test's name says what must happen: TestRace... a report,
//	     TestNoRace... none; all others are not scored
//	(S3) a report is a line with "DATA RACE", or the runtime's own
//	     "fatal error: concurrent map"
//	(S4) a test that says "--- SKIP:" before any report is skipped
//
// and on top of those
//
//	(S5) a report that calls itself possible is none, because it does not fail
//	     the test; it is remembered
//	(S6) a test that is known by its source and has no block was not run, and
//	     the last test of a run that broke off crashed unless it had reported
//	(S7) a report counts as found only if both of its accesses are the test's own: its function, or a literal in
//	     it, is on the stack of the access or on the one that started its goroutine. Of a test
//	     that must not race any report counts. The runtime's own error counts as it is
package score

import "strings"

// Block is what one test printed.
type Block struct {
	Test  string // as in "TestRaceX"
	Lines []string
}

const runPrefix = "=== RUN   "

// Cut cuts the output of go test -v into the blocks of its top-level tests, in
// order (S1). What comes before the first test is in no block; a subtest's output
// is its parent's.
func Cut(output string) []Block {
	var blocks []Block
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		name, begins := strings.CutPrefix(line, runPrefix)
		switch {
		case begins && !strings.Contains(name, "/"):
			blocks = append(blocks, Block{Test: name})
		case len(blocks) > 0:
			last := &blocks[len(blocks)-1]
			last.Lines = append(last.Lines, line)
		}
	}
	return blocks
}
