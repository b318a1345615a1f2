package instrument_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument"
)

// bare has functions that are not recorded, or that are when the directives are taken away.
const bare = `package a

type A struct{ X int }

type B[T any] struct{ X T }

//go:nosplit
func F(a *A) { a.X = 1 }

//go:nosplit
func (a *A) M() { a.X = 2 }

//go:norace
func (b *B[K]) M(k K) { b.X = k }

//go:nosplit
func (a A) V() int { return a.X }

func Recorded(a *A) { a.X = 3 }
`

// TestForeignUnrecorded calls functions of another package that are not recorded although that
// package is rewritten.
func TestForeignUnrecorded(t *testing.T) {
	opaque := func(res *instrument.Result, path string) int {
		for _, p := range res.Packages {
			if p.Path == path {
				return p.Opaque
			}
		}
		require.Fail(t, "no package "+path)
		return 0
	}
	calls := func(m *cached, more string) {
		m.write("b/b.go", "package b\n\nimport \"m/a\"\n\nfunc G(x *a.A, y *a.B[string]) int { a.F(x); x.M(); y.M(\"\"); a.Recorded(x); return x.V() }\n"+more)
		m.write("b/x_test.go", "package b_test\n\nimport \"m/a\"\n\nvar w a.A\n\nfunc init() { w.M() }\n")
	}
	m := newCached(t)
	m.write("a/a.go", strings.NewReplacer("//go:nosplit\n", "", "//go:norace\n", "").Replace(bare))
	calls(m, "")
	res, _ := m.rewrite(m.config())
	require.Equal(t, 0, opaque(res, "m/b"))
	require.Equal(t, 0, opaque(res, "m/b_test"))

	m.write("a/a.go", bare)
	for _, more := range []string{"", "\nvar V int\n"} { // what a leaves out comes from its source, then from the cache
		calls(m, more)
		res, made := m.rewrite(m.config())
		require.Contains(t, made, "m/b")
		require.Equal(t, more == "", strings.Contains(strings.Join(made, " "), "m/a"))
		require.Equal(t, 4, opaque(res, "m/b"))
		require.Equal(t, 1, opaque(res, "m/b_test"))
	}
}
