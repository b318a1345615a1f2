package fetch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// goCommand is what the go command answers, without the line's end.
func goCommand(t *testing.T, args ...string) string {
	out, err := exec.Command("go", args...).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// TestModule fetches modules that this one's tests use, from the module cache.
func TestModule(t *testing.T) {
	testify := goCommand(t, "list", "-m", "-f", "{{.Path}}@{{.Version}}", "github.com/stretchr/testify")
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(filepath.Join(goCommand(t, "env", "GOMODCACHE"), "cache", "download")))
	t.Setenv("GOSUMDB", "off")
	dir := t.TempDir()
	to := filepath.Join(dir, "testify")
	require.NoError(t, Module(t.Context(), testify, to))
	f, err := os.OpenFile(filepath.Join(to, "go.mod"), os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err, "the copy may be written to")
	require.NoError(t, f.Close())
	require.ErrorContains(t, Module(t.Context(), "example.com/none@v1.0.0", filepath.Join(dir, "none")), "example.com/none")
}

// TestSplit: the slashes of a module's path part nothing.
func TestSplit(t *testing.T) {
	for target, want := range map[string][2]string{
		"example.com/m/v2@v2.0.0":     {"example.com/m/v2@v2.0.0", ""},
		"example.com/m@v1.0.0/a/b":    {"example.com/m@v1.0.0", "a/b"},
		"example.com/m/v2@v2.0.0/one": {"example.com/m/v2@v2.0.0", "one"},
		"example.com/m":               {"example.com/m", ""},
	} {
		module, sub := Split(target)
		require.Equal(t, want, [2]string{module, sub}, target)
	}
}
