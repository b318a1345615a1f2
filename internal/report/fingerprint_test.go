package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFingerprintIgnoresWhatMayChange(t *testing.T) {
	base := cacheRace()
	want := Fingerprint(&base)
	require.Len(t, want, 16)
	for name, change := range map[string]func(*Finding){
		"(F1) the order of the accesses": func(f *Finding) {
			f.Accesses[0], f.Accesses[1] = f.Accesses[1], f.Accesses[0]
		},
		"(F2) lines":      func(f *Finding) { f.Accesses[0].Line++; f.Accesses[0].Stack[0].Line++ },
		"(F2) files":      func(f *Finding) { f.Accesses[0].File = "/elsewhere/cache.go" },
		"(F2) goroutines": func(f *Finding) { f.Accesses[1].Goroutine = 99 },
		"(F2) the test":   func(f *Finding) { f.Test = "TestOther" },
		"(F2) who found it and how surely": func(f *Finding) {
			f.By, f.Verdict, f.Witness = []string{"hb"}, Observed, nil
		},
		"callers":                      func(f *Finding) { f.Accesses[0].Stack = f.Accesses[0].Stack[:1] },
		"(F4) the length":              func(f *Finding) { f.Accesses[1].Expr = "len(" + f.Accesses[1].Expr + ")" },
		"(F5) the other half of c.n++": func(f *Finding) { f.Accesses[1].Op = "write" },
	} {
		t.Run(name, func(t *testing.T) {
			f := cacheRace()
			change(&f)
			require.Equal(t, want, Fingerprint(&f))
		})
	}
}

// TestFingerprintsStay: files that people keep have them. What changes one needs another
// FingerprintVersion, and another list here.
func TestFingerprintsStay(t *testing.T) {
	require.Equal(t, 2, FingerprintVersion)
	race := cacheRace()
	require.Equal(t, "7b19f1630ebc022f", Fingerprint(&race))
	for expr, want := range map[string]string{"c.items[k]": "44e6b174a25f6f2a", "len(c.items)": "44e6b174a25f6f2a", "*p": "b01c11ea9ace8f1c", "": "fd2b7da5fd49b93c"} {
		f := Finding{Kind: Race, Accesses: []Access{
			{Op: "write", Expr: expr, Func: "F", Stack: []Frame{{Func: "example.com/m.v1.(*Map[go.shape.int]).Put.func2.1"}}}, {Op: "atomic read", Expr: expr, Func: "G"},
		}}
		require.Equal(t, want, Fingerprint(&f), expr)
	}
	for kind, want := range map[Kind]string{Deadlock: "def2455394c7d34f", Leak: "4efae1df05fef409", Atomicity: "1dde7f8a4db842a6"} {
		f := Finding{Kind: kind, Accesses: []Access{
			{Op: "lock", Expr: "b.mu", Stack: []Frame{{Func: "example.com/m.F"}, {Func: "example.com/m.Start.gowrap1"}}}, {Op: "lock", Expr: "a.mu", Func: "F"},
		}}
		require.Equal(t, want, Fingerprint(&f), kind)
	}
}

func TestFingerprintTellsApart(t *testing.T) {
	seen := map[string]string{}
	for name, change := range map[string]func(*Finding){
		"itself":            func(*Finding) {},
		"another kind":      func(f *Finding) { f.Kind = Atomicity },
		"another operation": func(f *Finding) { f.Accesses[1].Op = "atomic write" },
		"another variable":  func(f *Finding) { f.Accesses[1].Expr = "c.size" },
		"another function":  func(f *Finding) { f.Accesses[1].Stack[0].Func += "All" },
		"another package":   func(f *Finding) { f.Accesses[1].Stack[0].Func = "example.com/n/cache.(*Cache).Get" },
		"one access less":   func(f *Finding) { f.Accesses = f.Accesses[:1] },
	} {
		f := cacheRace()
		change(&f)
		fp := Fingerprint(&f)
		require.Empty(t, seen[fp], "%s has the fingerprint of %s", name, seen[fp])
		seen[fp] = name
	}
}

func TestStableFunc(t *testing.T) {
	for in, want := range map[string]string{
		"example.com/m.F":                               "example.com/m.F",
		"example.com/m.F.func1":                         "example.com/m.F.func",
		"example.com/m.F.func2.1":                       "example.com/m.F.func",
		"example.com/m.F.gowrap1":                       "example.com/m.F.gowrap",
		"example.com/m.func1er":                         "example.com/m.func1er",
		"example.com/m.v1.(*T).Get":                     "example.com/m.v1.(*T).Get",
		"example.com/m.Map[go.shape.int].Get":           "example.com/m.Map.Get",
		"example.com/m.Map[example.com/k.Key].Get":      "example.com/m.Map.Get",
		"example.com/m.F[example.com/k.Key[int]].func3": "example.com/m.F.func",
	} {
		require.Equal(t, want, stableFunc(&Access{Stack: []Frame{{Func: in}}}), in)
	}
	require.Equal(t, "F", stableFunc(&Access{Func: "F"}), "without a stack")
}

func TestStableExpr(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "n": "n", "c.n": "c.n", "*p": "*p", "buf[i]": "buf", "buf[f(a[0])]": "buf", "m[[2]int{1,2}]": "m", "s[len:]": "s", "a[i][j]": "a",
		"a[i].n": "a.n", "a[i].b[j].n": "a.b.n", "len(s)": "s", "cap(s[1:])": "s", "(*p)[i]": "*p", "(*p).n": "(*p).n", "f(x)": "f(x)", "(a).f(b)": "(a).f(b)", "]": "]", "[:]": "",
	} {
		require.Equal(t, want, stableExpr(in), in)
	}
}
