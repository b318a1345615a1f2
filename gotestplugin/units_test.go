package gotestplugin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnitCache(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "x.go")
	require.NoError(t, os.WriteFile(source, []byte("package x\n"), 0o666))
	in := func(p *goPackage) { p.Dir, p.GoFiles = dir, []string{"x.go"} }
	imports := func(paths ...string) func(*goPackage) {
		return func(p *goPackage) { p.Imports = paths }
	}
	own := pkg("m/own", in, imports("m/fixed", "fmt"))
	inGoroot := pkg("strings", std, in)
	broken := pkg("m/broken", in, func(p *goPackage) { p.Error = &struct{}{} })
	gr := &graph{
		packages: []*goPackage{
			pkg("fmt", std, func(p *goPackage) { p.Dir, p.GoFiles = "/goroot/fmt", []string{"gone.go"} }),
			pkg("m/fixed", func(p *goPackage) { p.Dir, p.GoFiles = "/mod/m@v1", []string{"gone.go"} }),
			own, inGoroot, broken,
		},
		own: []*goPackage{own, inGoroot, broken},
	}
	keys := func(change func(j *job)) (salt string, keys map[string]string) {
		j := &job{args: &args{}, graph: gr, goEnv: goEnv{GOMODCACHE: "/mod", GOVERSION: "go1.26.0"}, cache: dir}
		change(j)
		c := j.unitCache(j.goCmd, []string{"m/own", "strings", "m/broken"})
		keys = map[string]string{}
		for _, u := range c.Units {
			keys[u.Path] = u.Key
		}
		return c.Salt, keys
	}
	salt, first := keys(func(*job) {})
	require.Len(t, first, 2, "what cannot be loaded has no key; the library and the module cache need not be read")
	other, _ := keys(func(j *job) { j.goEnv.GOVERSION = "go1.26.1" })
	require.NotEqual(t, salt, other)
	other, _ = keys(func(j *job) { j.args.load = []string{"-tags=x"} })
	require.NotEqual(t, salt, other)

	require.NoError(t, os.WriteFile(source, []byte("package x // changed\n"), 0o666))
	_, second := keys(func(*job) {})
	require.NotEqual(t, first["m/own"], second["m/own"])
	require.NotEqual(t, first["strings"], second["strings"], "a package under test is read, of the library, too")

	j := &job{args: &args{overlay: "o.json"}, graph: gr}
	require.Nil(t, j.unitCache(j.goCmd, []string{"m/own"}))
}
