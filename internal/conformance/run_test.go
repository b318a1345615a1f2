package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/conformance/score"
	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/conformance/upstream"
)

func TestUsage(t *testing.T) {
	for name, args := range map[string][]string{
		`unexpected argument "x"`:       {"x"},
		"-tool tsan: want racepred or":  {"-tool", "tsan"},
		"-write needs all tests":        {"-run", "X", "-write", "y"},
		"flag provided but not defined": {"-nothing"},
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, 2, Run(context.Background(), args, &stdout, &stderr))
		require.Contains(t, stderr.String(), name)
		require.Empty(t, stdout.String())
	}
}

// TestBrokenOff checks that the tests behind a crash are run again, without those
// that had their turn.
func TestBrokenOff(t *testing.T) {
	detector := filepath.Join(t.TempDir(), "racepred")
	require.NoError(t, os.WriteFile(detector, []byte(`#!/bin/sh
case "$*" in
*"-skip=^(TestRaceA|TestNoRaceB|TestRaceC)$"*)
	echo "=== RUN   TestRaceD"
	echo "ALL TESTS COMPLETE" ;;
*"-skip=^(TestRaceA|TestNoRaceB)$"*)
	echo "=== RUN   TestRaceC"
	echo "fatal error: concurrent map writes" ;;
*)
	echo "=== RUN   TestRaceA"
	echo "WARNING: DATA RACE"
	echo "Write at 0x01 by goroutine 7:"
	echo "  racetests.TestRaceA()"
	echo "=== RUN   TestNoRaceB"
	echo "panic: oops" ;;
esac
`), 0o755))
	c := &config{timeout: time.Minute}
	runs, _, err := c.runs(t.Context(), tool.Racepred(detector), t.TempDir(), "")
	require.NoError(t, err)
	require.Len(t, runs, 3)
	sheet := score.NewSheet([]score.Test{{Name: "TestRaceA"}, {Name: "TestNoRaceB"}, {Name: "TestRaceC"}, {Name: "TestRaceD"}}, runs, nil)
	var got []score.Outcome
	for _, r := range sheet.Rows {
		got = append(got, r.Outcome)
	}
	require.Equal(t, []score.Outcome{score.Found, score.Crashed, score.Found, score.Missed}, got)
}

// TestFileByFile checks that the files of a directory have a process each.
func TestFileByFile(t *testing.T) {
	detector := filepath.Join(t.TempDir(), "racepred")
	require.NoError(t, os.WriteFile(detector, []byte(`#!/bin/sh
case "$*" in
*"-run=^(TestNoRaceA|TestRaceA)$"*) echo "=== RUN   TestNoRaceA"; echo "=== RUN   TestRaceA" ;;
*"-run=^(TestNoRaceB)$"*) echo "=== RUN   TestNoRaceB" ;;
esac
echo "ALL TESTS COMPLETE"
`), 0o755))
	c := &config{timeout: time.Minute, from: "somewhere"}
	tests := []score.Test{{Name: "TestNoRaceA", File: "a_test.go"}, {Name: "TestRaceA", File: "a_test.go"}, {Name: "TestNoRaceB", File: "b_test.go"}}
	runs, _, err := c.allRuns(t.Context(), tool.Racepred(detector), t.TempDir(), tests)
	require.NoError(t, err)
	require.Len(t, runs, 2)
	require.Len(t, runs[0].Blocks, 2)
	require.Equal(t, "TestNoRaceB", runs[1].Blocks[0].Test)
}

// TestLostRacesAreRunAgain checks that a race that one run does not show is looked for by itself,
// and not for ever.
func TestLostRacesAreRunAgain(t *testing.T) {
	detector := filepath.Join(t.TempDir(), "racepred")
	require.NoError(t, os.WriteFile(detector, []byte(`#!/bin/sh
case "$*" in
*"-run=^(TestRaceA|TestRaceB)$"*)
	echo "=== RUN   TestRaceA"
	echo "WARNING: DATA RACE"
	echo "Write at 0x01 by goroutine 7:"
	echo "  racetests.TestRaceA()"
	echo "=== RUN   TestRaceB" ;;
*"-run=^(TestRaceB)$"*) echo "=== RUN   TestRaceB" ;;
*) echo "=== RUN   TestRaceA"; echo "=== RUN   TestRaceB" ;;
esac
echo "ALL TESTS COMPLETE"
`), 0o755))
	c := &config{timeout: time.Minute}
	sheet, _, err := c.scored(t.Context(), tool.Racepred(detector), t.TempDir(), []score.Test{{Name: "TestRaceA"}, {Name: "TestRaceB"}}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"TestRaceB races and was not reported"}, sheet.Problems())
}

// TestTwins checks that the programs in which one goroutine synchronizes with another one
// (together_test.go) have twins of the same name. A race that shows that a cause is gone need not
// have one.
func TestTwins(t *testing.T) {
	suite, err := upstream.Adapt("testdata/guarded", t.TempDir(), "1.26")
	require.NoError(t, err)
	byFile := map[string][2]map[string]bool{} // names without what the name begins with: NoRace, Race
	for _, test := range suite.Tests {
		if byFile[test.File][0] == nil {
			byFile[test.File] = [2]map[string]bool{{}, {}}
		}
		if name, ok := strings.CutPrefix(test.Name, "TestNoRace"); ok {
			byFile[test.File][0][name] = true
		} else {
			byFile[test.File][1][strings.TrimPrefix(test.Name, "TestRace")] = true
		}
	}
	for file, names := range byFile {
		src, err := os.ReadFile(filepath.Join("testdata/guarded", file))
		require.NoError(t, err)
		if bytes.Contains(src, []byte("together(")) {
			for name := range names[0] {
				require.Contains(t, names[1], name, file)
			}
		}
	}
}

func TestNothingRan(t *testing.T) {
	c := &config{timeout: time.Minute}
	_, _, err := c.runs(t.Context(), tool.Racepred("/bin/echo"), t.TempDir(), "")
	require.ErrorContains(t, err, "no test ran:\ntest -timeout=2m -v -count=1 -vet=off .\n")
}
