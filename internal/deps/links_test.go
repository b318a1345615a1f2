package deps

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var link = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

// TestLinksOfPages checks that what a page links to is there.
func TestLinksOfPages(t *testing.T) {
	pages := 0
	require.NoError(t, filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return filepath.SkipDir
		case filepath.Ext(name) != ".md":
			return nil
		}
		pages++
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if to := m[1]; !strings.Contains(to, "://") {
				_, err := os.Stat(filepath.Join(filepath.Dir(name), filepath.FromSlash(to)))
				require.NoError(t, err, "%s links to %s", name, to)
			}
		}
		return nil
	}))
	require.Greater(t, pages, 10)
}
