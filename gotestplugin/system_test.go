package gotestplugin

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCacheInModule: what a cache within a module has is no package of the module.
func TestCacheInModule(t *testing.T) {
	dir := t.TempDir()
	cache := filepath.Join(dir, "cache")
	for range 2 { // the second time it is there
		require.NoError(t, makeCache(cache))
	}
	for name, text := range map[string]string{"go.mod": "module ex.com/m\n", "m.go": "package m\n", "cache/rewritten/r.go": "package r\n"} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	cmd := exec.Command("go", "list", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "ex.com/m\n", string(out))
}
