package vet_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/analyzer"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/vet"
)

func TestAsked(t *testing.T) {
	for _, args := range [][]string{{"-V=full"}, {"-flags"}, {"vet.cfg"}, {"-guardedby=false", "-json", "/w/b001/vet.cfg"}} {
		require.True(t, vet.Asked(args), "%q", args)
	}
	for _, args := range [][]string{nil, {"test"}, {"vet", "-flags"}, {"analyze", "x.cfg"}, {"-help"}, {"--version"}} {
		require.False(t, vet.Asked(args), "%q", args)
	}
}

const output = `# example.com/m
{
	"example.com/m [example.com/m.test]": {
		"opaqueunderlock": [
			{"posn": "/m/b.go:7:2", "end": "/m/b.go:7:9", "message": "second, here", "related": [{"posn": "/m/a.go:1:2", "end": "/m/a.go:1:2", "message": "other"}]},
			{"posn": "/m/a.go:17:2", "end": "/m/a.go:17:32", "message": "first"}
		]
	}
}
# example.com/n
{"example.com/m": {"opaqueunderlock": [{"posn": "/m/a.go:17:2", "end": "", "message": "first"}], "x": {"error": "broken"}}}
vet: {odd
`

func TestParse(t *testing.T) {
	all, other, errs := vet.Parse([]byte(output))
	require.Equal(t, "# example.com/m\n# example.com/n\nvet: {odd\n", string(other))
	require.Equal(t, []string{"example.com/m: x: broken"}, errs)
	require.Len(t, all, 2)
	require.Equal(t, "first", all[0].Message)
	require.Equal(t, vet.Position{File: "/m/b.go", Line: 7, Column: 2}, all[1].At)
	require.Equal(t, "/m/a.go", all[1].Related[0].At.File)

	vet.Confirm(all, &report.Report{Findings: []report.Finding{
		{ID: "R1", Verdict: report.Possible, Accesses: []report.Access{{File: "a.go", Line: 17}}},
		{ID: "R2", Verdict: report.Predicted, Accesses: []report.Access{{File: "c.go", Line: 1}, {File: "b.go", Line: 7}}},
	}}, "r.json")
	require.Equal(t, "second, here", all[0].Message)
	require.Equal(t, "a run has shown it: R2 of r.json, predicted", all[0].Confirmed)
	require.Empty(t, all[1].Confirmed)

	rep := vet.Report(all, "/m", report.Tool{Name: "racepred"})
	f := rep.Findings[0]
	require.Equal(t, report.Static, f.Verdict)
	require.False(t, f.Fails())
	require.Equal(t, []string{"a.go", "b.go"}, []string{f.Accesses[0].File, f.Accesses[1].File})
	require.Equal(t, "second", f.Accesses[1].Op)
	require.Equal(t, "second, here; a run has shown it: R2 of r.json, predicted", f.Note)
}

func TestParseOtherLines(t *testing.T) {
	for _, out := range []string{"", "vet: broken\n{ no json"} {
		all, other, errs := vet.Parse([]byte(out))
		require.Empty(t, all)
		require.Equal(t, out, string(other))
		require.Empty(t, errs)
	}
}

func TestTable(t *testing.T) {
	var all []*analysis.Analyzer
	for _, r := range analyzer.Table {
		all = append(all, r.Analyzer)
		require.Contains(t, report.Kinds, r.Finds, r.Analyzer.Name)
	}
	require.NoError(t, analysis.Validate(all))
	for _, a := range analyzer.All() {
		require.Contains(t, all, a)
	}
}
