package collect

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/format"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// race is a finding between two lines of /m/a.go.
func race(v report.Verdict, by string, line1, line2 int) report.Finding {
	access := func(op, fn string, line int) report.Access {
		return report.Access{
			Op: op, File: "/m/a.go", Line: line, Func: fn, Goroutine: line, Expr: "n",
			Stack: []report.Frame{{Func: "m." + fn, File: "/m/a.go", Line: line}},
		}
	}
	return report.Finding{
		Kind: report.Race, Verdict: v, By: []string{by}, Package: "m", Test: "TestN", Variable: "n",
		Accesses: []report.Access{access("write", "Put", line1), access("read", "Get", line2)},
	}
}

func write(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
}

// leave writes what a process would.
func leave(t *testing.T, dir, stem string, p *protocol.Process, findings ...report.Finding) {
	t.Helper()
	var lines []byte
	for i := range findings {
		lines = protocol.AppendFinding(lines, &findings[i])
	}
	write(t, dir, stem+protocol.FindingsSuffix, lines)
	if p != nil {
		write(t, dir, stem+protocol.ResultSuffix, protocol.AppendProcess(nil, p))
	}
}

func TestTwoProcessesMakeOneReport(t *testing.T) {
	dir := t.TempDir()
	swapped := race(report.Observed, "hb", 9, 5)
	swapped.Accesses[0], swapped.Accesses[1] = swapped.Accesses[1], swapped.Accesses[0]
	withWitness := race(report.Predicted, "wcp", 9, 5)
	withWitness.Witness = &report.Witness{Events: 3, Steps: []report.Step{{Goroutine: 9, Op: "fork", File: "/m/a.go", Line: 1}}}
	leave(t, dir, "20-0", &protocol.Process{
		PID: 20, Package: "m", Races: 1, Exit: 1, Stats: report.Stats{Events: 5, Seconds: 0.5},
		Uncovered: []report.Uncovered{{Package: "m/b", Reason: "uses cgo"}},
	}, withWitness, race(report.Possible, "wcp", 30, 31), race(report.Observed, "hb", 3, 5))
	leave(t, dir, "7-0", &protocol.Process{
		PID: 7, Package: "m", Races: 1, Exit: 1, Stats: report.Stats{Events: 2, Evicted: 1, Seconds: 0.25},
		Uncovered: []report.Uncovered{{Package: "m/b", Reason: "uses cgo"}},
	}, swapped)
	write(t, dir, "7-0.result123.tmp", []byte("half"))

	run, err := Read(dir, dir)
	require.NoError(t, err)
	require.Equal(t, []int{7, 20}, []int{run.Processes[0].PID, run.Processes[1].PID})
	build := []report.Uncovered{{Package: "a/first", Reason: "does not compile"}}
	for name, o := range map[string]Options{
		"merged":   {Root: "/m", Tool: report.Tool{Name: "racepred", Version: "v1", Go: "go1.26.8"}},
		"possible": {Root: "/elsewhere", Possible: true},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := format.JSON.Encode(Merge(run, build, o))
			require.NoError(t, err)
			golden := filepath.Join("testdata", name+".json")
			if *update {
				require.NoError(t, os.WriteFile(golden, data, 0o666))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), string(data))
		})
	}
}

func TestMergeKeepsTheSurest(t *testing.T) {
	run := &Run{Findings: []report.Finding{
		race(report.Predicted, "wcp", 1, 2), race(report.Observed, "hb", 1, 2), race(report.Possible, "ipa", 1, 2),
	}}
	r := Merge(run, nil, Options{Possible: true})
	require.Len(t, r.Findings, 1)
	require.Equal(t, report.Observed, r.Findings[0].Verdict)
	require.Equal(t, []string{"hb", "ipa", "wcp"}, r.Findings[0].By)
}

func TestIncrementIsOneFinding(t *testing.T) {
	both := race(report.Observed, "hb", 1, 2)
	both.Accesses[1].Op = "write"
	for _, order := range [][]report.Finding{
		{race(report.Observed, "hb", 1, 2), both}, {both, race(report.Observed, "hb", 1, 2)},
	} {
		r := Merge(&Run{Findings: order}, nil, Options{})
		require.Len(t, r.Findings, 1)
		require.Equal(t, "write", r.Findings[0].Accesses[1].Op)
	}
}

// TestSameFunctionsOtherLinesAreOneFinding, unless it is not known that it is one variable, or one
// is waived.
func TestSameFunctionsOtherLinesAreOneFinding(t *testing.T) {
	element := race(report.Predicted, "wcp", 8, 3)
	element.Accesses[0].Expr, element.Accesses[0].Op = "n[i]", "read"
	other := race(report.Observed, "hb", 8, 4)
	other.Accesses[1].Expr = "k"
	unnamed := race(report.Observed, "hb", 8, 6)
	unnamed.Accesses[1].Expr = ""
	waived := race(report.Observed, "hb", 8, 7)
	waived.Waived = "ignored: benign"
	run := &Run{Findings: []report.Finding{race(report.Observed, "hb", 8, 2), element, other, unnamed, race(report.Observed, "hb", 1, 2), waived}}
	r := Merge(run, nil, Options{})
	require.Len(t, r.Findings, 4)
	f := r.Findings[0]
	require.Equal(t, 1, f.Accesses[0].Line)
	require.Equal(t, []string{"hb", "wcp"}, f.By)
	place := func(op, expr string, line int) report.Place {
		return report.Place{Op: op, File: "/m/a.go", Line: line, Expr: expr}
	}
	require.Equal(t, []report.Places{
		{Verdict: report.Predicted, Package: "m", Test: "TestN", Accesses: []report.Place{place("read", "n[i]", 8), place("read", "n", 3)}},
		{Verdict: report.Observed, Package: "m", Test: "TestN", Accesses: []report.Place{place("write", "n", 8), place("read", "n", 2)}},
	}, f.Also)
	require.Equal(t, f.Fingerprint, r.Findings[3].Fingerprint)
	for i, g := range r.Findings {
		require.Equal(t, fmt.Sprint("R", i+1), g.ID)
		require.True(t, i == 0 || g.Also == nil)
	}
}

// TestAtomicAccessesHaveNoName: a variable that one function changes atomically, at several lines,
// and another one reads is one finding. Two atomic accesses without a name may be of two variables.
func TestAtomicAccessesHaveNoName(t *testing.T) {
	atomic := func(line1, line2 int) report.Finding {
		f := race(report.Observed, "hb", line1, line2)
		f.Accesses[0].Op, f.Accesses[0].Expr = "atomic write", ""
		return f
	}
	r := Merge(&Run{Findings: []report.Finding{atomic(1, 2), atomic(1, 3), atomic(5, 3)}}, nil, Options{})
	require.Len(t, r.Findings, 1)
	require.Len(t, r.Findings[0].Also, 2)

	both := []report.Finding{atomic(1, 2), atomic(5, 3)}
	for i := range both {
		both[i].Accesses[1].Op, both[i].Accesses[1].Expr = "atomic read", ""
	}
	require.Len(t, Merge(&Run{Findings: both}, nil, Options{}).Findings, 2)
}

// TestOnePlaceIsOneFinding: what has the same positions is one finding, and so is what each of the
// fingerprints has elsewhere.
func TestOnePlaceIsOneFinding(t *testing.T) {
	inlined := func(line int) report.Finding {
		f := race(report.Observed, "hb", line, 2)
		f.Accesses[0].Stack[0].Func = "m.Caller"
		return f
	}
	list := []report.Finding{race(report.Observed, "hb", 1, 2), inlined(8), inlined(9), race(report.Observed, "hb", 9, 2)}
	r := Merge(&Run{Findings: list}, nil, Options{})
	require.Len(t, r.Findings, 1)
	require.Len(t, r.Findings[0].Also, 2)
	slices.Reverse(list)
	require.Equal(t, r.Findings, Merge(&Run{Findings: list}, nil, Options{}).Findings)
}

// TestPackagesOfOneLeak: what the tests of two packages leave behind at one place is one finding,
// which names both.
func TestPackagesOfOneLeak(t *testing.T) {
	leak := func(pkg, test string, line int) report.Finding {
		return report.Finding{Kind: report.Leak, Verdict: report.Observed, By: []string{"gc"}, Package: pkg, Test: test, Accesses: []report.Access{{Op: "receive", File: "/m/lib.go", Line: line}}}
	}
	list := []report.Finding{leak("m/b", "TestB", 3), leak("m/a", "TestA", 3), leak("m/a", "TestOther", 3), leak("m/a", "TestA", 9)}
	for range 2 {
		r := Merge(&Run{Findings: list}, nil, Options{})
		require.Len(t, r.Findings, 2)
		f := &r.Findings[0]
		require.Equal(t, [2]string{"m/a", "TestA"}, [2]string{f.Package, f.Test})
		require.Len(t, f.Also, 1)
		require.Equal(t, [2]string{"m/b", "TestB"}, [2]string{f.Also[0].Package, f.Also[0].Test})
		require.Contains(t, string(report.AppendText(nil, f, "")), "\nThe same is found in other packages:\n  m/b, in TestB\n")
		require.Nil(t, r.Findings[1].Also)
		slices.Reverse(list)
	}
}

func TestKilledProcess(t *testing.T) {
	dir := t.TempDir()
	f := race(report.Observed, "hb", 1, 2)
	line := protocol.AppendFinding(nil, &f)
	write(t, dir, "3-0.findings", append(line, line[:len(line)/2]...))
	run, err := Read(dir, dir)
	require.NoError(t, err)
	require.Empty(t, run.Processes)
	require.Len(t, run.Findings, 1)
	require.Len(t, run.Notes, 1, "the finding that was cut short is told")
}

func TestBadFilesAreErrorsWithAPosition(t *testing.T) {
	dir := t.TempDir()
	f := race(report.Observed, "hb", 1, 2)
	write(t, dir, "3-0.findings", append(protocol.AppendFinding(nil, &f), "{]\n"...))
	_, err := Read(dir, dir)
	require.ErrorContains(t, err, "3-0.findings:2: ")
	dir = t.TempDir()
	write(t, dir, "3-0.result", []byte("x\n"))
	_, err = Read(dir, dir)
	require.ErrorContains(t, err, "3-0.result: ")
	_, err = Read(filepath.Join(dir, "nowhere"), "")
	require.Error(t, err)
}

// TestDirected: what is worth a directed run is listed once for its positions, the most promising
// first, and is no finding; what there is a finding about is not listed.
func TestDirected(t *testing.T) {
	dir := t.TempDir()
	worth := func(rank, line1, line2 int) report.Finding {
		f := race(report.Reachable, "ipa", line1, line2)
		f.Rank = rank
		return f
	}
	leave(t, dir, "1-0", nil, worth(3, 1, 2), worth(2, 5, 6), race(report.Predicted, "ipa", 7, 8))
	leave(t, dir, "2-0", nil, worth(1, 1, 2), worth(1, 7, 8))
	run, err := Read(dir, dir)
	require.NoError(t, err)
	require.Len(t, run.Findings, 1)
	rep := Merge(run, nil, Options{Root: "/m"})
	require.Len(t, rep.Findings, 1)
	require.Len(t, rep.Directed, 2)
	for i, want := range []struct{ rank, line int }{{1, 1}, {2, 5}} {
		d := rep.Directed[i]
		require.Equal(t, want.rank, d.Rank)
		require.Equal(t, want.line, d.Accesses[0].Line)
		require.Equal(t, fmt.Sprintf("D%d", i+1), d.ID)
		require.False(t, d.Fails())
	}
	require.Equal(t, "worth a directed run, no findings (2):\n  D1 write at a.go:1, read at a.go:2 (n), TestN\n  D2 write at a.go:5, read at a.go:6 (n), TestN\n", format.Directed(rep))
}

// TestOncePerPackage: what many processes of a package say is one line, and positions of a file are
// not numbers.
func TestOncePerPackage(t *testing.T) {
	of := func(pkg string, reasons ...string) (all []report.Uncovered) {
		for _, r := range reasons {
			all = append(all, report.Uncovered{Package: pkg, Reason: r})
		}
		return all
	}
	require.Equal(t, of("m", "accesses at 30 busy positions (the most of 3 processes)", "f.go:3: x", "f.go:4: x"),
		oncePerPackage(of("m", "accesses at 4 busy positions", "f.go:3: x", "accesses at 30 busy positions", "f.go:4: x", "accesses at 30 busy positions")))
	require.Equal(t, append(of("a", "2 x"), of("b", "2 x", "uses cgo")...), oncePerPackage(append(of("a", "2 x"), of("b", "2 x", "uses cgo", "uses cgo")...)))
}

// TestBrief: what more than three packages say alike is one line for people.
func TestBrief(t *testing.T) {
	of := func(reason string, packages ...string) (all []report.Uncovered) {
		for _, p := range packages {
			all = append(all, report.Uncovered{Package: p, Reason: reason})
		}
		return all
	}
	three := slices.Concat(of("4 busy", "a", "b"), of("30 busy", "c"))
	require.Equal(t, three, Brief(three))
	require.Equal(t, slices.Concat(of("said of no package", ""), of("uses cgo (one of 4 packages, -report lists them)", "a"), of("30 busy (the most of 4 packages, -report lists them)", "c"), of("x", "d")),
		Brief(slices.Concat(of("4 busy", "a", "b"), of("x", "d"), of("30 busy", "c"), of("4 busy", "d"), of("uses cgo", "a", "b", "c", "d"), of("said of no package", ""))))
}
