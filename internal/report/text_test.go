package report

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// cacheRace is a predicted race with everything a report can show.
func cacheRace() Finding {
	return Finding{
		Kind: Race, Verdict: Predicted, By: []string{"wcp"},
		Package: "example.com/m/cache", Test: "TestCache", Variable: "c.items",
		Accesses: []Access{
			{
				Op: "write", File: "/src/m/cache/cache.go", Line: 41, Column: 3, Func: "(*Cache).Put",
				Goroutine: 8, Addr: 0xc0000b4010, Expr: "c.items[k]",
				Stack: []Frame{
					{Func: "example.com/m/cache.(*Cache).Put", File: "/src/m/cache/cache.go", Line: 41},
					{Func: "example.com/m/cache.TestCache.func1", File: "/src/m/cache/cache_test.go", Line: 12},
				},
				Created: []Frame{{Func: "example.com/m/cache.TestCache", File: "/src/m/cache/cache_test.go", Line: 11}},
				Locks:   []Lock{{Name: "c.mu", File: "/src/m/cache/cache.go", Line: 39, Mode: "w"}},
			},
			{
				Op: "read", File: "/src/m/cache/cache.go", Line: 50, Column: 9, Func: "(*Cache).Get",
				Goroutine: 7, Addr: 0xc0000b4010, Expr: "c.items[k]",
				Stack: []Frame{
					{Func: "example.com/m/cache.(*Cache).Get", File: "/src/m/cache/cache.go", Line: 50},
					{Func: "testing.tRunner", File: "/usr/lib/go/src/testing/testing.go", Line: 1934},
				},
				Created: []Frame{{Func: "testing.(*T).Run", File: "/usr/lib/go/src/testing/testing.go", Line: 1997}},
				Locks:   []Lock{{File: "/src/m/cache/cache.go", Line: 48, Mode: "r"}},
			},
		},
		Witness: &Witness{Events: 9, Steps: []Step{
			{Goroutine: 2, Op: "write", File: "/src/m/cache/cache_test.go", Line: 3},
			{Goroutine: 2, Op: "lock", File: "/usr/lib/go/src/testing/match.go", Line: 86},
			{Goroutine: 2, Op: "unlock", File: "", Line: 0},
			{Goroutine: 2, Op: "go", File: "/usr/lib/go/src/testing/testing.go", Line: 1997},
			{Goroutine: 7, Op: "lock", File: "/usr/lib/go/src/sync/map.go", Line: 30},
			{Goroutine: 7, Op: "unlock", File: "", Line: 0},
			{Goroutine: 7, Op: "go", File: "/src/m/cache/cache_test.go", Line: 11},
			{Goroutine: 7, Op: "lock", File: "/src/m/cache/other.go", Line: 7},
			{Goroutine: 7, Op: "unlock", File: "", Line: 0},
			{Goroutine: 8, Op: "lock", File: "/src/m/cache/cache.go", Line: 39},
			{Goroutine: 8, Op: "write", File: "/src/m/cache/cache.go", Line: 41},
			{Goroutine: 7, Op: "read", File: "/src/m/cache/cache.go", Line: 50},
		}},
	}
}

func observedOnMain() Finding {
	f := cacheRace()
	f.Verdict, f.By, f.Variable, f.Test, f.Witness = Observed, []string{"hb", "wcp"}, "", "", nil
	f.Accesses[1].Goroutine, f.Accesses[1].Created, f.Accesses[1].Stack = 1, nil, nil
	f.Accesses[0].Locks, f.Accesses[1].Locks, f.Accesses[1].Expr = nil, nil, ""
	return f
}

func possible() Finding {
	f := observedOnMain()
	f.Verdict, f.Variable = Possible, "hits"
	f.Note = "the search for a schedule stopped after 1000 events"
	f.Accesses[0].Op = "atomic write"
	return f
}

// manyGoroutines has a witness that is too wide for columns and too long to be shown whole.
func manyGoroutines() Finding {
	f := cacheRace()
	f.Witness.Steps = nil
	for i := range 40 {
		f.Witness.Steps = append(f.Witness.Steps, Step{Goroutine: 10 + i%6, Op: "lock", File: "/src/m/cache/cache.go", Line: 100 + i})
	}
	return f
}

// sameBase has two files of one base name in its witness.
func sameBase() Finding {
	f := cacheRace()
	f.Witness.Steps[7].File = "/src/m/lru/cache.go"
	return f
}

// inLibrary is a race on a library's value: the access is the caller's line.
func inLibrary() Finding {
	f := observedOnMain()
	a := &f.Accesses[0]
	a.Expr = "buf.Write(b)"
	a.Stack = append([]Frame{{Func: "bytes.(*Buffer).Write", File: "/usr/lib/go/src/bytes/buffer.go", Line: 181}}, a.Stack...)
	return f
}

// sameGoroutineTwice is no race, but a drawing must not lose an access.
func sameGoroutineTwice() Finding {
	f := cacheRace()
	f.Kind = Atomicity
	f.Accesses = append(f.Accesses, f.Accesses[0])
	f.Accesses[2].Op, f.Accesses[2].Line, f.Accesses[2].Stack = "read", 44, nil
	return f
}

// TestWords: a channel with the goroutine's value in it is not called a lock that is held.
func TestWords(t *testing.T) {
	for want, l := range map[string]Lock{
		"holding c.mu, locked":               {Name: "c.mu", Mode: "w"},
		"holding a lock for reading, locked": {Mode: "r"},
		"with its value in s.work, sent":     {Name: "s.work", Mode: "w", Channel: true},
	} {
		held, how := l.words()
		require.Equal(t, want, held+", "+how)
	}
}

func TestTextGolden(t *testing.T) {
	for name, f := range map[string]Finding{
		"predicted":      cacheRace(),
		"observed_main":  observedOnMain(),
		"possible":       possible(),
		"in_library":     inLibrary(),
		"wide_and_long":  manyGoroutines(),
		"same_base_name": sameBase(),
		"three_accesses": sameGoroutineTwice(),
	} {
		t.Run(name, func(t *testing.T) {
			got := string(AppendText(nil, &f, "/src/m"))
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o666))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

func TestTextKeepsWhatWasThere(t *testing.T) {
	f := cacheRace()
	require.Equal(t, "before\n==", string(AppendText([]byte("before\n"), &f, ""))[:9])
}

func TestEveryVerdictAndKindHasWords(t *testing.T) {
	for _, v := range []Verdict{Confirmed, Observed, Predicted, Possible} {
		require.Contains(t, verdictLines[v], "(%s)", "verdict %s", v)
	}
	for _, k := range []Kind{Race, Deadlock, Atomicity, Predicate} {
		require.NotEmpty(t, kinds[k], "kind %s", k)
	}
}

func TestRel(t *testing.T) {
	for _, c := range []struct{ root, file, want string }{
		{"/src/m", "/src/m/a/b.go", "a/b.go"},
		{"/src/m/", "/src/m/a/b.go", "a/b.go"},
		{"/src/m", "/src/mother/b.go", "/src/mother/b.go"},
		{"/src/m", "/src/m", "/src/m"},
		{"", "/src/m/b.go", "/src/m/b.go"},
		{"/src/m", "a/b.go", "a/b.go"},
		{`C:\m`, `C:\m\a\b.go`, "a/b.go"},
	} {
		require.Equal(t, c.want, Rel(c.root, c.file), "Rel(%q, %q)", c.root, c.file)
	}
}

// TestAboveRunner: what calls a test is not shown of an access, what a test calls of package
// testing is.
func TestAboveRunner(t *testing.T) {
	test, literal, allocs, runner := Frame{Func: "m.TestX"}, Frame{Func: "m.TestX.func1"}, Frame{Func: "testing.AllocsPerRun"}, Frame{Func: "testing.tRunner"}
	for _, c := range [][2][]Frame{
		{{test, runner, {Func: "testing.(*T).Run.gowrap1"}}, {test}},
		{{literal, allocs, test, runner}, {literal, allocs, test}},
		{{literal, {Func: "reflect.Value.call"}, {Func: "reflect.Value.Call"}, {Func: "testing.(*F).Fuzz.func1.1"}, runner}, {literal}},
		{{{Func: "m.TestMain"}, {Func: "main.main"}, {Func: "runtime.main"}}, {{Func: "m.TestMain"}, {Func: "main.main"}}},
		{{literal, {Func: "reflect.Value.Call"}}, {literal, {Func: "reflect.Value.Call"}}},
		{{runner, runner}, {runner}},
		{nil, nil},
	} {
		require.Equal(t, c[1], AboveRunner(c[0]))
	}
}

// TestWithoutRunner: what is below every test is not shown of where a goroutine was started.
func TestWithoutRunner(t *testing.T) {
	run, sub := Frame{Func: "testing.(*T).Run"}, Frame{Func: "m.TestX"}
	for _, c := range [][2][]Frame{
		{{run, {Func: "testing.runTests.func1"}, {Func: "main.main"}, {Func: "runtime.main"}}, {run}},
		{{sub, {Func: "testing.tRunner"}, {Func: "testing.(*T).Run.gowrap1"}}, {sub}},
		{{run, sub, {Func: "testing.tRunner"}}, {run, sub}},
		{{sub}, {sub}},
		{nil, nil},
	} {
		require.Equal(t, c[1], WithoutRunner(c[0]))
	}
}
