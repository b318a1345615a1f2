package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/report"
)

const root = "../../.."

// TestReadme checks that the page of the examples is what the sources say.
func TestReadme(t *testing.T) {
	tests, err := Load(root, "examples")
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, "examples", "README.md"))
	require.NoError(t, err)
	require.Equal(t, Readme(tests), string(page), "run: go run ./internal/conformance/cmd/examples -readme")
}

// TestVariety checks that the examples have all three kinds.
func TestVariety(t *testing.T) {
	tests, err := Load(root, "examples")
	require.NoError(t, err)
	counts := make(map[Want]int)
	for _, e := range tests {
		counts[e.Want()]++
	}
	require.Greater(t, counts[Race], 40)
	require.Greater(t, counts[Predicted], 10)
	require.Greater(t, counts[NoRace], 40)
}

func TestLoadErrors(t *testing.T) {
	for want, src := range map[string]string{
		"a_test.go:3: TestX: an example's name begins with": "package a\n\nfunc TestX(t *testing.T) {}\n",
		"a_test.go:3: TestRaceX has no comment":             "package a\n\nfunc TestRaceX(t *testing.T) {}\n",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a_test.go"), []byte(src), 0o666))
		_, err := Load(dir, ".")
		require.ErrorContains(t, err, want)
	}
}

func finding(id string, v report.Verdict, line int) report.Finding {
	return report.Finding{ID: id, Kind: report.Race, Verdict: v, Accesses: []report.Access{
		{File: "lib/lib.go", Line: 3, Stack: []report.Frame{{File: "lib/lib.go", Line: 3}, {File: "x/x_test.go", Line: line}}},
		{File: "lib/lib.go", Line: 9},
	}}
}

func TestCheck(t *testing.T) {
	tests := []Test{
		{Dir: "x", Name: "TestRaceA", File: "x/x_test.go", First: 10, Last: 19},
		{Dir: "x", Name: "TestRacePredictedB", File: "x/x_test.go", First: 20, Last: 29},
		{Dir: "x", Name: "TestNoRaceC", File: "x/x_test.go", First: 30, Last: 39},
	}
	for _, c := range []struct {
		name     string
		results  string // of A, B, C
		findings []report.Finding
		want     string
	}{
		{"all right", "fail fail pass", []report.Finding{finding("R1", report.Observed, 10), finding("R2", report.Predicted, 29)}, "found found quiet"},
		{"confirmed", "fail fail pass", []report.Finding{finding("R1", report.Confirmed, 10), finding("R2", report.Confirmed, 29)}, "found found quiet"},
		{"nothing found", "pass pass pass", nil, "missed missed quiet"},
		{"possible is not found", "pass pass pass", []report.Finding{finding("R1", report.Possible, 10), finding("R2", report.Possible, 35)}, "missed missed quiet"},
		{"observed instead of predicted", "fail fail pass", []report.Finding{finding("R1", report.Observed, 10), finding("R2", report.Observed, 20)}, "found seen quiet"},
		{"false", "fail fail fail", []report.Finding{finding("R1", report.Observed, 10), finding("R2", report.Predicted, 20), finding("R3", report.Predicted, 30)}, "found found false"},
		{"false, and the test passed", "pass pass pass", []report.Finding{finding("R1", report.Predicted, 30)}, "missed missed false"},
		{"failed by itself", "fail fail fail", nil, "broken broken broken"},
		{"named and passed", "pass pass pass", []report.Finding{finding("R1", report.Observed, 10)}, "broken missed quiet"},
		{"not run", "", nil, "broken broken broken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			results := map[string]map[string]Result{"x": {}}
			for i, r := range strings.Fields(c.results) {
				results["x"][tests[i].Name] = Result(r)
			}
			var got []string
			for _, r := range Check(tests, results, &report.Report{Findings: c.findings}, nil) {
				got = append(got, r.Outcome.String())
			}
			require.Equal(t, c.want, strings.Join(got, " "))
		})
	}
}

func TestCheckWaiting(t *testing.T) {
	kind := func(k report.Kind, v report.Verdict, line int) report.Finding {
		f := finding("R1", v, line)
		f.Kind = k
		return f
	}
	deadlock := Test{Dir: "x", Name: "TestDeadlockA", File: "x/x_test.go", First: 10, Last: 19}
	leak := Test{Dir: "x", Name: "TestLeakB", File: "x/x_test.go", First: 10, Last: 19}
	none := Test{Dir: "x", Name: "TestNoRaceC", File: "x/x_test.go", First: 10, Last: 19}
	race := Test{Dir: "x", Name: "TestRaceD", File: "x/x_test.go", First: 10, Last: 19}
	for _, c := range []struct {
		name     string
		test     Test
		result   Result
		findings []report.Finding
		want     Outcome
	}{
		{"predicted", deadlock, "fail", []report.Finding{kind(report.Deadlock, report.Predicted, 10)}, Found},
		{"predicted and passed", deadlock, "pass", []report.Finding{kind(report.Deadlock, report.Predicted, 10)}, Broken},
		{"happened after the test", deadlock, "pass", []report.Finding{kind(report.Deadlock, report.Observed, 10)}, Found},
		{"missed", deadlock, "pass", nil, Missed},
		{"a leak only", deadlock, "pass", []report.Finding{kind(report.Leak, report.Observed, 10)}, Missed},
		{"a race, too", deadlock, "fail", []report.Finding{kind(report.Deadlock, report.Predicted, 10), kind(report.Race, report.Predicted, 11)}, False},
		{"leak", leak, "pass", []report.Finding{kind(report.Leak, report.Observed, 10)}, Found},
		{"no leak", leak, "pass", nil, Missed},
		{"elsewhere", leak, "pass", []report.Finding{kind(report.Leak, report.Observed, 20)}, Missed},
		{"a leak and a deadlock", leak, "pass", []report.Finding{kind(report.Leak, report.Observed, 10), kind(report.Deadlock, report.Observed, 10)}, False},
		{"a leak in a clean twin", none, "pass", []report.Finding{kind(report.Leak, report.Observed, 10)}, False},
		{"a racing test may leave goroutines", race, "fail", []report.Finding{kind(report.Leak, report.Observed, 10), kind(report.Race, report.Observed, 10)}, Found},
	} {
		t.Run(c.name, func(t *testing.T) {
			results := map[string]map[string]Result{"x": {c.test.Name: c.result}}
			rows := Check([]Test{c.test}, results, &report.Report{Findings: c.findings}, nil)
			require.Equal(t, c.want.String(), rows[0].Outcome.String())
		})
	}
}

func TestCauses(t *testing.T) {
	tests := []Test{
		{Dir: "x", Name: "TestRaceA", File: "x/x_test.go", First: 10, Last: 19},
		{Dir: "x", Name: "TestNoRaceB", File: "x/x_test.go", First: 20, Last: 29},
	}
	results := map[string]map[string]Result{"x": {"TestRaceA": "pass", "TestNoRaceB": "pass"}}
	rows := Check(tests, results, &report.Report{}, map[string]string{"TestRaceA": "hard", "TestNoRaceB": "stale"})
	require.Equal(t, Known, rows[0].Outcome)
	require.False(t, rows[0].Outcome.Wrong())
	require.Equal(t, "hard", rows[0].Note)
	require.Equal(t, Broken, rows[1].Outcome)
	require.Equal(t, "is not missed any more: remove it from the causes", rows[1].Note)
}

func TestStrays(t *testing.T) {
	tests := []Test{{Dir: "x", Name: "TestRaceA", File: "x/x_test.go", First: 10, Last: 19}}
	rep := &report.Report{Findings: []report.Finding{
		finding("R1", report.Observed, 10), finding("R2", report.Observed, 20), finding("R3", report.Possible, 20),
	}}
	require.Equal(t, []string{"R2 lib/lib.go:3 lib/lib.go:9"}, Strays(tests, rep))
}

func TestReadResults(t *testing.T) {
	results, other := ReadResults(`{"Action":"run","Package":"m/x","Test":"TestRaceA"}
{"Action":"fail","Package":"m/x","Test":"TestRaceA/sub"}
{"Action":"fail","Package":"m/x","Test":"TestRaceA"}
{"Action":"pass","Package":"m/y","Test":"TestNoRaceB"}
{"Action":"fail","Package":"m/x"}
# m/z
{"ImportPath":"m/z","Action":"build-output","Output":"z.go:1:1: oops\n"}
`, "m")
	require.Equal(t, map[string]map[string]Result{"x": {"TestRaceA": "fail"}, "y": {"TestNoRaceB": "pass"}}, results)
	require.Equal(t, []string{"# m/z", "z.go:1:1: oops"}, other)
}
