package gotestplugin

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCompilerCrash: a crash is seen in whatever pieces its message comes, and errors of the
// program are none.
func TestCompilerCrash(t *testing.T) {
	for _, c := range []struct {
		text    string
		crashed bool
	}{
		{"# ex.com/m\n./a.go:14:188: internal compiler error: 'f': bad ptr to array in slice\n\nPlease file a bug report\n", true},
		{"# ex.com/m\n./a.go:14:188: undefined: internal\n./a.go:15:1: compiler error\n", false},
	} {
		for size := 1; size <= len(c.text); size++ {
			var out bytes.Buffer
			f := &crashFinder{to: &out}
			for rest := []byte(c.text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
				n, err := f.Write(rest[:min(size, len(rest))])
				require.NoError(t, err)
				require.Equal(t, min(size, len(rest)), n)
			}
			require.Equal(t, c.text, out.String())
			require.Equal(t, c.crashed, f.crashed, "pieces of %d bytes", size)
		}
	}
	w := newWatcher(&bytes.Buffer{}, true)
	_, err := w.Write([]byte(`{"ImportPath":"ex.com/m","Action":"build-output","Output":"./a.go:14:188: internal compiler error: 'f'\n"}` + "\n"))
	require.NoError(t, err)
	require.True(t, w.crashed)
	require.True(t, strings.HasSuffix(crashHint(instrumentAuto), "may build"))
	require.NotContains(t, crashHint(instrumentCompiler), "-instrument")
}
