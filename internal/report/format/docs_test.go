package format

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../../docs/reports.md")
	require.NoError(t, err)
	for _, f := range formats {
		require.Contains(t, string(text), "| `"+f.Suffix+"` |")
	}
}
