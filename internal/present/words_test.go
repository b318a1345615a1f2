package present

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

// TestWords: a map is told from the variable that has it, a channel's operation from an access, and
// no expression is one that the source has not.
func TestWords(t *testing.T) {
	n := New(stepSymbols())
	for name, c := range map[string]struct {
		accesses [2]report.Access
		ops      [2]string
		exprs    [2]string
		variable string
	}{
		"a map": {
			[2]report.Access{{Op: "read", File: "/m/a.go", Line: 6, Column: 1, Expr: "len(*in)"}, {Op: "write", File: "/m/a.go", Line: 7, Column: 1, Expr: "m"}},
			[2]string{"read", "map write"}, [2]string{"len(*in)", "m"}, "m",
		},
		"a channel": {
			[2]report.Access{{Op: "read", File: "/m/a.go", Line: 3}, {Op: "write", File: "/m/a.go", Line: 5}},
			[2]string{"send", "close"}, [2]string{"ch", "ch"}, "ch",
		},
		"a slice": {
			[2]report.Access{{Op: "write", File: "/m/a.go", Line: 8, Expr: "(*s)[:]"}, {Op: "read", File: "/m/a.go", Line: 8, Expr: "list[:2][len:]"}},
			[2]string{"write", "read"}, [2]string{"elements of (*s)", "elements of list[:2]"}, "*s",
		},
		"no name": {[2]report.Access{{Op: "atomic write", File: "/m/a.go", Line: 11}, {Op: "read", File: "/m/a.go", Line: 6, Expr: "x"}}, [2]string{"atomic write", "read"}, [2]string{"", "x"}, "x"},
	} {
		f := report.Finding{Accesses: c.accesses[:]}
		n.words(&f)
		for i := range f.Accesses {
			require.Equal(t, c.ops[i], f.Accesses[i].Op, name)
			require.Equal(t, c.exprs[i], f.Accesses[i].Expr, name)
		}
		require.Equal(t, c.variable, f.Variable, name)
	}
}

// TestWaitGroup: the note says what an Add beside a Wait means, and others of a WaitGroup's races
// have none.
func TestWaitGroup(t *testing.T) {
	access := func(op, fn string) report.Access {
		return report.Access{Op: op, File: "/m/a.go", Line: 11, Stack: []report.Frame{{Func: fn}, {Func: "m.f"}}}
	}
	add, wait := access("atomic write", "sync.(*WaitGroup).Add"), access("read", "sync.(*WaitGroup).Wait")
	n := New(stepSymbols())
	f := report.Finding{Note: "first", Accesses: []report.Access{add, wait}}
	n.words(&f)
	require.Regexp(t, "^first; an Add to a count of zero", f.Note)
	require.Equal(t, []string{"write", "read"}, []string{f.Accesses[0].Op, f.Accesses[1].Op})
	f = report.Finding{Verdict: report.Possible, Accesses: []report.Access{add, wait}}
	n.words(&f)
	require.Regexp(t, "might not be zero$", f.Note)
	f = report.Finding{Accesses: []report.Access{add, access("write", "m.g")}}
	n.words(&f)
	require.Empty(t, f.Note)
}

// TestMainGoroutine: in a recorded process goroutines have other numbers.
func TestMainGoroutine(t *testing.T) {
	n := New(stepSymbols())
	require.Equal(t, 2, n.goroutine(2))
	n.Main = 2
	require.Equal(t, []int{1, 1, 2, 41}, []int{n.goroutine(1), n.goroutine(2), n.goroutine(3), n.goroutine(42)})
}

// TestWithoutHooks: racepred's own files in the library are no frames of a report.
func TestWithoutHooks(t *testing.T) {
	f := report.Finding{Accesses: []report.Access{{Stack: []report.Frame{{Func: "sync/atomic.AddInt64", File: "/go/src/sync/atomic/zz_racepred_hooks.go"}, {Func: "m/a.f"}}}}}
	withoutHooks(&f)
	require.Equal(t, []report.Frame{{Func: "m/a.f"}}, f.Accesses[0].Stack)
}

// TestLeftOut: what keeps the place of a section's unrecorded accesses is no operation on a
// channel, unless the line has one.
func TestLeftOut(t *testing.T) {
	n := New(stepSymbols())
	const lock, send, plain = trace.Addr(0x1000), 3, 6 // send and plain are lines
	for _, c := range []struct {
		kind trace.Kind
		addr trace.Addr
		line int
		want bool
	}{
		{trace.Observe, lock | trace.OpaqueTokenBit, send, true},
		{trace.Change, lock + 1, plain, true},
		{trace.Observe, lock + 1, plain, true},
		{trace.Change, lock + 1, send, false},
		{trace.Change, lock, plain, false},
		{trace.HardMerge, lock + 1, plain, false},
	} {
		require.Equal(t, c.want, n.leftOut(&trace.Event{Kind: c.kind, Addr: c.addr}, "/m/a.go", c.line), c)
	}
}

// TestTestOfStack: a goroutine that nobody recorded has started is in the test whose literal it runs.
func TestTestOfStack(t *testing.T) {
	n := New(stepSymbols())
	n.Package = "ex.com/m"
	for fn, want := range map[string]string{
		"ex.com/m.TestTimer.func1": "TestTimer", "ex.com/m_test.Test": "Test", "ex.com/m.Testing.func1": "", "ex.com/m.TestMain": "", "ex.com/k.TestTimer": "", "ex.com/m.(*TestX).f": "",
	} {
		f := report.Finding{Accesses: []report.Access{{Stack: []report.Frame{{Func: "runtime.chanrecv"}, {Func: fn}}}}}
		require.Equal(t, want, n.testOf(&f), fn)
	}
}
