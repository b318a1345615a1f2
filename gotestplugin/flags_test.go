package gotestplugin

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

// timeless replaces durations, time stamps and temporary directories.
func timeless(s string) string {
	s = regexp.MustCompile(`\d+\.\d+s|"Time":"[^"]*"|"Elapsed":[0-9.e-]+`).ReplaceAllString(s, "T")
	return regexp.MustCompile(`\(T\)|\tT`).ReplaceAllString(s, " T")
}

func goRoot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// helpFlags are the flags a help text of the go command lists, at its left margin.
func helpFlags(t *testing.T, topic, indent string) []string {
	t.Helper()
	out, err := exec.Command("go", "help", topic).Output()
	require.NoError(t, err)
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^`+indent+`-([a-zA-Z]+)(?:$| )`).FindAllStringSubmatch(string(out), -1) {
		names = append(names, m[1])
	}
	return names
}

// TestFlagsAreTheToolchains compares the table with what the go command
// documents: a flag missing here would end up as an argument of the test binary.
func TestFlagsAreTheToolchains(t *testing.T) {
	owners := map[string][]owner{
		"build":    {ownBuild},
		"test":     {ownTest, ownBuild},
		"testflag": {ownBinary, ownTest, ownBuild},
	}
	documented := map[string]bool{}
	for topic, indent := range map[string]string{"build": "\t", "test": "\t", "testflag": "\t"} {
		names := helpFlags(t, topic, indent)
		require.NotEmpty(t, names, "go help %s", topic)
		for _, name := range names {
			if name == "args" {
				continue
			}
			documented[name] = true
			f, ok := lookupFlag(name)
			require.True(t, ok, "go help %s has -%s", topic, name)
			if f.owner == ownRacepred { // the binary's flag needs its prefix
				f, ok = lookupFlag("test." + name)
				require.True(t, ok && f.shadowed(), "go help %s has -%s", topic, name)
			}
			require.Contains(t, owners[topic], f.owner, "-%s of go help %s", name, topic)
		}
	}
	undocumented := []string{"debug-actiongraph", "debug-runtime-trace", "debug-trace"}
	for _, f := range flagTable {
		if f.owner != ownRacepred && !slices.Contains(undocumented, f.name) {
			require.True(t, documented[f.name], "-%s is in the table, but not in the go command's help", f.name)
		}
	}
}

// TestBooleanFlags asks the go command which flags take a value: a boolean
// flag accepts -x=true and rejects -x=bogus, one with a value complains when nothing follows.
func TestBooleanFlags(t *testing.T) {
	dir := t.TempDir()
	for _, f := range flagTable {
		if f.owner == ownRacepred || f.name == "C" {
			continue
		}
		cmd := exec.Command("go", "test", "-"+f.name)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=")
		out, _ := cmd.CombinedOutput()
		needsValue := strings.Contains(string(out), "flag needs an argument")
		require.Equal(t, !f.boolean, needsValue, "go test -%s: %s", f.name, out)
	}
}

func TestFlagTableIsSortedByOwnerAndName(t *testing.T) {
	require.True(t, slices.IsSortedFunc(flagTable, func(a, b flagSpec) int {
		if a.owner != b.owner {
			return int(a.owner) - int(b.owner)
		}
		return strings.Compare(a.name, b.name)
	}))
}

// TestOwnFlagsDoNotShadow keeps racepred's flags out of the go command's way; the one exception
// can be given with its prefix.
func TestOwnFlagsDoNotShadow(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range flagTable {
		if f.name == "trace" && f.shadowed() {
			continue
		}
		require.False(t, seen[f.name], "-%s twice", f.name)
		seen[f.name] = true
		require.Equal(t, f.owner == ownRacepred, f.help != "", "-%s", f.name)
	}
}

// TestDefaultVet compares with the go command's source.
func TestDefaultVet(t *testing.T) {
	name := filepath.Join(goRoot(t), "src", "cmd", "go", "internal", "test", "test.go")
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	require.NoError(t, err)
	var want []string
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != "defaultVetFlags" {
			return true
		}
		for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
			s, err := strconv.Unquote(e.(*ast.BasicLit).Value)
			require.NoError(t, err)
			want = append(want, strings.TrimPrefix(s, "-"))
		}
		return false
	})
	require.Equal(t, want, defaultVet(runtime.Version()))
}

func TestCheckSupported(t *testing.T) {
	for _, v := range []string{"go1.25", "go1.25.5", "go1.26.8", "go1.26rc1", "go1.26-custom", "go1.26.0 X:nodwarf5", "go1.27.4-X:nodwarf5", runtime.Version()} {
		require.NoError(t, checkSupported(v), v)
	}
	for _, v := range []string{"go1.24.9", "go1.2", "go1.250", "go1.28.0", "devel go1.28-abc"} {
		require.ErrorContains(t, checkSupported(v), "Go 1.25, 1.26 or 1.27", v)
	}
}

func TestBuiltBefore(t *testing.T) {
	require.Empty(t, builtBefore(runtime.Version()))
	require.Empty(t, builtBefore("go1.25.5"))
	require.Contains(t, builtBefore("go1.99.1-X:nodwarf5"), "GOTOOLCHAIN=go1.99.1")
}

func TestBefore(t *testing.T) {
	for _, v := range []string{"go1.25", "go1.25.5", "go1.26rc1", "go1.26-custom", "go1.26.0 X:nodwarf5", "go1.26.4-X:nodwarf5"} {
		require.True(t, before(v, "go1.27"), v)
	}
	for _, v := range []string{"go1.27rc1", "go1.27", "go1.27.4-X:nodwarf5"} {
		require.False(t, before(v, "go1.27"), v)
	}
}
