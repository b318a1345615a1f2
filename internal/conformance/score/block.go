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
//	(S5) a report that calls itself possible is none, because it does not fail the test; it is
//	     remembered
//	(S6) a test that is known by its source and has no block was not run, and the last test of a run
//	     that broke off crashed unless it had reported
//	(S7) a report counts as found only if both of its accesses are the test's own: its function, or
//	     a literal in it, is on the stack of the access or on the one that started its goroutine. Of
//	     a test that must not race any report counts. The runtime's own error counts as it is
//	(S8) a report that racepred prints after the process has ended, since the search for a schedule
//	     took long, belongs to the test whose own accesses it has
package score

import (
	"slices"
	"strings"
)

// Block is what one test printed.
type Block struct {
	Test  string // as in "TestRaceX"
	Lines []string
}

const runPrefix = "=== RUN   "

// Cut cuts the output of go test -v into the blocks of its top-level tests, in
// order (S1). What comes before the first test is in no block; a subtest's output
// is its parent's, and a late report's that of the test that it is about (S8).
func Cut(output string) []Block {
	var blocks []Block
	var late []string
	over := false
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		name, begins := strings.CutPrefix(line, runPrefix)
		switch {
		case begins && !strings.Contains(name, "/"):
			blocks = append(blocks, Block{Test: name})
		case over:
			late = append(late, line)
		case len(blocks) > 0:
			over = strings.HasPrefix(line, "FAIL\t") || strings.HasPrefix(line, "ok  \t")
			last := &blocks[len(blocks)-1]
			last.Lines = append(last.Lines, line)
		}
	}
	for len(late) > 0 {
		n := 1 + slices.Index(late[1:], ruler)
		if n == 0 {
			n = len(late)
		}
		to := slices.IndexFunc(blocks, func(b Block) bool { return parseReport(late[1:n]).of(b.Test) })
		if to < 0 {
			to = len(blocks) - 1
		}
		blocks[to].Lines = append(blocks[to].Lines, late[:n]...)
		late = late[n:]
	}
	return blocks
}
