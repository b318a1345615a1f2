package gotestplugin

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/protocol"
)

// TestOriginals: stack traces name files of the toolchain, wherever the writes of the tests end;
// all else stays as it is.
func TestOriginals(t *testing.T) {
	copied := protocol.Copied{Copy: "/cache/go", Original: "/usr/go"}
	const text = "\t/cache/go/src/a.go:3 +0x1\n/cache/go/b\n x\t/cache/go/c\n\t/cache/gone/d\n\n\t/cache\n\t\t/cache/go/e\n\t/cache/go/\t/cache/go/f\n\t/cache"
	const want = "\t/usr/go/src/a.go:3 +0x1\n/cache/go/b\n x\t/cache/go/c\n\t/cache/gone/d\n\n\t/cache\n\t\t/cache/go/e\n\t/usr/go/\t/cache/go/f\n\t/cache"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		o := newOriginals(&out, copied, false)
		for rest := []byte(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
			n, err := o.Write(rest[:min(size, len(rest))])
			require.NoError(t, err)
			require.Equal(t, min(size, len(rest)), n)
		}
		o.flush()
		require.Equal(t, want, out.String())
	}
	var out bytes.Buffer
	o := newOriginals(&out, copied, true)
	for _, line := range []string{
		`{"Action":"output","Output":"\t/cache/go/src/a.go:3 +0x1\n"}` + "\n", `{"Action":"output","Output":"/cache/go/b\n"}` + "\n",
	} {
		_, err := o.Write([]byte(line))
		require.NoError(t, err)
	}
	o.flush()
	require.Equal(t, `{"Action":"output","Output":"\t/usr/go/src/a.go:3 +0x1\n"}`+"\n"+`{"Action":"output","Output":"/cache/go/b\n"}`+"\n", out.String())
}
