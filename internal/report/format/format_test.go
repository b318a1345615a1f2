package format

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// whole is a report with something in each of its parts.
func whole() *report.Report {
	stack := []report.Frame{{Func: "ex.com/m.(*cache).put", File: "cache.go", Line: 7}}
	access := func(op string, line, g int) report.Access {
		return report.Access{Op: op, File: "cache.go", Line: line, Column: 2, Func: "(*cache).put", Goroutine: g, Expr: "c.n<1>", Stack: stack, Created: stack}
	}
	predicted := report.Finding{
		ID: "R1", Fingerprint: "00ff", Kind: report.Race, Verdict: report.Predicted, By: []string{"wcp"}, Package: "ex.com/m", Test: "TestPut", Variable: "c.n",
		Accesses: []report.Access{access("write", 7, 8), access("read", 9, 1)},
		Witness:  &report.Witness{Events: 4, Steps: []report.Step{{Goroutine: 8, Op: "lock", File: "cache.go", Line: 6}}},
	}
	possible := predicted
	possible.ID, possible.Verdict, possible.Witness, possible.Note = "R2", report.Possible, nil, "the search was given up"
	possible.Accesses = []report.Access{{Op: "write", File: "cache.go", Line: 20}, access("write", 9, 1)}
	return &report.Report{
		Version: report.Version, Tool: report.Tool{Name: "racepred", Version: "v1.2.3", Go: "go1.26.0"},
		Findings:  []report.Finding{predicted, possible},
		Uncovered: []report.Uncovered{{Package: "ex.com/m/c", Reason: "uses cgo"}, {Reason: "one thing"}},
		Stats:     report.Stats{Events: 12, Candidates: 3, Infeasible: 1, Seconds: 0.5, Rules: []report.Rule{{Predictor: "wcp", Rule: "rule a", Fired: 2}}},
	}
}

// TestGolden shows each format, of a report that has everything and of an empty one.
func TestGolden(t *testing.T) {
	for name, r := range map[string]*report.Report{"whole": whole(), "empty": {Version: report.Version}} {
		for _, f := range formats {
			t.Run(name+f.Suffix, func(t *testing.T) {
				got, err := f.Encode(r)
				require.NoError(t, err)
				golden := filepath.Join("testdata", name+f.Suffix)
				if *update {
					require.NoError(t, os.WriteFile(golden, got, 0o666))
				}
				want, err := os.ReadFile(golden)
				require.NoError(t, err)
				require.Equal(t, string(want), string(got))
			})
		}
	}
}

func TestJSONHasNoNullAndReadsBack(t *testing.T) {
	data, err := JSON.Encode(&report.Report{Version: report.Version})
	require.NoError(t, err)
	require.NotContains(t, string(data), "null")
	var back report.Report
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, report.Version, back.Version)
}

func TestForFile(t *testing.T) {
	f, err := ForFile("a/b.json/out.txt")
	require.NoError(t, err)
	require.Equal(t, ".txt", f.Suffix)
	for _, name := range []string{"out.xml", "json", "out.json.gz", ""} {
		_, err = ForFile(name)
		require.ErrorContains(t, err, "the formats are .json, .txt", name)
	}
}

func TestSummary(t *testing.T) {
	f := func(k report.Kind, v report.Verdict) report.Finding { return report.Finding{Kind: k, Verdict: v} }
	race, possible, deadlock := f(report.Race, report.Observed), f(report.Race, report.Possible), f(report.Deadlock, report.Predicted)
	require.Equal(t, "no race", Summary(nil))
	require.Equal(t, "1 race: 1 observed", Summary([]report.Finding{race}))
	require.Equal(t, "3 races: 2 observed, 1 possible; 1 deadlock: 1 predicted", Summary([]report.Finding{race, deadlock, possible, race}))
}

// TestFormatsDiffer holds the table to one row per suffix.
func TestFormatsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range formats {
		require.Regexp(t, `^\.[a-z]+$`, f.Suffix)
		require.False(t, seen[f.Suffix], f.Suffix)
		seen[f.Suffix] = true
	}
}
