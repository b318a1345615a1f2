package funcname

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinesOf(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	require.Nil(t, LinesOf(file), "it is not there")
	require.NoError(t, os.WriteFile(file, []byte("package a\n\nfunc F() {\n\tx++\n}\n\n//line y.go:1\nfunc (t *T[K]) G() {}\n"), 0o666))
	require.Equal(t, []Lines{{"F", 3, 5}, {"(*T).G", 8, 8}}, LinesOf(file))
	require.NoError(t, os.WriteFile(file, []byte("package"), 0o666))
	require.Nil(t, LinesOf(file), "it does not parse")
}
