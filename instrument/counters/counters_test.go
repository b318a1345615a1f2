package counters

import (
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const original = `package p // p

func f(n int) int {
	if n > 1 {
		return 1
	} else /* else */ if n > 0 { n++ } else{ n-- }
L:
	n++
	for i := 0; i < n; i++ { switch { case i > 1: n++; default: } }
	if n > 5 { goto L }
	if g() > 0 {} else {}
	select { default: }
	return func() int { return n }()
}

func _() { if true {} else {} }

func empty() {}

var g = func() int { if true { return 1 } else {}; return 2 }
`

// cover runs the cover tool as the go command does.
func cover(t *testing.T, mode, variable, pkg string, files ...string) (covered []string) {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "pkgcfg")
	require.NoError(t, os.WriteFile(config, []byte(`{"OutConfig":"`+filepath.ToSlash(filepath.Join(dir, "out"))+
		`","PkgPath":"ex.com/`+pkg+`","PkgName":"`+pkg+`","Granularity":"perblock"}`), 0o666))
	list := []string{filepath.Join(dir, "vars.go")}
	for _, f := range files {
		list = append(list, filepath.Join(dir, filepath.Base(f)))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "list"), []byte(strings.Join(list, "\n")), 0o666))
	args := append([]string{"tool", "cover", "-pkgcfg", config, "-mode", mode, "-var", variable, "-outfilelist", filepath.Join(dir, "list")}, files...)
	out, err := exec.Command("go", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return list[1:]
}

// template is the original with slots: what the rewriter makes of a file without anything to
// record.
func template(t *testing.T, src []byte) []byte {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	require.NoError(t, err)
	var b strings.Builder
	at := 0
	for _, slot := range Slots(fset.File(f.FileStart), f, src) {
		b.Write(src[at:slot])
		b.WriteString(Slot(slot))
		at = slot
	}
	b.Write(src[at:])
	return []byte(b.String())
}

// joins requires that a covered file, read and filled into the original with slots, is as it was.
func joins(t *testing.T, name, covered, mode, variable string) *File {
	t.Helper()
	src, err := os.ReadFile(name)
	require.NoError(t, err)
	want, err := os.ReadFile(covered)
	require.NoError(t, err)
	f, err := Read(src, want, mode, variable)
	require.NoError(t, err, name)
	got, err := Fill(template(t, src), f)
	require.NoError(t, err, name)
	require.Equal(t, string(want), string(got), name)
	return f
}

func TestModes(t *testing.T) {
	for _, mode := range []string{"set", "count", "atomic", "regonly"} {
		t.Run(mode, func(t *testing.T) {
			for _, pkg := range []string{"p", "main"} {
				name := filepath.Join(t.TempDir(), "p.go")
				require.NoError(t, os.WriteFile(name, []byte(original), 0o666))
				f := joins(t, name, cover(t, mode, "goCover_0123456789ab_", pkg, name)[0], mode, "goCover_0123456789ab_")
				if mode != "regonly" {
					require.Greater(t, len(f.Insertions), 15)
				}
			}
		})
	}
}

// TestLibrary joins files of the standard library.
func TestLibrary(t *testing.T) {
	for _, pkg := range []string{"encoding/json", "net/http", "go/parser", "runtime", "sync/atomic", "text/template", "container/list"} {
		names, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", pkg, "*.go"))
		require.NoError(t, err)
		names = slices.DeleteFunc(names, func(n string) bool { return strings.HasSuffix(n, "_test.go") })
		require.NotEmpty(t, names)
		for i, covered := range cover(t, "count", "goCover_x_", "p", names...) {
			joins(t, names[i], covered, "count", "goCover_x_")
		}
	}
}

func TestRefused(t *testing.T) {
	const src = "package p\n\nfunc f() { if true {} else {} }\n"
	for name, covered := range map[string]string{
		"no head":        src,
		"unknown":        "//line p.go:1:1\npackage p\n\nfunc f() { x(); if true {} else{ {}} }\n",
		"other variable": "//line p.go:1:1\npackage p\n\nfunc f() {goCover_b_0[1] = 1; if true {} else{ {}} }\n",
		"no brace":       "//line p.go:1:1\npackage p\n\nfunc f() { if true {} else {} }\n",
		"too short":      "//line p.go:1:1\npackage p\n\nfunc f() { if true {} else{ {}}",
	} {
		_, err := Read([]byte(src), []byte(covered), "set", "goCover_a_")
		require.Error(t, err, name)
	}
	_, err := Fill([]byte("package p"+Slot(9)), &File{Insertions: []Insertion{{9, "; import x"}, {20, "x_0[1] = 1;"}}})
	require.ErrorContains(t, err, "no place for \"x_0[1] = 1;\" at offset 20")
	_, err = Fill([]byte("package p\x00x\x00"), &File{})
	require.ErrorContains(t, err, "internal error")
}

func TestComplete(t *testing.T) {
	text := []byte("a" + Slot(1) + "b" + Slot(20))
	require.True(t, Complete(text, []int{1, 20}))
	require.True(t, Complete(text, nil))
	require.False(t, Complete(text, []int{1, 2, 20}))
}

func TestStrip(t *testing.T) {
	require.Equal(t, original, string(Strip(template(t, []byte(original)))))
	require.Equal(t, original, string(Strip([]byte(original))))
}
