package score

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// canned is the output of a run with one test of each outcome.
var canned = `WARNING: DATA RACE
before any test: belongs to nobody
=== RUN   TestRaceSeen
==================
WARNING: DATA RACE
Observed (hb): in this very run nothing orders these accesses.
` + accesses("TestRaceSeen.func1", "TestRaceSeen") + `
==================
    testing.go:1712: race detected during execution of test
--- FAIL: TestRaceSeen (0.00s)
=== RUN   TestRaceUnseen
--- PASS: TestRaceUnseen (0.00s)
=== RUN   TestRaceOnlyPossible
==================
WARNING: DATA RACE
Possible (wcp): no schedule that shows it was found; this does not fail the test.
==================
--- PASS: TestRaceOnlyPossible (0.00s)
=== RUN   TestNoRaceSilent
--- PASS: TestNoRaceSilent (0.00s)
=== RUN   TestNoRacePossible
POSSIBLE DATA RACE
--- PASS: TestNoRacePossible (0.00s)
=== RUN   TestNoRaceWrong
WARNING: DATA RACE
Predicted (wcp): this run kept these accesses apart, the checked schedule below does not.
--- FAIL: TestNoRaceWrong (0.00s)
=== RUN   TestRaceSkipped
    x_test.go:3: not now
--- SKIP: TestRaceSkipped (0.00s)
=== RUN   TestOther
WARNING: DATA RACE
=== RUN   TestRaceInSubtest
=== RUN   TestRaceInSubtest/a
WARNING: DATA RACE
` + accesses("TestRaceInSubtest.func1.1", "TestRaceInSubtest.func1") + `
--- FAIL: TestRaceInSubtest (0.00s)
=== RUN   TestRaceMap
fatal error: concurrent map writes
`

// accesses is the part of a report with two accesses in these functions.
func accesses(first, second string) string {
	return "\nWrite at 0x00c00000e0a8 by goroutine 9:\n  racetests." + first + "()\n      a_test.go:7  // x\n" +
		"\nPrevious read at 0x00c00000e0a8 by goroutine 8:\n  racetests." + second + "()\n      a_test.go:9\n" +
		"  testing.tRunner()\n      /go/src/testing/testing.go:2036\n"
}

var sources = []Test{
	{"TestRaceSeen", "a_test.go", 1},
	{"TestRaceUnseen", "a_test.go", 2},
	{"TestRaceOnlyPossible", "a_test.go", 3},
	{"TestNoRaceSilent", "a_test.go", 4},
	{"TestNoRacePossible", "a_test.go", 5},
	{"TestNoRaceWrong", "b_test.go", 6},
	{"TestRaceSkipped", "b_test.go", 7},
	{"TestOther", "b_test.go", 8},
	{"TestRaceInSubtest", "b_test.go", 9},
	{"TestRaceMap", "b_test.go", 10},
	{"TestRaceBehind", "b_test.go", 11},
}

func outcomes(s *Sheet) map[string]Outcome {
	m := make(map[string]Outcome)
	for _, r := range s.Rows {
		m[r.Name] = r.Outcome
	}
	return m
}

func TestOutcomes(t *testing.T) {
	s := NewSheet(sources, []Run{{Blocks: Cut(canned)}}, nil)
	require.Equal(t, map[string]Outcome{
		"TestRaceSeen":         Found,
		"TestRaceUnseen":       Missed,
		"TestRaceOnlyPossible": Missed,
		"TestNoRaceSilent":     Quiet,
		"TestNoRacePossible":   Quiet,
		"TestNoRaceWrong":      False,
		"TestRaceSkipped":      Skipped,
		"TestRaceInSubtest":    Found,
		"TestRaceMap":          Found,
		"TestRaceBehind":       NotRun,
	}, outcomes(s))
	require.Equal(t, 6, s.Total(Race))
	require.Equal(t, 3, s.Total(NoRace))
	require.InDelta(t, 50.0, s.FoundPercent(), 0.01)
}

// TestPredicted: a race counts as predicted if the run did not show it.
func TestPredicted(t *testing.T) {
	predicted := "WARNING: DATA RACE\nPredicted (wcp): this run kept these accesses apart.\n"
	observed := "WARNING: DATA RACE\nObserved (hb): in this very run nothing orders these accesses.\n"
	tests := []Test{{"TestRaceA", "a_test.go", 1}, {"TestRaceB", "a_test.go", 2}}
	s := NewSheet(tests, []Run{{Complete: true, Blocks: Cut(
		"=== RUN   TestRaceA\n" + predicted + accesses("TestRaceA", "TestRaceA") +
			"=== RUN   TestRaceB\n" + predicted + accesses("TestRaceB", "TestRaceB") + observed + accesses("TestRaceB", "TestRaceB"))}}, nil)
	require.Equal(t, 2, s.Count(Found))
	require.Equal(t, 1, s.Predicted())
}

// TestLate: what is printed when all tests are over is of the test that it is about (S8).
func TestLate(t *testing.T) {
	const report = ruler + "\nWARNING: DATA RACE\nPredicted (wcp): this run kept these accesses apart.\n"
	late := func(test string) string {
		return report + strings.ReplaceAll(accesses(test, test), " at 0x00c00000e0a8", "") + ruler + "\n"
	}
	const out = "=== RUN   TestRaceA\n=== RUN   TestRaceB\n=== RUN   TestNoRaceC\nFAIL\nFAIL\tracetests\t2.4s\nFAIL\n"
	tests := []Test{{"TestRaceA", "a_test.go", 1}, {"TestRaceB", "a_test.go", 2}, {"TestNoRaceC", "a_test.go", 3}}
	s := NewSheet(tests, []Run{{Complete: true, Blocks: Cut(out + late("TestRaceA") + late("TestRaceB"))}}, nil)
	require.Equal(t, map[string]Outcome{"TestRaceA": Found, "TestRaceB": Found, "TestNoRaceC": Quiet}, outcomes(s))
	s = NewSheet(tests, []Run{{Complete: true, Blocks: Cut(out + late("TestRaceA") + late("TestNoRaceC"))}}, nil)
	require.Equal(t, map[string]Outcome{"TestRaceA": Found, "TestRaceB": Missed, "TestNoRaceC": False}, outcomes(s))
	s = NewSheet(tests, []Run{{Complete: true, Blocks: Cut(out + late("helper"))}}, nil)
	require.Equal(t, False, outcomes(s)["TestNoRaceC"], "nobody's is not lost")
}

func TestCrash(t *testing.T) {
	tests := []Test{{"TestNoRaceDies", "a_test.go", 1}, {"TestRaceBehind", "a_test.go", 2}}
	first := Run{Blocks: Cut("=== RUN   TestNoRaceDies\nSIGSEGV: segmentation violation\n")}
	second := Run{Blocks: Cut("=== RUN   TestRaceBehind\nWARNING: DATA RACE\n" + accesses("TestRaceBehind", "TestRaceBehind")), Complete: true}
	s := NewSheet(tests, []Run{first, second}, nil)
	require.Equal(t, map[string]Outcome{"TestNoRaceDies": Crashed, "TestRaceBehind": Found}, outcomes(s))
	require.Equal(t, []string{"a_test.go:1: TestNoRaceDies: crashed"}, s.WithoutVerdict())
}

func TestProblems(t *testing.T) {
	causes, err := ReadCauses("causes.txt", strings.NewReader(
		"# why\n\nTestRaceUnseen: needs a mind reader | or two\nTestRaceSeen: was hard\nTestRaceMap: sometimes: too fast\n"))
	require.NoError(t, err)
	s := NewSheet(sources, []Run{{Blocks: Cut(canned)}}, causes)
	require.Equal(t, []string{
		"b_test.go:6: TestNoRaceWrong does not race and was reported",
		"TestRaceOnlyPossible races and was not reported",
		"TestRaceBehind races and was not reported",
		"TestRaceSeen is not missed any more: remove it from the causes",
	}, s.Problems())

	require.Contains(t, s.Markdown(Title{Tool: "racepred", Go: "go1.26.8", From: "testdata/guarded"}), "# Programs of guarded\n\nracepred, go1.26.8, against the programs of `testdata/guarded`")
	page := s.Markdown(Title{Tool: "racepred", Go: "go1.26.8"})
	require.Contains(t, page, `| TestRaceUnseen | a_test.go:2 | missed | needs a mind reader \| or two |`)
	require.Contains(t, page, "| TestRaceOnlyPossible | a_test.go:3 | missed (reported as possible) | unexplained |")
	require.Contains(t, page, "| TestNoRaceWrong | b_test.go:6 |")
	require.Contains(t, page, "| `TestRace...`: must be reported | 6 | 3 found (50.0 %) | 3 lost |")

	require.Contains(t, s.Summary(Title{Tool: "racepred", Go: "go1.26.8"}),
		"found 3 of 6 (50.0 %), 0 of them predicted, lost 3 (1 with a known cause); quiet 2 of 3, false 1; skipped 1; reports of something else 0")
}

func TestReadCausesErrors(t *testing.T) {
	for name, text := range map[string]string{
		"causes.txt:1: want `TestName: cause`":                            "TestRaceX\n",
		"causes.txt:2: want `TestName: cause`":                            "\nTestRaceX:\n",
		"causes.txt:1: TestX begins with neither TestRace nor TestNoRace": "TestX: because\n",
		"causes.txt:2: TestRaceX is listed twice":                         "TestRaceX: a\nTestRaceX: b\n",
	} {
		_, err := ReadCauses("causes.txt", strings.NewReader(text))
		require.ErrorContains(t, err, name)
	}
}
