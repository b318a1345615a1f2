package instrument

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// moduleOf makes a directory with these files.
func moduleOf(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	return dir
}

// TestBrokenPlan: a package that the rewriter fails on is left alone, and the packages that call it
// know that.
func TestBrokenPlan(t *testing.T) {
	dir := moduleOf(t, map[string]string{
		"go.mod": "module m\n\ngo 1.25\n",
		"a/a.go": "package a\n\nimport (\n\t\"sync\"\n\n\t\"m/b\"\n)\n\nvar (\n\tmu sync.Mutex\n\tV  int\n)\n\nfunc F() {\n\tmu.Lock()\n\tb.G()\n\tV++\n\tmu.Unlock()\n}\n",
		"b/b.go": "package b\n\nvar V int\n\nfunc G() { V++ }\n",
	})
	rewrite := func() (a, b Package) {
		res, err := Rewrite(Config{Dir: dir, Patterns: []string{"./..."}})
		require.NoError(t, err)
		require.Len(t, res.Packages, 2)
		return res.Packages[0], res.Packages[1]
	}
	a, b := rewrite()
	require.True(t, a.Rewritten && b.Rewritten)
	require.Zero(t, a.Opaque)

	defer func() { decide = Decide }()
	decide = func(src *Source) *Plan {
		if src.Pkg.Path() == "m/b" {
			panic("internal error: out of ideas")
		}
		return Decide(src)
	}
	a, b = rewrite()
	require.True(t, a.Rewritten)
	require.False(t, b.Rewritten)
	require.Contains(t, b.Reason, "out of ideas")
	require.NotZero(t, a.Opaque, "a call of code that is not recorded")
}

// TestCheck: a package whose new form does not compile is left alone. Here the runtime is not the
// recording one, so that is each with something to record.
func TestCheck(t *testing.T) {
	dir := moduleOf(t, map[string]string{
		"go.mod": "module m\n\ngo 1.25\n",
		"a/a.go": "package a\n\nvar V int\n\nfunc F() { V++ }\n",
		"b/b.go": "package b\n\nfunc F() int { return 1 }\n",
	})
	for _, check := range []bool{false, true} {
		res, err := Rewrite(Config{Dir: dir, Patterns: []string{"./..."}, Check: check})
		require.NoError(t, err)
		require.Len(t, res.Packages, 2)
		require.True(t, res.Packages[1].Rewritten)
		require.Equal(t, !check, res.Packages[0].Rewritten)
		require.Equal(t, check, len(res.Files) == 0)
	}
	res, err := Rewrite(Config{Dir: dir, Patterns: []string{"./a"}, Check: true})
	require.NoError(t, err)
	require.Contains(t, res.Packages[0].Reason, "rewritten it would not compile: ")
	require.Contains(t, res.Packages[0].Reason, filepath.Join("a", "a.go")+":5:")
}
