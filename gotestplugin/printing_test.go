package gotestplugin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPackagesThatPrint(t *testing.T) {
	require.False(t, looksAtOutput(map[string]bool{"bytes": true, "ex.com/m/log": true, "log": false}))
	for _, path := range printing {
		require.True(t, looksAtOutput(map[string]bool{"bytes": true, path: true}), path)
	}
}
