package format

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// whole is a report with something in each of its parts.
func whole() *report.Report {
	stack := []report.Frame{{Func: "ex.com/m.(*cache).put", File: "cache.go", Line: 7}}
	access := func(op string, line, g int) report.Access {
		return report.Access{Op: op, File: "cache.go", Line: line, Column: 2, Func: "(*cache).put", Goroutine: g, Expr: "c.n<1>", Stack: stack, Created: stack}
	}
	step := func(g int, op, name string, line int, event uint64, after ...report.Edge) report.Step {
		s := report.Step{Goroutine: g, Op: op, Name: name, File: "cache.go", Line: line, Event: event, After: after}
		if name == "c.mu" {
			s.Object = 1
		}
		return s
	}
	start, lock, unlock := step(1, "go", "", 3, 1), step(1, "lock", "c.mu", 6, 7), step(1, "unlock", "c.mu", 8, 8)
	ran := []report.Step{
		start, step(8, "write", "c.n<1>", 7, 2, report.Edge{Step: 0, Why: report.ByStart}), step(8, "lock", "c.mu", 6, 3), step(8, "unlock", "c.mu", 8, 5),
		lock, unlock, step(1, "read", "c.n<1>", 9, 9),
	}
	ran[4].After = []report.Edge{{Step: 3, Why: report.ByLock, Kept: true}}
	ran[1].Access, ran[6].Access = 1, 2
	predicted := report.Finding{
		ID: "R1", Fingerprint: "00ff", Kind: report.Race, Verdict: report.Predicted, By: []string{"wcp"}, Package: "ex.com/m", Test: "TestPut", Variable: "c.n",
		Accesses: []report.Access{access("write", 7, 8), access("read", 9, 1)},
		Run:      &report.Run{Steps: ran},
		Witness:  &report.Witness{Events: 4, Steps: []report.Step{start, lock, unlock}},
	}
	possible := predicted
	predicted.Also = []report.Places{{Verdict: report.Observed, Package: "ex.com/m", Test: "TestAll", Accesses: []report.Place{
		{Op: "write", File: "cache.go", Line: 7, Column: 2, Expr: "c.n<1>"}, {Op: "read", File: "cache.go", Line: 14, Column: 3, Expr: "c.n<2>"},
	}}}
	possible.ID, possible.Verdict, possible.Run, possible.Witness, possible.Note = "R2", report.Possible, nil, nil, "the search was given up"
	possible.Accesses = []report.Access{{Op: "write", File: "cache.go", Line: 20}, access("write", 9, 1)}
	return &report.Report{
		Version: report.Version, Fingerprints: report.FingerprintVersion, Tool: report.Tool{Name: "racepred", Version: "v1.2.3", Go: "go1.26.0"}, Root: "testdata",
		Findings:  []report.Finding{predicted, possible},
		Uncovered: []report.Uncovered{{Package: "ex.com/m/c", Reason: "uses cgo"}, {Reason: "one thing"}},
		Stats:     report.Stats{Events: 12, Candidates: 3, Infeasible: 1, Seconds: 0.5, Rules: []report.Rule{{Predictor: "wcp", Rule: "rule a", Fired: 2}}},
	}
}

// TestGolden shows each format, of a report that has everything and of an empty one.
func TestGolden(t *testing.T) {
	for name, r := range map[string]*report.Report{"whole": whole(), "empty": {Version: report.Version, Fingerprints: report.FingerprintVersion}} {
		for _, f := range formats {
			t.Run(name+f.Suffix, func(t *testing.T) {
				got, err := f.Encode(r)
				require.NoError(t, err)
				if f.Suffix == ".html" {
					got = structure(t, got)
				}
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

// TestSARIF holds the golden report to the schema, and to what code scanning asks for beyond it.
func TestSARIF(t *testing.T) {
	r := whole()
	r.Dir = "tools/m"
	leak := report.Finding{ID: "R3", Kind: report.Leak, Verdict: report.Observed, By: []string{"gc"}, Accesses: []report.Access{{Op: "send", File: "/go/src/x.go", Line: 3}}}
	r.Findings = append(r.Findings, leak, report.Finding{ID: "R4", Kind: report.Race, Verdict: report.Observed})
	data, err := encodeSARIF(r)
	require.NoError(t, err)
	back, err := sarif.FromBytes(data)
	require.NoError(t, err)
	require.NoError(t, back.Validate())
	run := back.Runs[0]
	require.Len(t, run.Tool.Driver.Rules, len(report.Kinds))
	for _, rule := range run.Tool.Driver.Rules {
		require.NotEmpty(t, *rule.ShortDescription.Text)
		require.NotEmpty(t, *rule.FullDescription.Text)
		require.NotEmpty(t, *rule.Help.Text)
	}
	require.Len(t, run.Results, 4)
	race := run.Results[0]
	require.Equal(t, "data-race", *race.RuleID)
	require.Equal(t, sarif.LevelError, race.Level)
	require.Equal(t, "tools/m/cache.go", *race.Locations[0].PhysicalLocation.ArtifactLocation.URI)
	require.Equal(t, 9, *race.Locations[0].PhysicalLocation.Region.StartLine, "the later access")
	require.Equal(t, 7, *race.RelatedLocations[0].PhysicalLocation.Region.StartLine)
	require.Contains(t, *race.Message.Text, "](1)")
	require.Len(t, race.CodeFlows[0].ThreadFlows, 2)
	require.Equal(t, "00ff", race.PartialFingerprints["primaryLocationLineHash"])
	require.Equal(t, sarif.LevelNote, run.Results[1].Level)
	require.Equal(t, sarif.LevelWarning, run.Results[2].Level)
	require.Equal(t, "file:///go/src/x.go", *run.Results[2].Locations[0].PhysicalLocation.ArtifactLocation.URI)
	require.Len(t, run.Invocations[0].ToolExecutionNotifications, 2)
}

// TestSARIFEscapesNames: a file's name may have characters that mean something else in a URI.
func TestSARIFEscapesNames(t *testing.T) {
	w := sarifWriter{dir: "tools/m"}
	for name, want := range map[string]string{
		"a b#c.std":     "tools/m/a%20b%23c.std",
		"/tmp/50%?.std": "file:///tmp/50%25%3F.std",
		"/tmp/é.go":     "file:///tmp/%C3%A9.go",
	} {
		at := w.location(name, 1, 1, "", "").PhysicalLocation.ArtifactLocation
		require.Equal(t, want, *at.URI)
	}
	w.dir = ""
	require.Equal(t, "./a:1.std", *w.location("a:1.std", 1, 1, "", "").PhysicalLocation.ArtifactLocation.URI, "no scheme")
}

// TestNamesOfThreads: every format for people calls goroutines what the trace calls them.
func TestNamesOfThreads(t *testing.T) {
	r := whole()
	r.Findings = r.Findings[:1]
	f := &r.Findings[0]
	threads := map[int]string{1: "starter", 8: "worker"}
	for i := range f.Accesses {
		a := &f.Accesses[i]
		a.Thread, a.Created = threads[a.Goroutine], nil
	}
	for _, steps := range [][]report.Step{f.Run.Steps, f.Witness.Steps} {
		for i := range steps {
			steps[i].Thread = threads[steps[i].Goroutine]
		}
	}
	for _, form := range formats {
		if form.Suffix == JSON.Suffix {
			continue
		}
		out, err := form.Encode(r)
		require.NoError(t, err)
		require.Contains(t, string(out), "worker", form.Suffix)
		require.NotRegexp(t, `main goroutine|goroutine \d`, string(out), form.Suffix)
	}
}

func TestMarkdownEscapes(t *testing.T) {
	f := report.Finding{ID: "R1", Kind: report.Race, Verdict: report.Observed, Variable: "a[i]|`x`", Accesses: []report.Access{{Op: "write", File: "a_b.go", Line: 1, Expr: "```"}}}
	page, err := encodeMarkdown(&report.Report{Findings: []report.Finding{f}})
	require.NoError(t, err)
	require.Contains(t, string(page), "| Data race on a\\[i\\]\\|\\`x\\`, observed | write a\\_b.go:1 |")
	require.Contains(t, string(page), "\n````text\n")
}

// TestMarkdownOfMany: GitHub shows no page that is larger than a mebibyte.
func TestMarkdownOfMany(t *testing.T) {
	page, err := encodeMarkdown(many(3000))
	require.NoError(t, err)
	require.Less(t, len(page), 1<<20)
	require.Equal(t, maxRows, strings.Count(string(page), "\n| R"))
	require.Contains(t, string(page), " more are in the reports of other formats.\n")
}

func TestAnnotations(t *testing.T) {
	r := whole()
	r.Dir = "tools/m"
	leak := report.Finding{Kind: report.Leak, Verdict: report.Observed, Accesses: []report.Access{{Op: "send", File: "/go/src/x,y.go", Line: 3, Expr: "100%"}}}
	r.Findings = append(r.Findings, leak)
	require.Equal(t, "::error file=tools/m/cache.go,line=9,col=2,title=Data race::Data race on c.n in TestPut, predicted by wcp. Read of c.n<1> by main goroutine; write of c.n<1> by goroutine 8, tools/m/cache.go:7. It is there at other places, too: 1.\n"+
		"::warning title=Goroutine leak::Goroutine leak, observed. Send of 100%25.\n"+
		"::notice file=tools/m/cache.go,line=9,col=2,title=Data race::Data race on c.n in TestPut, possible by wcp. Write of c.n<1> by main goroutine; write, tools/m/cache.go:20. The search was given up.\n",
		string(Annotations(r)))
	for range 30 {
		r.Findings = append(r.Findings, r.Findings[0])
	}
	require.Equal(t, maxAnnotations, strings.Count(string(Annotations(r)), "::error "))
}

// TestRules: every kind that a finding can have is described.
func TestRules(t *testing.T) {
	for _, k := range report.Kinds {
		require.NotEmpty(t, ruleOf(k).id, k)
	}
}

func TestForFile(t *testing.T) {
	f, err := ForFile("a/b.json/out.txt")
	require.NoError(t, err)
	require.Equal(t, ".txt", f.Suffix)
	for _, name := range []string{"out.pdf", "json", "out.json.gz", ""} {
		_, err = ForFile(name)
		require.ErrorContains(t, err, "the formats are .json, .txt, .sarif, .xml, .md", name)
	}
}

func TestSummary(t *testing.T) {
	f := func(k report.Kind, v report.Verdict) report.Finding { return report.Finding{Kind: k, Verdict: v} }
	race, possible, deadlock := f(report.Race, report.Observed), f(report.Race, report.Possible), f(report.Deadlock, report.Predicted)
	require.Equal(t, "no race", Summary(nil))
	require.Equal(t, "1 race: 1 observed", Summary([]report.Finding{race}))
	require.Equal(t, "3 races: 2 observed, 1 possible; 1 deadlock: 1 predicted", Summary([]report.Finding{race, deadlock, possible, race}))
	known, some := race, deadlock
	known.Waived, some.Waived = waive.ByBaseline, waive.ByFailOn+"observed"
	require.Equal(t, "no race; 1 waived", Summary([]report.Finding{known}))
	require.Equal(t, "1 deadlock: 1 predicted; 2 waived", Summary([]report.Finding{known, some, known}))
}

// TestWaived: what is waived without a word is in the reports for tools alone.
func TestWaived(t *testing.T) {
	r := whole()
	r.Findings[0].Waived, r.Findings[1].Waived = waive.ByIgnore+"benign", waive.ByFailOn+"none"
	require.NotContains(t, string(Annotations(r)), "::error")
	page, err := encodeMarkdown(r)
	require.NoError(t, err)
	require.NotContains(t, string(page), "| R1 |")
	require.Contains(t, string(page), "| R2 |")
	data, err := encodeSARIF(r)
	require.NoError(t, err)
	back, err := sarif.FromBytes(data)
	require.NoError(t, err)
	require.NoError(t, back.Validate())
	results := back.Runs[0].Results
	require.Equal(t, "inSource", *results[0].Suppressions[0].Kind)
	require.Empty(t, results[1].Suppressions)
	data, err = JSON.Encode(r)
	require.NoError(t, err)
	require.Contains(t, string(data), `"waived": "ignored: benign"`)
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
