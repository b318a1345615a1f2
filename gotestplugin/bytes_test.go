package gotestplugin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestByteCount(t *testing.T) {
	for text, want := range map[string]int{"16777216": 16 << 20, "16384KiB": 16 << 20, "512MiB": 512 << 20, "2GiB": 2 << 30} {
		var b byteCount
		require.NoError(t, b.Set(text), text)
		require.Equal(t, want, int(b), text)
	}
	for _, text := range []string{"", "1", "1MiB", "-1GiB", "1GB", "GiB", "1.5GiB", "9999999999999GiB"} {
		var b byteCount
		require.Error(t, b.Set(text), text)
	}
}
