package gotestplugin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/cacheage"
	"github.com/racepred/racepred/internal/seam"
)

func pkg(path string, change ...func(*goPackage)) *goPackage {
	p := &goPackage{ImportPath: path, Dir: "/m/" + path, Name: "p"}
	for _, c := range change {
		c(p)
	}
	return p
}

func std(p *goPackage) { p.Standard, p.DepOnly = true, true }
func depOnly(p *goPackage) {
	p.DepOnly, p.Module = true, &goModule{Path: "dep.com/d", Version: "v1.2.3", Dir: "/cache/dep.com/d@v1.2.3"}
}

func testGraph() *graph {
	m, n := pkg("ex.com/m"), pkg("ex.com/m/n")
	return &graph{
		packages: []*goPackage{
			pkg("runtime", std), pkg("sync", std), pkg("bytes", std), pkg("fmt", std), pkg("dep.com/d", depOnly), pkg("dep.com/d/e", depOnly),
			n, m, pkg("ex.com/m [ex.com/m.test]", func(p *goPackage) { p.ForTest = "ex.com/m" }),
			pkg("ex.com/m_test [ex.com/m.test]", func(p *goPackage) { p.ForTest = "ex.com/m" }),
		},
		named: []*goPackage{n, m},
		own:   []*goPackage{n, m},
	}
}

func TestMatcher(t *testing.T) {
	for pattern, want := range map[string][]string{
		"all":            {"runtime", "sync", "bytes", "fmt", "dep.com/d", "dep.com/d/e", "ex.com/m/n", "ex.com/m"},
		"std":            {"runtime", "sync", "bytes", "fmt"},
		"fmt":            {"fmt"},
		"dep.com/d/...":  {"dep.com/d", "dep.com/d/e"},
		"dep.com/d":      {"dep.com/d"},
		"dep.com/...":    {"dep.com/d", "dep.com/d/e"},
		".../m/...":      {"ex.com/m/n"},
		"./ex.com/m":     {"ex.com/m"},
		"./ex.com/m/...": {"ex.com/m/n", "ex.com/m"},
		"/m/dep.com/...": {"dep.com/d", "dep.com/d/e"},
		"none":           nil,
	} {
		var got []string
		match := matcher(pattern, "/m")
		for _, p := range testGraph().packages {
			if p.ForTest == "" && match(p) {
				got = append(got, p.ImportPath)
			}
		}
		require.Equal(t, want, got, pattern)
	}
}

func TestWhoRecords(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"(R1) (R4)":         {nil, []string{"bytes"}},
		"(R2) by request":   {[]string{"-instrument=compiler"}, []string{"bytes", "ex.com/m", "ex.com/m/n"}},
		"(R1) coverage":     {[]string{"-coverprofile=c.out"}, []string{"bytes"}},
		"(R2) -deps":        {[]string{"-instrument=compiler", "-deps=dep.com/d/e"}, []string{"bytes", "dep.com/d/e", "ex.com/m", "ex.com/m/n"}},
		"(R6) -deps":        {[]string{"-deps=dep.com/d/e"}, []string{"bytes"}},
		"(R5) -deps on all": {[]string{"-deps=std"}, []string{"bytes", "fmt"}},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := parseArgs(c.args)
			require.NoError(t, err)
			want := map[string]bool{}
			for _, w := range c.want {
				want[w] = true
			}
			require.Equal(t, want, byCompiler(testGraph(), a, "/m", "/cache"))
		})
	}
	gr := testGraph()
	gr.named[0].GoFiles = []string{"a.go"}
	a, err := parseArgs(nil)
	require.NoError(t, err)
	require.Contains(t, byCompiler(gr, a, "/m", "/m/ex.com"), "ex.com/m", "(R3)")
	gr.overlay = map[string]string{"/m/ex.com/m/n/a.go": "/x"}
	require.Contains(t, byCompiler(gr, a, "/m", ""), "ex.com/m/n", "(R3)")
}

func TestDependencies(t *testing.T) {
	named := func(paths ...string) map[string]bool {
		m := map[string]bool{}
		for _, p := range paths {
			m[p] = true
		}
		return m
	}
	gr := testGraph()
	module := func(path string, imports ...string) *goPackage {
		return pkg(path, func(p *goPackage) { p.DepOnly, p.Module, p.Imports = true, &goModule{Path: "lock.com/l"}, imports })
	}
	gr.packages = append(gr.packages, module("lock.com/l/tables"), module("lock.com/l/parse", "lock.com/l/tables", "bytes"), module("lock.com/l/unused", "bytes"),
		module("lock.com/l", "sync", "lock.com/l/parse", "dep.com/d"), module("lock.com/l/cgo", "sync"))
	gr.packages[len(gr.packages)-1].CgoFiles = []string{"c.go"}
	under := module("lock.com/l/pinned", "sync")
	under.Dir, under.IgnoredGoFiles = t.TempDir(), []string{"other.go", "race.go"}
	require.NoError(t, os.WriteFile(filepath.Join(under.Dir, "other.go"), []byte("//go:build plan9\n\npackage pinned\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(under.Dir, "race.go"), []byte("//go:build race && linux\n\npackage pinned\n"), 0o666))
	gr.packages = append(gr.packages, under)
	auto := named("lock.com/l", "lock.com/l/parse", "lock.com/l/tables")
	for name, c := range map[string]struct {
		deps        []string
		named, auto map[string]bool
	}{
		"(Y2)":       {nil, named(), auto},
		"(Y1) (Y2)":  {[]string{"dep.com/d/e"}, named("dep.com/d/e"), auto},
		"both":       {[]string{"auto", "lock.com/l"}, named("lock.com/l"), named("lock.com/l/parse", "lock.com/l/tables")},
		"(Y3)":       {[]string{"off"}, named(), named()},
		"(Y3) named": {[]string{"off", "dep.com/..."}, named("dep.com/d", "dep.com/d/e"), named()},
		"(Y3) all":   {[]string{"all"}, named("dep.com/d", "dep.com/d/e", "lock.com/l", "lock.com/l/parse", "lock.com/l/tables", "lock.com/l/unused", "lock.com/l/cgo", "lock.com/l/pinned"), named()},
		"library":    {[]string{"std"}, named(), auto},
	} {
		byName, byDefault := gr.dependencies(c.deps, "/m")
		require.Equal(t, c.named, byName, name)
		require.Equal(t, c.auto, byDefault, name)
	}
}

func TestGcflags(t *testing.T) {
	gr := testGraph()
	command := []string{"-N", "ex.com/...=-B", "./ex.com/m=-e 'a b'"}
	user, err := parseGcflags(command, "/m", gr)
	require.NoError(t, err)
	got, err := gcflags(gr, map[string]need{
		"fmt":        needAtomics,
		"bytes":      needRecord | needNoInline,
		"ex.com/m":   needRecord | needAtomics,
		"ex.com/m/n": needAtomics | needNoInline,
		"not/there":  needRecord,
	}, command, user, (*goPackage).flagsPath)
	require.NoError(t, err)
	require.Equal(t, []string{
		"-gcflags=-N", "-gcflags=ex.com/...=-B", "-gcflags=./ex.com/m=-e 'a b'",
		"-gcflags=bytes=-race -l -d=checkptr=0",
		"-gcflags=fmt=-d=ssa/intrinsics/off",
		"-gcflags=ex.com/m/n=-B -d=ssa/intrinsics/off -l",
		"-gcflags=ex.com/m=-e 'a b' -race -d=checkptr=0",
	}, got)
	command = []string{"all=-N -B -l"}
	user, err = parseGcflags(command, "/m", gr)
	require.NoError(t, err)
	got, err = gcflags(gr, nil, command, user, (*goPackage).flagsPath)
	require.NoError(t, err)
	require.Equal(t, []string{"-gcflags=all=-N -B -l", "-gcflags=runtime=-B"}, got, "(G8)")
	for _, bad := range []string{"x", "=-N", "-d='x"} {
		_, err := parseGcflags([]string{bad}, "/m", gr)
		if bad == "-d='x" {
			require.NoError(t, err, "a quote within a word is part of it")
			continue
		}
		require.ErrorAs(t, err, new(usageError), bad)
	}
}

// TestGcflagsOfTheEngine (G6): the user's patterns come later, so one that matches the engine's
// packages is the one that counts.
func TestGcflagsOfTheEngine(t *testing.T) {
	var err error
	j := &job{call: &call{parts: parts{needs: needs}}, graph: testGraph(), dir: "/m"}
	j.args, err = parseArgs([]string{"-gcflags=all=-N"})
	require.NoError(t, err)
	for profile, want := range map[string][]string{
		"/c/engine.pgo":   {"-gcflags=internal/racepred/...=-pgoprofile=/c/engine.pgo", "-gcflags=all=-N"},
		"/a b/engine.pgo": {"-gcflags=internal/racepred/...='-pgoprofile=/a b/engine.pgo'", "-gcflags=all=-N"},
		`/a "'b/x`:        {"-gcflags=all=-N"},
		"":                {"-gcflags=all=-N"},
	} {
		got, err := j.gcflags(&seam.Toolchain{Profile: profile}, nil, nil)
		require.NoError(t, err)
		require.Equal(t, want, got[:len(want)], profile)
		require.NotContains(t, strings.Join(got[len(want):], " "), "pgoprofile")
	}
}

func TestGcflagsWithoutPatternAreForNamedPackages(t *testing.T) {
	gr := testGraph()
	user, err := parseGcflags([]string{"-N"}, "/m", gr)
	require.NoError(t, err)
	got, err := gcflags(gr, map[string]need{"fmt": needRecord, "ex.com/m": needRecord}, nil, user, (*goPackage).flagsPath)
	require.NoError(t, err)
	require.Equal(t, []string{"-gcflags=fmt=-race -d=checkptr=0", "-gcflags=ex.com/m=-N -race -d=checkptr=0"}, got)
}

func TestCallsAtomics(t *testing.T) {
	for src, want := range map[string]bool{
		`package p; import "sync/atomic"; func f(p *int32) { atomic.AddInt32(p, 1) }`:             true,
		`package p; import a "sync/atomic"; var f = a.LoadPointer`:                                true,
		`package p; import . "sync/atomic"; func f(p *int32) { StoreInt32(p, 1) }`:                true,
		"package p; import `sync/atomic`; var f = atomic.OrUint64":                                true,
		`package p; import "sync/atomic"; var x atomic.Int32; func f() { x.Add(1) }`:              false,
		`package p; import "sync/atomic"; var x atomic.Value; func f() any { return x.Load() }`:   false,
		`package p; import a "sync/atomic"; var x a.Int32; type atomic struct{ AddInt32 int }`:    false,
		`package p; import "internal/runtime/atomic"; func f(p *int32) { atomic.Xaddint32(p, 1)}`: false,
		`package p; // "sync/atomic" atomic.AddInt32`:                                             false,
		`package p; import "sync/atomic"; func f( {`:                                              false,
	} {
		calls, generic := callsAtomics([]byte(src))
		require.Equal(t, want, calls, src)
		require.False(t, generic, src)
	}
}

func TestGenericCallsOfAtomics(t *testing.T) {
	const head = `package p; import "sync/atomic"; `
	for src, want := range map[string]bool{
		head + `func F[T any](p *int32, x T) { atomic.AddInt32(p, 1) }`:                                 true,
		head + `func (m *Map[K, V]) Len(p *int32) { func() { atomic.AddInt32(p, 1) }() }`:               true,
		head + `func (m Set[K]) Len(p *int32) { atomic.AddInt32(p, 1) }`:                                true,
		head + `func (m *Map) Len(p *int32, f [3]int) { atomic.AddInt32(p, 1) }; func F[T any](x T) {}`: false,
	} {
		calls, generic := callsAtomics([]byte(src))
		require.True(t, calls, src)
		require.Equal(t, want, generic, src)
	}
}

func TestAtomicCallers(t *testing.T) {
	dir := t.TempDir()
	write := func(name, src string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(src), 0o666))
	}
	const calls = `package p; import "sync/atomic"; func f(p *int32) { atomic.AddInt32(p, 1) }`
	write("a.go", calls)
	write("x_test.go", calls)
	write("b.go", "package p")
	file := func(names ...string) func(*goPackage) {
		return func(p *goPackage) { p.Dir, p.GoFiles = dir, names }
	}
	forTest := func(p *goPackage) { p.ForTest = "m/x" }
	write("g.go", `package p; import "sync/atomic"; func F[T any](p *int32, x T) { atomic.AddInt32(p, 1) }`)
	imports := func(paths ...string) func(*goPackage) {
		return func(p *goPackage) {
			p.Imports, p.ImportMap = paths, map[string]string{"c": "m/c", "tv": "m/g [m/x.test]"}
		}
	}
	gr := &graph{packages: []*goPackage{
		pkg("m/g", file("g.go")), pkg("m/c", imports("m/g")), pkg("m/d", imports("os", "c")), pkg("m/e", imports("m/b")), pkg("m/f", imports("tv")),
		pkg("sync", std, file("a.go")), pkg("internal/runtime/maps", std, file("a.go")), // (O1), (O2)
		pkg("os", std, file("b.go", "a.go")), pkg("m/b", file("b.go")),
		pkg("m/x", file("b.go")), pkg("m/x_test [m/x.test]", forTest, file("x_test.go")),
		pkg("m/gone", file("gone.go")),
	}}
	require.Equal(t, map[string]bool{"os": true, "m/x": true, "m/g": true, "m/c": true, "m/d": true, "m/f": true}, atomicCallers(gr, nil),
		"flags of an external test package are those of the package")
	require.Equal(t, map[string]bool{"m/x": true, "os": true}, atomicCallers(gr, map[string]string{
		filepath.Join(dir, "g.go"): filepath.Join(dir, "b.go"), // no calls are left in it
		filepath.Join(dir, "b.go"): filepath.Join(dir, "b.go"),
	}), "what counts is the rewritten text")
}

func TestOverlay(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "o.json")
	require.NoError(t, writeOverlay(name, map[string]string{"a.go": "/x/b.go", filepath.Join(dir, "c.go"): ""}))
	user, err := readOverlay("o.json", dir)
	require.NoError(t, err)
	require.Equal(t, map[string]string{filepath.Join(dir, "a.go"): "/x/b.go", filepath.Join(dir, "c.go"): ""}, user)
	merged, err := mergeOverlays(user, map[string]string{"/s": "/t"}, nil)
	require.NoError(t, err)
	require.Len(t, merged, 3)
	_, err = mergeOverlays(map[string]string{"/s": "/u"}, map[string]string{"/s": "/t"})
	require.ErrorContains(t, err, "replaces /s")
	require.NoError(t, os.WriteFile(name, []byte("{"), 0o666))
	_, err = readOverlay(name, dir)
	require.ErrorContains(t, err, "-overlay")
}

func TestSourceCache(t *testing.T) {
	c := sourceCache{filepath.Join(t.TempDir(), "rewritten")}
	one, err := c.put("a.go", []byte("package a"))
	require.NoError(t, err)
	again, err := c.put("a.go", []byte("package a"))
	require.NoError(t, err)
	require.Equal(t, one, again)
	other, err := c.put("a.go", []byte("package b"))
	require.NoError(t, err)
	require.NotEqual(t, one, other)
	data, err := os.ReadFile(other)
	require.NoError(t, err)
	require.Equal(t, "package b", string(data))

	now := time.Now()
	require.NoError(t, os.Chtimes(one, now, now.Add(-2*cacheage.Max)))
	require.NoError(t, c.trim(now))
	require.NoFileExists(t, one)
	require.FileExists(t, other)
	require.NoError(t, os.Chtimes(other, now, now.Add(-2*cacheage.Max)))
	require.NoError(t, c.trim(now.Add(time.Hour)))
	require.FileExists(t, other, "trimmed once a day")
}

func TestGoListFields(t *testing.T) {
	var p goPackage
	require.NoError(t, json.Unmarshal([]byte(`{"ImportPath":"m_test [m.test]","ForTest":"m","Dir":"/d","GoFiles":["a.go"],"CgoFiles":["/g/b.go"]}`), &p))
	require.Equal(t, "m", p.flagsPath())
	require.Equal(t, []string{"/d/a.go", "/g/b.go"}, p.files())
}

// TestGcflagsNameDirectories (G7)
func TestGcflagsNameDirectories(t *testing.T) {
	gr := &graph{packages: []*goPackage{
		{ImportPath: "fmt", Dir: "/go/src/fmt", Standard: true},
		{ImportPath: "ex.com/m", Dir: "/m"},
		{ImportPath: "ex.com/m [ex.com/m.test]", Dir: "/m", ForTest: "ex.com/m"},
		{ImportPath: "ex.com/m/n", Dir: "/m/n"},
		{ImportPath: "ex.com/d", Dir: "/cache/d@v1"},
		{ImportPath: "ex.com/is", Dir: "/cache/a=b"},
		{ImportPath: "ex.com/twice", Dir: "/cache/twice"},
		{ImportPath: "ex.com/again", Dir: "/cache/twice"},
		{ImportPath: "ex.com/none"},
	}}
	name := func(dir, goroot string) (all []string) {
		n := gr.namer(dir, goroot)
		for _, p := range gr.packages {
			all = append(all, n(p))
		}
		return all
	}
	require.Equal(t, []string{"../go/src/fmt", ".", ".", "./n", "../cache/d@v1", "ex.com/is", "ex.com/twice", "ex.com/again", "ex.com/none"}, name("/m", "/go"))
	require.Equal(t, []string{"../../c/src/fmt", "..", "..", "."}, name("/m/n", "/c")[:4])
}
