package seam

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExperimentsThatAllocateUnannotatedAreOff(t *testing.T) {
	byDefault := t.TempDir()
	dir := filepath.Join(byDefault, "src", "internal", "buildcfg")
	require.NoError(t, os.MkdirAll(dir, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "exp.go"), []byte("baseline := goexperiment.Flags{\n\tSizeSpecializedMalloc: true,\n}\n"), 0o666))
	for _, c := range []struct{ goroot, chosen, want string }{
		{t.TempDir(), "sizespecializedmalloc", "sizespecializedmalloc,nosizespecializedmalloc"},
		{t.TempDir(), "jsonv2,runtimefreegc", "jsonv2,runtimefreegc,noruntimefreegc"},
		{byDefault, "", "nosizespecializedmalloc"},
		{byDefault, "jsonv2", "jsonv2,nosizespecializedmalloc"},
		{t.TempDir(), "jsonv2", ""},
		{t.TempDir(), "nosizespecializedmalloc", ""},
	} {
		require.Equal(t, c.want, experiments(Config{GOROOT: c.goroot, GOEXPERIMENT: c.chosen}), c.chosen)
	}
}
