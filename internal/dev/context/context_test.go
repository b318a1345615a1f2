package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/conformance/examples"
	"github.com/racepred/racepred/internal/report"
)

const root = "../../.."

var all = regexp.MustCompile("")

// TestLoads builds every load beside an example, and runs some of them without a detector.
func TestLoads(t *testing.T) {
	m, err := newModule(root, t.TempDir(), regexp.MustCompile(`^once\.`), false)
	require.NoError(t, err)
	loads, err := m.loads(all)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(loads), 13)
	for _, l := range loads {
		tests, err := m.lay(l)
		require.NoError(t, err)
		own := 0
		for i := range tests {
			require.Equal(t, "examples/"+l.Name+"/once", tests[i].Dir)
			if isLoad(&tests[i]) {
				own++
			}
		}
		require.Positive(t, own, l.Name)
		require.Greater(t, len(tests), own)
	}
	for _, args := range [][]string{{"vet", "-lostcancel=false", "./examples/..."}, {"test", "-run=Load", "./examples/tree/once", "./examples/tasks/once", "./examples/reuse/once"}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = m.dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// TestSameLines checks that the copies of the examples keep their lines, and that no two packages
// have the same name.
func TestSameLines(t *testing.T) {
	m, err := newModule(root, t.TempDir(), all, true)
	require.NoError(t, err)
	tests, err := m.lay(load{Name: aloneName})
	require.NoError(t, err)
	require.Len(t, tests, len(m.tests))
	copies, err := examples.Find(m.dir, "examples")
	require.NoError(t, err)
	for _, c := range copies {
		if i := indexOf(tests, c.File, c.Name); i >= 0 {
			require.Equal(t, c.First, tests[i].First, c.Name)
			require.Equal(t, c.Last, tests[i].Last, c.Name)
			tests = append(tests[:i], tests[i+1:]...)
		}
	}
	require.Empty(t, tests)
}

func indexOf(tests []examples.Test, file, name string) int {
	for i := range tests {
		if tests[i].File == file && tests[i].Name == name {
			return i
		}
	}
	return -1
}

func TestRow(t *testing.T) {
	at := func(file, name string, first int) examples.Test {
		return examples.Test{Dir: "examples/l/e", File: "examples/l/e/" + file, Name: name, First: first, Last: first + 9}
	}
	tests := []examples.Test{
		at("e_test.go", "TestRaceFound", 10), at("e_test.go", "TestRaceLost", 20), at("e_test.go", "TestRaceNotAlone", 30), at("e_test.go", "TestNoRaceQuiet", 40),
		at("e_test.go", "TestNoRaceFalse", 50), at("e_test.go", "TestNoRaceNotRun", 60), at("e_test.go", "TestNoRaceFails", 70),
		at("aa_load_test.go", "TestRaceLoadL", 10), at("aa_load_test.go", "TestNoRaceLoadL", 20),
	}
	finding := func(v report.Verdict, file string, line int) report.Finding {
		return report.Finding{ID: "R", Kind: report.Race, Verdict: v, Accesses: []report.Access{{File: "examples/l/e/" + file, Line: line}}}
	}
	s := &seen{tests: tests, all: tests, report: &report.Report{Findings: []report.Finding{
		finding(report.Predicted, "e_test.go", 11), finding(report.Possible, "e_test.go", 21), finding(report.Observed, "e_test.go", 51), finding(report.Observed, "e_test.go", 99),
	}}}
	s.results = map[string]map[string]examples.Result{"examples/l/e": {
		"TestNoRaceQuiet": "pass", "TestNoRaceFalse": "fail", "TestNoRaceFails": "fail", "TestNoRaceLoadL": "fail",
	}}
	w := &row{Load: "l"}
	w.take(s, map[string]bool{"e.TestRaceFound": true, "e.TestRaceLost": true})
	require.Equal(t, &row{
		Load: "l", Alone: 2, Found: 1, Lost: []string{"e.TestRaceLost"}, NoRace: 5, False: []string{"e.TestNoRaceFalse", "R examples/l/e/e_test.go:99"},
		NotRun: []string{"e.TestNoRaceNotRun"}, OwnLost: []string{"e.TestRaceLoadL"}, Failed: []string{"e.TestNoRaceFails"},
	}, w)
	p := &page{Goal: goal, Loads: []row{*w}}
	p.add()
	require.False(t, p.good())
	require.Contains(t, p.text(), "1 of 2 found in context (50.0 %, goal 99 %), 2 false")
	require.Contains(t, p.markdown(), "| l |  | 2 | 1 | 2 | 5 | e.TestRaceLost |\n")
	require.True(t, (&page{Goal: goal, Alone: 100, Found: 99}).good())
	require.False(t, (&page{Goal: goal, Alone: 100, Found: 98}).good())
	require.False(t, (&page{Goal: goal, Loads: []row{{NotRun: []string{"x"}}}}).good())
}

func TestNames(t *testing.T) {
	require.Equal(t, "a, b (2 times), and 1 more", names([]string{"b", "c", "a", "b"}, 2))
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-n", "0"}, {"x"}, {"-write", "f", "-run", "x"}, {"-run", "("}} {
		var out, errs bytes.Buffer
		require.Equal(t, 2, Run(t.Context(), args, &out, &errs))
		require.NotEmpty(t, errs.String())
	}
	_, err := newModule(root, filepath.Join(t.TempDir(), "m"), regexp.MustCompile("no such test"), true)
	require.ErrorContains(t, err, "no test matches")
}
