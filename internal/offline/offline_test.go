package offline

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/tracefile"
	"github.com/racepred/racepred/internal/trace/validate"
)

// fig1b is Figure 1b of Kini, Mathur and Viswanathan (PLDI 2017): WCP predicts a race on y.
const fig1b = `g1 fork g2 site=1
g1 write y site=2
g1 acquire l site=3
g1 read x site=4
g1 release l site=5
g2 acquire l site=6
g2 read x site=7
g2 release l site=8
g2 read y site=9
`

// simple has one race that the run itself shows.
const simple = "g1 fork g2\ng1 write x\ng2 write x\n"

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
	return path
}

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path, path)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func analyze(t *testing.T, c Config, path string) *collect.Run {
	t.Helper()
	run := &collect.Run{}
	require.NoError(t, c.Analyze(open(t, path), run))
	return run
}

// converted is a file in another format.
func converted(t *testing.T, path, name string) string {
	t.Helper()
	var b bytes.Buffer
	_, err := Convert(&b, open(t, path), FormatOf(name))
	require.NoError(t, err)
	return file(t, name, b.String())
}

// brief is what a finding says, without stacks.
func brief(run *collect.Run) (list []string) {
	for _, f := range run.Findings {
		a, b := f.Accesses[0], f.Accesses[1]
		list = append(list, fmt.Sprintf("%s %v %s:%d %s:%d", f.Verdict, f.By, a.File, a.Line, b.File, b.Line))
	}
	return list
}

func TestEveryFormatHasTheSameFindings(t *testing.T) {
	text := file(t, "a.txt", fig1b)
	want := []string{"predicted [wcp] a.txt:2 a.txt:9"}
	require.Equal(t, want, brief(analyze(t, Config{}, text)))
	binary := converted(t, text, "b.rptrace")
	require.Equal(t, want, brief(analyze(t, Config{}, binary)), "sites are lines of the source")
	back := converted(t, binary, "a.txt")
	require.Equal(t, want, brief(analyze(t, Config{}, back)))
	require.Equal(t, []string{"predicted [wcp] c.std:2 c.std:9"}, brief(analyze(t, Config{}, converted(t, binary, "c.std"))))
}

func TestPredictors(t *testing.T) {
	path := file(t, "a.txt", fig1b+"g3 write z\ng2 write z\n")
	require.Len(t, analyze(t, Config{}, path).Findings, 2)
	require.Len(t, analyze(t, Config{Predictors: []string{"wcp"}}, path).Findings, 2)
	run := analyze(t, Config{Predictors: []string{"hb"}}, path)
	require.Len(t, run.Findings, 1)
	require.Equal(t, report.Observed, run.Findings[0].Verdict)
}

// recorded is a binary file as a test process leaves it, with the given events; marks says after
// which number of them the engine flushed.
func recorded(t *testing.T, text string, closed bool, marks ...int) string {
	t.Helper()
	evs, err := trace.Parse(text)
	require.NoError(t, err)
	var b bytes.Buffer
	w := tracefile.NewWriter(&b, []tracefile.Pair{{Key: tracefile.KeyPackage, Value: "example.com/p"}, {Key: tracefile.KeyRoot, Value: "/p"}, {Key: tracefile.KeyPID, Value: "7"}})
	var table strings.Builder
	for i := range evs {
		fmt.Fprintf(&table, "%d:5\twrite\tx%d\tf\n", 10+i, i)
	}
	w.Sites(tracefile.SiteTable{File: "/p/a.go", Pkg: "example.com/p", Base: 1, N: len(evs), Table: table.String()})
	for i := range evs {
		for _, m := range marks {
			if m == i {
				w.Flushed()
			}
		}
		if !w.HasStack(evs[i].Stack) {
			w.Stack(evs[i].Stack, []tracefile.Frame{{Func: "example.com/p.f", File: "/p/a.go", Line: 99}})
		}
		if evs[i].Kind == trace.TestBegin {
			w.Test(evs[i].Other, "TestX")
		}
		w.Event(&evs[i])
	}
	require.NoError(t, w.Flush())
	if closed {
		require.NoError(t, w.Close(tracefile.Summary{Filtered: 11, Notes: []string{"a note"}}))
	}
	return file(t, "p.rptrace", b.String())
}

// TestRules: how often the predictors' rules fired is in the report, once for each predictor that
// ran.
func TestRules(t *testing.T) {
	all := true
	run := analyze(t, Config{Complete: &all, Predictors: []string{"shb", "wcp", "syncrev"}}, file(t, "a.txt", fig1b))
	fired := map[string]uint64{}
	for _, r := range run.Processes[0].Stats.Rules {
		fired[r.Predictor+": "+r.Rule] = r.Fired
	}
	require.Equal(t, map[string]uint64{
		"hb: lock": 1, "hb: hard edge": 0, "shb: fork": 1, "shb: lock order": 1,
		"wcp: rule a": 0, "wcp: rule b": 0, "wcp: hard edge": 0, "syncrev: fork": 1, "syncrev: reads-from": 1,
	}, fired)
}

func TestNamesOfARecording(t *testing.T) {
	run := analyze(t, Config{}, recorded(t, "g1 testbegin 1\ng1 fork g2 stack=3\ng1 write x\ng2 write x stack=3\n", true))
	require.Len(t, run.Findings, 1)
	f := run.Findings[0]
	require.Equal(t, "example.com/p", f.Package)
	require.Equal(t, "TestX", f.Test)
	require.Equal(t, "x2", f.Variable)
	require.Equal(t, 12, f.Accesses[0].Line)
	require.Equal(t, []report.Frame{{Func: "example.com/p.f", File: "/p/a.go", Line: 99}}, f.Accesses[1].Stack)
	require.Equal(t, f.Accesses[1].Stack, f.Accesses[1].Created)
	require.Equal(t, []protocol.Process{{
		PID: 7, Package: "example.com/p", Races: 1,
		Stats:     report.Stats{Events: 4, Filtered: 11, Seconds: run.Processes[0].Stats.Seconds, Rules: run.Processes[0].Stats.Rules},
		Uncovered: []report.Uncovered{{Package: "example.com/p", Reason: "a note"}},
	}}, run.Processes)
}

func TestWhatIsLeftOfATruncatedFile(t *testing.T) {
	path := recorded(t, simple, false)
	run := analyze(t, Config{}, path)
	require.Len(t, run.Findings, 1)
	require.Contains(t, run.Processes[0].Uncovered[0].Reason, "p.rptrace breaks off after 3 events")

	s, err := Count(open(t, path))
	require.NoError(t, err)
	require.Equal(t, trace.Truncated, s.Last)

	var b bytes.Buffer
	truncated, err := Convert(&b, open(t, path), Binary)
	require.NoError(t, err)
	require.True(t, truncated)
	whole := open(t, file(t, "whole.rptrace", b.String()))
	_, last, err := trace.ReadAll(whole)
	require.NoError(t, err)
	require.Equal(t, trace.Ended, last)
	require.Equal(t, []string{"p.rptrace broke off after 3 events"}, whole.Summary().Notes)
}

// TestTheEngineFlushesWhereItDid: at a mark that comes before the second write to x, the read is
// certain, and the pair it hides is predicted; without the mark the engine knows about the second
// write first.
func TestTheEngineFlushesWhereItDid(t *testing.T) {
	verdicts := func(path string) map[report.Verdict]int {
		m := map[report.Verdict]int{}
		for _, f := range analyze(t, Config{}, path).Findings {
			m[f.Verdict]++
		}
		return m
	}
	text := fig1b + "g3 write x site=10\n"
	n := strings.Count(fig1b, "\n")
	online := func(flush bool) map[report.Verdict]int {
		m := map[report.Verdict]int{}
		e := engine.New(engine.Config{}, func(f engine.Finding) { m[f.Verdict]++ })
		evs, err := trace.Parse(text)
		require.NoError(t, err)
		for i := range evs {
			if flush && i == n {
				e.Flush()
			}
			e.Event(evs[i])
		}
		e.Flush()
		return m
	}
	require.NotEqual(t, online(true), online(false), "the example shows nothing")
	require.Equal(t, online(true), verdicts(recorded(t, text, true, n)))
	require.Equal(t, online(false), verdicts(recorded(t, text, true)))
}

func TestBinaryToBinaryLosesNothing(t *testing.T) {
	path := recorded(t, "g1 testbegin 1 stack=2\ng1 fork g2 stack=3\ng1 write x\ng2 write x stack=3\n", true, 0, 2, 3)
	again := converted(t, path, "q.rptrace")
	a, b := open(t, path), open(t, again)
	for {
		var ev, fv trace.Event
		x, err := a.Next(&ev)
		require.NoError(t, err)
		y, err := b.Next(&fv)
		require.NoError(t, err)
		require.Equal(t, x, y)
		if x == trace.Ended {
			break
		}
		require.Equal(t, ev, fv)
	}
	require.Equal(t, a.Tables(), b.Tables())
	require.Equal(t, a.Summary(), b.Summary())
}

func TestDumpIsTheTextForm(t *testing.T) {
	text := "g1 testbegin 1 stack=2\ng1 fork g2 stack=3\ng1 write x\ng2 write x stack=3\n"
	path := recorded(t, text, true, 3)
	var b strings.Builder
	require.NoError(t, Dump(&b, open(t, path), 0, 0))
	want, err := trace.Parse(text)
	require.NoError(t, err)
	got, err := trace.Parse(b.String())
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, `// p.rptrace
// package: example.com/p
// root: /p
// pid: 7
// stack 2:
//     example.com/p.f /p/a.go:99
// test 1: TestX
g1 testbegin 1 site=1 stack=2 // 0 a.go:10:5 x0
// stack 3:
//     example.com/p.f /p/a.go:99
g1 fork g2 site=2 stack=3 // 1 a.go:11:5 x1
g1 write 0x1000:8 site=3 // 2 a.go:12:5 x2
// flushed
g2 write 0x1000:8 site=4 stack=3 // 3 a.go:13:5 x3
// ends here, after 4 events
`, b.String())

	b.Reset()
	require.NoError(t, Dump(&b, open(t, path), 2, 3))
	require.Equal(t, 1, strings.Count(b.String(), "\ng"), b.String())
}

func TestStat(t *testing.T) {
	s, err := Count(open(t, recorded(t, fig1b, true, 3, 5)))
	require.NoError(t, err)
	require.Equal(t, uint64(9), s.Events)
	require.Equal(t, uint64(2), s.Flushed)
	require.Equal(t, 2, s.Goroutines)
	require.Equal(t, 1, s.Locks)
	require.Equal(t, uint64(3), s.Kinds[trace.Read])
}

func TestValidateSaysWhere(t *testing.T) {
	all := func(path string) (list []string) {
		_, _, err := Validate(open(t, path), func(place string, p validate.Problem) { list = append(list, place+": "+p.Text) })
		require.NoError(t, err)
		return list
	}
	path := file(t, "a.txt", "// a comment\ng1 release 7\n")
	require.Equal(t, []string{"trace: " + path + ": line 2: g1 releases lock 0x7, which nobody holds"}, all(path))
	path = recorded(t, "g1 write x\ng1 release 7\n", true)
	require.Equal(t, []string{"trace: " + path + ": event 1: g1 releases lock 0x7, which nobody holds"}, all(path))
	path = recorded(t, "g1 write x site=77\n", true)
	require.Equal(t, []string{"trace: " + path + ": event 0: site 77 is not in the table"}, all(path))
	require.Empty(t, all(converted(t, file(t, "a.txt", "g1 write x site=77\n"), "x.rptrace")), "it has no tables")
}

func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(filepath.Join(dir, "none"), "none")
	require.EqualError(t, err, "trace: none: no such file or directory")
	_, err = Open(dir, "dir")
	require.EqualError(t, err, "trace: dir: is a directory")
	_, err = Open(file(t, "a.rptrace", "g1 write x\n"), "a.rptrace")
	require.ErrorContains(t, err, "no trace file")

	run := &collect.Run{}
	err = Config{}.Analyze(open(t, file(t, "a.txt", simple+"what\n")), run)
	require.ErrorContains(t, err, "a.txt: line 4: ")
	require.Empty(t, run.Findings, "nothing half analysed")

	_, err = Convert(&bytes.Buffer{}, open(t, file(t, "a.txt", "g1 release 7\n")), STD)
	require.ErrorContains(t, err, "event 0: g1 releases lock 0x7, which nobody holds")
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]Format{"a.rptrace": Binary, "x/a.std": STD, "a.txt": Text, "a": Text, "a.STD": Text} {
		require.Equal(t, want, FormatOf(name), name)
	}
	data, err := os.ReadFile(recorded(t, simple, true))
	require.NoError(t, err)
	require.Equal(t, Binary, open(t, file(t, "misnamed.txt", string(data))).Format)
}

func TestProgressAndStop(t *testing.T) {
	path := file(t, "a.txt", "g1 fork g2\n"+strings.Repeat("g1 write x site=1\n", 3*progressEvery))
	calls := 0
	c := Config{
		Progress: func(f *File, events uint64) {
			calls++
			require.Positive(t, f.Done())
			require.LessOrEqual(t, f.Done(), f.Size)
		},
		Stop: func() error {
			if calls == 2 {
				return fmt.Errorf("stopped")
			}
			return nil
		},
	}
	require.EqualError(t, c.Analyze(open(t, path), &collect.Run{}), "stopped")
	require.Equal(t, 2, calls)
}
