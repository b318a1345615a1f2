package present

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/symbolize"
	"github.com/racepred/racepred/internal/trace"
)

// symbols of one rewritten file, and stacks.
func symbols() *symbolize.Symbols {
	files := []symbolize.SiteFile{{File: "/m/a.go", Pkg: "m/a", Base: 10, N: 4, Table: "" +
		"3:2\tread\tx\tf\n" +
		"5:9\tmap\tm[k]\tf\n" +
		"7:1\tlock\tc.mu\tf\n" +
		"7:20\tlock\td.mu\tf\n"}}
	stacks := map[trace.Stack][]report.Frame{
		1: {{Func: "sync.(*Mutex).Lock", File: "mutex.go", Line: 1}, {Func: "m/a.(*C[go.shape.int/x.y]).f", File: "/m/a.go", Line: 7}},
		2: {{Func: "fmt.Println", File: "print.go", Line: 2}, {Func: "m/a.f", File: "/m/a.go", Line: 5}},
	}
	return symbolize.New(
		func(id trace.Stack, yield func(report.Frame) bool) { slices.Values(stacks[id])(yield) },
		func(i int) (symbolize.SiteFile, bool) {
			if i < len(files) {
				return files[i], true
			}
			return symbolize.SiteFile{}, false
		})
}

func finding(v report.Verdict, site1, site2 trace.Site) *engine.Finding {
	return &engine.Finding{
		Verdict: v, By: []string{"hb"},
		Events: []engine.Participant{
			{Ev: trace.Event{Kind: trace.Write, G: 1, Site: site1}},
			{Ev: trace.Event{Kind: trace.Read, Flags: trace.FlagAtomic, G: 2, Stack: 2, Site: site2}, Test: 4},
		},
	}
}

func TestAFinding(t *testing.T) {
	s := symbols()
	n := New(s)
	n.Package = "m/a"
	n.TestName = func(n uint32) string { return map[uint32]string{4: "TestX"}[n] }
	f := finding(report.Observed, 10, 0)
	f.Last().Locks = []trace.Event{{Kind: trace.Acquire, Stack: 1}, {Kind: trace.RAcquire, Stack: 99}}
	f.Last().Fork = trace.Event{Kind: trace.Fork, Stack: 2}
	f.Events[0].Seq, f.Events[1].Seq = 8, 9
	f.Witness = []engine.Placed{{Ev: trace.Event{Kind: trace.Opaque, G: 1}}, {Seq: 7, Ev: trace.Event{Kind: trace.Acquire, G: 2, Stack: 1}}}
	out, first, ok := n.Name(f)
	require.True(t, ok)
	require.True(t, first)
	require.Equal(t, "TestX", out.Test)
	require.Equal(t, "x", out.Variable)
	require.Equal(t, "write", out.Accesses[0].Op)
	b := out.Accesses[1]
	require.Equal(t, "atomic read", b.Op)
	require.Equal(t, "/m/a.go:5 m[k]", b.File+":5 "+b.Expr, "the user's frame, and the map there")
	require.Equal(t, s.Stack(2), b.Created)
	require.Equal(t, []report.Lock{{File: "/m/a.go", Line: 7, Mode: "w"}, {Mode: "r"}}, b.Locks)
	require.Equal(t, &report.Witness{Events: 2, Steps: []report.Step{{Goroutine: 2, Op: "lock", File: "/m/a.go", Line: 7, Object: 1, Event: 7}}}, out.Witness)
}

// TestAnAcquisition: a participant that takes a lock is where its user does so, and is called after the lock.
func TestAnAcquisition(t *testing.T) {
	f := finding(report.Predicted, 10, 11)
	f.Events[0].Ev = trace.Event{Kind: trace.Acquire, G: 1, Stack: 1}
	f.Events[1].Ev = trace.Event{Kind: trace.RAcquire, G: 2, Site: 12}
	out, _, ok := New(symbols()).Name(f)
	require.True(t, ok)
	a, b := out.Accesses[0], out.Accesses[1]
	require.Equal(t, []any{"lock", "/m/a.go", 7, "m/a.(*C[go.shape.int/x.y]).f"}, []any{a.Op, a.File, a.Line, a.Func})
	require.Equal(t, []any{"rlock", "/m/a.go", 7, "c.mu"}, []any{b.Op, b.File, b.Line, b.Expr})
}

func TestAPairOfPlacesOnce(t *testing.T) {
	s := symbols()
	n := New(s)
	for _, step := range []struct {
		v         report.Verdict
		a, b      trace.Site
		first, ok bool
	}{
		{report.Possible, 10, 11, false, true},
		{report.Possible, 10, 11, false, false},
		{report.Predicted, 11, 10, true, true}, // surer, the other way round
		{report.Possible, 10, 11, false, false},
		{report.Observed, 10, 11, false, true}, // failed its test before
		{report.Observed, 10, 10, true, true},  // other places
	} {
		_, first, ok := n.Name(finding(step.v, step.a, step.b))
		require.Equal(t, step.ok, ok, "%+v", step)
		if ok {
			require.Equal(t, step.first, first, "%+v", step)
		}
	}
}

func TestForgotten(t *testing.T) {
	require.Empty(t, Forgotten(engine.Stats{}))
	require.Contains(t, Forgotten(engine.Stats{Evicted: 12})[0], "12 times")
	require.Contains(t, Forgotten(engine.Stats{Merged: 13})[0], "13 times")
}
