package instrument_test

import (
	"flag"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/internal/dev/fake"
)

var long = flag.Bool("long", false, "rewrite for all versions of the language, and programs without leaving anything out, and compare what is recorded of these with the compiler's own instrumentation, too, as CI does")

// changed are the minor versions from which on aliases, generic code, clear and min, variables of a
// loop's round, functions to range over, and generic methods are there. Each is without what the
// next one has.
var changed = []int{9, 18, 21, 22, 23, 27}

// TestLanguageVersions rewrites testdata/lang in a module of each language version. In package
// tagged, files in a newer language say so in a build constraint; in package plain they are left
// out, and the others say nothing.
func TestLanguageVersions(t *testing.T) {
	dir, paths := languages(t)
	build(t, filepath.Join(dir, "prog"), "plain")
	res, err := instrument.Rewrite(instrument.Config{Dir: dir, Patterns: paths})
	require.NoError(t, err)
	require.Len(t, res.Packages, len(paths))
	for _, p := range res.Packages {
		require.True(t, p.Rewritten, "%s: %s", p.Path, p.Reason)
		if strings.HasSuffix(p.Path, "/tagged") {
			called := calls(res, p)
			require.Empty(t, slices.DeleteFunc(helpers(), func(h string) bool { return slices.Contains(called, h) }), "helpers that %s does not call", p.Path)
		}
	}
	overlay, err := fake.Overlay(t.TempDir(), res.Files, fake.Quiet)
	require.NoError(t, err)
	build(t, filepath.Join(dir, "prog"), "rewritten", "-overlay="+overlay)
	want := execute(t, filepath.Join(dir, "prog", "bin", "plain", "prog"))
	require.Zero(t, want.code, "%s", want.stderr)
	require.Equal(t, want, execute(t, filepath.Join(dir, "prog", "bin", "rewritten", "prog")))
}

// languages makes a workspace of a module for each language version and a program that runs all
// their packages.
func languages(t *testing.T) (dir string, paths []string) {
	dir = t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	files, err := filepath.Glob("testdata/lang/*.go.txt")
	require.NoError(t, err)
	require.Len(t, files, 6)
	lines := []string{""}
	for minor := range newest(t) + 1 {
		if !*long && minor != newest(t) && !slices.Contains(changed, minor) {
			continue
		}
		lines = append(lines, "go 1."+strconv.Itoa(minor))
	}
	var use, imports, runs strings.Builder
	for i, line := range lines {
		mod := "v" + strconv.Itoa(i)
		write(mod+"/go.mod", "module lang.test/"+mod+"\n"+line+"\n")
		fmt.Fprintf(&use, "use ./%s\n", mod)
		for _, pkg := range []string{"tagged", "plain"} {
			path := "lang.test/" + mod + "/" + pkg
			paths = append(paths, path)
			fmt.Fprintf(&imports, "import %s_%s %q\n", pkg, mod, path)
			fmt.Fprintf(&runs, "\tprintln(%q); %s_%s.Run()\n", path, pkg, mod)
			for _, file := range files {
				src, err := os.ReadFile(file)
				require.NoError(t, err)
				name := strings.TrimSuffix(filepath.Base(file), ".txt")
				needs := strings.TrimSuffix(name, ".go")
				switch has := strings.ReplaceAll(line, " ", ""); {
				case needs == "old":
				case pkg == "tagged":
					src = append([]byte("//go:build "+needs+"\n\n"), src...)
				case version.Compare(needs, has) > 0:
					continue
				}
				write(mod+"/"+pkg+"/"+strings.ReplaceAll(name, ".", "")+".go", string(src))
			}
		}
	}
	write("prog/go.mod", "module prog\n\n"+lines[len(lines)-1]+"\n")
	write("prog/main.go", "package main\n\n"+imports.String()+"\nfunc main() {\n"+runs.String()+"}\n")
	write("lib/go.mod", "module lang.test/lib\n")
	write("lib/lib.go", strings.Split(hiddenLib, "type Plain")[0]+"\nfunc New() *Pool { return &Pool{common: &common{deep: deep{bottom: &bottom{}}}} }\n")
	write("go.work", lines[len(lines)-1]+"\n\nuse ./prog\nuse ./lib\n"+use.String())
	return dir, paths
}

// newest is the minor version of the go command's language.
func newest(t *testing.T) int {
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	require.NoError(t, err)
	minor, err := strconv.Atoi(strings.TrimPrefix(version.Lang(strings.TrimSpace(string(out))), "go1."))
	require.NoError(t, err, "%s", out)
	return minor
}

var (
	helperCalled   = regexp.MustCompile(`racepred_runtime\.(Racepred\w+)`)
	helperDeclared = regexp.MustCompile(`(?m)^func (Racepred\w+)`)
)

// calls lists the helpers that a package's rewritten files call.
func calls(res *instrument.Result, p instrument.Package) (names []string) {
	for _, f := range p.Files {
		for _, m := range helperCalled.FindAllSubmatch(res.Files[f], -1) {
			names = append(names, string(m[1]))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func helpers() (names []string) {
	for _, m := range helperDeclared.FindAllSubmatch(instrument.HelperSource(), -1) {
		names = append(names, string(m[1]))
	}
	return names
}
