package instrument_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument"
)

// cached is a module of packages a, b (which imports a, and has both kinds of tests), c (on its
// own) and d (cgo).
type cached struct {
	t     *testing.T
	dir   string
	cache string
}

func newCached(t *testing.T) *cached {
	m := &cached{t, t.TempDir(), t.TempDir()}
	m.write("go.mod", "module m\n\ngo 1.25\n")
	m.write("a/a.go", "package a\n\ntype A struct{ X int }\n\nfunc F(a *A) { a.X = 1 }\n")
	m.write("b/b.go", "package b\n\nimport \"m/a\"\n\nfunc G(x *a.A) int { a.F(x); return x.X }\n")
	m.write("b/b_test.go", "package b\n\nimport \"testing\"\n\nvar v int\n\nfunc TestG(t *testing.T) { v = 1 }\n")
	m.write("b/x_test.go", "package b_test\n\nimport (\n\t\"testing\"\n\n\t\"m/b\"\n)\n\nvar w = b.G\n\nfunc TestX(t *testing.T) { w = nil }\n")
	m.write("c/c.go", "package c\n\nvar V int\n\nfunc H() { V++ }\n")
	return m
}

func (m *cached) write(name, src string) {
	name = filepath.Join(m.dir, name)
	require.NoError(m.t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(m.t, os.WriteFile(name, []byte(src), 0o644))
}

// config lists the module's packages.
func (m *cached) config() instrument.Config {
	cmd := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Name,Dir,ForTest,Standard,DepOnly,GoFiles,CgoFiles,Imports,ImportMap", "./...")
	cmd.Dir = m.dir
	out, err := cmd.Output()
	require.NoError(m.t, err)
	var listed []instrument.Listed
	own := map[string]bool{}
	var paths []string
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p struct {
			instrument.Listed
			Name              string
			Standard, DepOnly bool
		}
		require.NoError(m.t, d.Decode(&p))
		if p.Name == "main" && strings.HasSuffix(p.ImportPath, ".test") {
			continue
		}
		p.Fixed = p.Standard
		listed = append(listed, p.Listed)
		if !p.DepOnly && p.ForTest == "" {
			own[p.ImportPath] = true
			paths = append(paths, p.ImportPath)
		}
	}
	return instrument.Config{
		Dir: m.dir, Patterns: []string{"./..."}, Paths: paths, Tests: true,
		Cache: &instrument.Cache{Dir: m.cache, Units: instrument.Units(listed, own)},
	}
}

// rewrite rewrites; made lists the units that were not in the cache.
func (m *cached) rewrite(cfg instrument.Config) (res *instrument.Result, made []string) {
	res, err := instrument.Rewrite(cfg)
	require.NoError(m.t, err)
	return res, res.Made
}

func (m *cached) entries() []string {
	files, err := filepath.Glob(filepath.Join(m.cache, "*", "*-unit"))
	require.NoError(m.t, err)
	return files
}

func TestCacheHitIsMiss(t *testing.T) {
	m := newCached(t)
	cfg := m.config()
	first, made := m.rewrite(cfg)
	require.Equal(t, []string{"m/a", "m/b", "m/c"}, made)
	require.Len(t, m.entries(), 3)
	second, made := m.rewrite(m.config())
	require.Empty(t, made)
	uncached := cfg
	uncached.Cache = nil
	third, _ := m.rewrite(uncached)
	first.Made, third.Made = nil, nil
	require.Equal(t, third, first)
	require.Equal(t, third, second)
	require.Len(t, third.Packages, 4, "b_test is one of its own")

	cfg.Env = []string{"PATH=/nowhere", "HOME=" + m.cache}
	fourth, err := instrument.Rewrite(cfg)
	require.NoError(t, err, "with all units in the cache the go command is not needed")
	require.Equal(t, third, fourth)
}

func TestCacheFollowsContent(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(m *cached, cfg *instrument.Config)
		made   []string
	}{
		{"nothing", func(*cached, *instrument.Config) {}, nil},
		{"a package that another imports", func(m *cached, _ *instrument.Config) {
			m.write("a/a.go", "package a\n\ntype A struct{ X, Y int }\n\nfunc F(a *A) {}\n")
		}, []string{"m/a", "m/b"}},
		{"an importing one", func(m *cached, _ *instrument.Config) {
			m.write("b/b.go", "package b\n\nimport \"m/a\"\n\nfunc G(x *a.A) int { return 1 }\n")
		}, []string{"m/b"}},
		{"a test", func(m *cached, _ *instrument.Config) { m.write("b/b_test.go", "package b\n") }, []string{"m/b"}},
		{"an external test", func(m *cached, _ *instrument.Config) { m.write("b/x_test.go", "package b_test\n") }, []string{"m/b"}},
		{"a new file", func(m *cached, _ *instrument.Config) { m.write("c/d.go", "package c\n") }, []string{"m/c"}},
		{"pruning", func(_ *cached, cfg *instrument.Config) { cfg.All = true }, []string{"m/a", "m/b", "m/c"}},
		{"the salt", func(_ *cached, cfg *instrument.Config) { cfg.Cache.Salt = "-tags=x" }, []string{"m/a", "m/b", "m/c"}},
		{"who records what is called", func(_ *cached, cfg *instrument.Config) {
			cfg.Recorded = func(path string) bool { return path == "m/a" }
		}, []string{"m/b"}},
		{"who records what is not called", func(_ *cached, cfg *instrument.Config) {
			cfg.Recorded = func(path string) bool { return path == "os" }
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newCached(t)
			m.rewrite(m.config())
			cfg := m.config()
			c.change(m, &cfg)
			if !cfg.All && cfg.Cache.Salt == "" && cfg.Recorded == nil {
				cfg = m.config()
			}
			got, made := m.rewrite(cfg)
			require.Equal(t, c.made, made)
			cfg.Cache = nil
			want, _ := m.rewrite(cfg)
			got.Made, want.Made = nil, nil
			require.Equal(t, want, got)
		})
	}
}

func TestCacheDamaged(t *testing.T) {
	for name, damage := range map[string]func(b []byte) []byte{
		"cut short": func(b []byte) []byte { return b[:len(b)/2] },
		"empty":     func([]byte) []byte { return nil },
		"a bit":     func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"the sum":   func(b []byte) []byte { b[30] ^= 1; return b },
		"other":     func([]byte) []byte { return []byte("hello\n") },
	} {
		t.Run(name, func(t *testing.T) {
			m := newCached(t)
			want, _ := m.rewrite(m.config())
			for _, f := range m.entries() {
				b, err := os.ReadFile(f)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(f, damage(b), 0o644))
			}
			got, made := m.rewrite(m.config())
			require.Equal(t, []string{"m/a", "m/b", "m/c"}, made)
			require.Equal(t, want, got)
			_, made = m.rewrite(m.config())
			require.Empty(t, made, "made again, and whole")
		})
	}
}

func TestUnitsWithoutKey(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.go"), nil, 0o644))
	own := map[string]bool{"cgo": true, "gone": true, "imports": true, "imports_c": true, "ok": true}
	units := instrument.Units([]instrument.Listed{
		{ImportPath: "std", Fixed: true, CgoFiles: []string{"c.go"}},
		{ImportPath: "cgo", Dir: dir, CgoFiles: []string{"x.go"}},
		{ImportPath: "gone", Dir: dir, GoFiles: []string{"gone.go"}},
		{ImportPath: "ok", Dir: dir, GoFiles: []string{"x.go"}, Imports: []string{"std", "unsafe"}},
		{ImportPath: "imports", Dir: dir, GoFiles: []string{"x.go"}, Imports: []string{"c"}, ImportMap: map[string]string{"c": "vendor/cgo"}},
		{ImportPath: "imports_c", Dir: dir, GoFiles: []string{"x.go"}, Imports: []string{"cgo"}},
	}, own)
	require.Len(t, units, 1)
	require.Equal(t, "ok", units[0].Path)
}

func TestUnitOfVariantAlone(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "h.go"), []byte("package h\n"), 0o666))
	variant := instrument.Listed{ImportPath: "m/p/h [m/p.test]", Dir: dir, ForTest: "m/p", GoFiles: []string{"h.go"}}
	itself := variant
	itself.ImportPath, itself.ForTest = "m/p/h", ""
	paths := map[string]bool{"m/p/h": true}

	alone := instrument.Units([]instrument.Listed{variant}, paths)
	require.Len(t, alone, 1)
	require.Equal(t, "m/p/h", alone[0].Path)
	both, plain := instrument.Units([]instrument.Listed{itself, variant}, paths), instrument.Units([]instrument.Listed{itself}, paths)
	require.Equal(t, plain, both, "built for its own sake, too, it does not depend on the tests of others")
}
