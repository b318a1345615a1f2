package deps

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryToolIsListed holds the table of developers' tools to the commands that there are, and
// their first comments to where they lie.
func TestEveryToolIsListed(t *testing.T) {
	table, err := os.ReadFile("../dev/README.md")
	require.NoError(t, err)
	for _, p := range goList(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		if p.Name != "main" || name == "cmd/racepred" || strings.HasPrefix(name, "bench/") {
			continue
		}
		require.Contains(t, string(table), "`go run ./"+name, "internal/dev/README.md lists every tool")
		files, err := filepath.Glob(filepath.Join("../..", filepath.FromSlash(name), "*.go"))
		require.NoError(t, err)
		said := false
		for _, file := range files {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			said = said || strings.Contains(string(src), "//	go run ./"+name)
		}
		require.True(t, said, "the first comment of %s says how it is run", name)
	}
}
