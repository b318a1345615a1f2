package seam

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/funcname"
)

// names are those of the functions of a file, as they are in a profile, without type arguments.
func names(t *testing.T, pkg string, src []byte) (list []string) {
	tree, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			list = append(list, pkg+"."+funcname.InTrace(fn))
		}
	}
	return list
}

// TestProfileFits: most of what the profile says is of functions that there are. If not, the engine
// has changed since, and `go run ./internal/dev/profile` makes another one.
func TestProfileFits(t *testing.T) {
	files, err := Files(build.Default.GOROOT)
	require.NoError(t, err)
	there := map[string]bool{}
	for p, b := range files {
		if strings.HasPrefix(p, virtual+"/") && strings.HasSuffix(p, ".go") {
			for _, name := range names(t, path.Dir(p), b) {
				there[name] = true
			}
		}
	}
	lines := strings.Split(strings.TrimSuffix(string(profile), "\n"), "\n")
	types, closure := regexp.MustCompile(`\[.*\]`), regexp.MustCompile(`(\.func\d+|\.\d+|-range\d+)+$`)
	plain := func(name string) string { return closure.ReplaceAllString(types.ReplaceAllString(name, ""), "") }
	all, found := 0, 0
	var gone []string
	for ; len(lines) > 3; lines = lines[3:] {
		var line, weight int
		_, err := fmt.Sscan(lines[3], &line, &weight)
		require.NoError(t, err)
		if all += weight; there[plain(lines[1])] && there[plain(lines[2])] {
			found += weight
		} else {
			gone = append(gone, fmt.Sprintf("%s calls %s (%d)", lines[1], lines[2], weight)) // or a name of a closure that was inlined
		}
	}
	require.Positive(t, all)
	require.Greater(t, found*10, all*9, "not there any more: %s", strings.Join(gone, "; "))
}

// TestProfileIsPartOfTheSeam: another profile is another seam, since the go command knows a profile
// by its name only.
func TestProfileIsPartOfTheSeam(t *testing.T) {
	files := map[string][]byte{"runtime/race0.go": []byte("package runtime")}
	require.NotEqual(t, digest("/go", files, []byte("a")), digest("/go", files, []byte("b")))
	dir := t.TempDir()
	tc, err := Prepare(Config{GOROOT: build.Default.GOROOT, GOVERSION: "go", CacheDir: dir})
	require.NoError(t, err)
	b, err := os.ReadFile(tc.Profile)
	require.NoError(t, err)
	require.Equal(t, profile, b)
}
