package load

import (
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// tree writes files below a new directory and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	return dir
}

func config(dir string) packages.Config {
	return packages.Config{
		Dir: dir, Env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off"), Tests: true, Fset: token.NewFileSet(),
		Mode: metadata | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}
}

// q imports p, and the external test of p imports both: it gets q in a variant that imports p with
// its tests.
var around = map[string]string{
	"go.mod":        "module ex.com/m\n\ngo 1.26\n",
	"p/p.go":        "package p\n\nimport \"strings\"\n\ntype T struct{ B strings.Builder }\n\nfunc Get(s []int) int { return s[0] }\n",
	"p/in_test.go":  "package p\n\nfunc ForTests() *T { return new(T) }\n",
	"p/out_test.go": "package p_test\n\nimport (\n\t\"testing\"\n\n\t\"ex.com/m/p\"\n\t\"ex.com/m/q\"\n)\n\nfunc TestP(*testing.T) { q.Use(p.ForTests()) }\n",
	"q/q.go":        "package q\n\nimport \"ex.com/m/p\"\n\nfunc Use(t *p.T) { t.B.Reset() }\n",
}

func typedIn(t *testing.T, dir string, patterns ...string) (map[string]*packages.Package, bool) {
	cfg := config(dir)
	cfg.ParseFile = (&sources{bytes: map[string][]byte{}}).parse
	pkgs, ok := typed(cfg, patterns)
	found := map[string]*packages.Package{}
	for _, p := range pkgs {
		found[p.PkgPath] = p
	}
	return found, ok
}

func TestTyped(t *testing.T) {
	dir := tree(t, around)
	for _, pattern := range []string{"./...", "./p"} { // q is named, or only imported
		found, ok := typedIn(t, dir, pattern)
		require.True(t, ok)
		p, out := found["ex.com/m/p"], found["ex.com/m/p_test"]
		require.Len(t, p.Syntax, 2) // with the internal test
		require.NotNil(t, p.Types.Scope().Lookup("ForTests"))
		var used types.Object
		for id, obj := range out.TypesInfo.Uses {
			if id.Name == "Use" {
				used = obj
			}
		}
		param := used.Type().(*types.Signature).Params().At(0).Type().(*types.Pointer).Elem()
		require.Same(t, p.Types.Scope().Lookup("T"), param.(*types.Named).Obj())
		require.Equal(t, pattern == "./...", found["ex.com/m/q"] != nil)
	}
}

// Where anything is wrong, go/packages has the words for it.
func TestTypedGivesUp(t *testing.T) {
	for name, text := range map[string]string{
		"q/q.go":       "package q\n\nfunc Use(t *p.T) {}\n",
		"q/broken.go":  "package q\n\nfunc {\n",
		"q/missing.go": "package q\n\nimport _ \"ex.com/m/nowhere\"\n",
		"p/p.go":       "package p\n\nfunc Get() int { return \"\" }\n",
	} {
		dir := tree(t, around)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
		_, ok := typedIn(t, dir, "./...")
		require.False(t, ok, name)
	}
}
