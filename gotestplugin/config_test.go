package gotestplugin

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSettingsAreDocumented: docs/config.md has each of them.
func TestSettingsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/config.md")
	require.NoError(t, err)
	for _, k := range configKeys() {
		require.Regexp(t, "(?m)^\\| .*`"+k.Name+"`.* \\|", string(page))
	}
}
