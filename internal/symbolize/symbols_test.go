package symbolize

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/symbol"
	"github.com/racepred/racepred/internal/trace"
)

// symbols of one rewritten file, and a second file that is registered later.
func symbols() (s *Symbols, register func()) {
	files := []SiteFile{{File: "/m/a.go", Pkg: "m/a", Base: 10, N: 4, Table: "" +
		"3:2\tread\tx\tf\n" +
		"5:9\tmap\tm[k]\tf\n" +
		"7:1\tlock\tc.mu\tf\n" +
		"7:20\tlock\td.mu\tf\n"}}
	s = New(
		func(trace.Stack, func(symbol.Frame) bool) {},
		func(i int) (SiteFile, bool) {
			if i < len(files) {
				return files[i], true
			}
			return SiteFile{}, false
		})
	return s, func() {
		files = append(files, SiteFile{File: "/m/b.go", Pkg: "m/b", Base: 20, N: 1, Table: "1:1\tlock\tmu\tf\n"})
	}
}

func TestSites(t *testing.T) {
	s, register := symbols()
	site, ok := s.Site(10)
	require.True(t, ok)
	require.Equal(t, Site{File: "/m/a.go", Pkg: "m/a", Line: 3, Column: 2, Op: "read", Expr: "x", Func: "f"}, site)
	for _, id := range []trace.Site{0, 9, 14, 20} {
		_, ok = s.Site(id)
		require.False(t, ok, "%d", id)
	}
	require.Equal(t, 1, s.Known())
	register()
	_, ok = s.Site(20)
	require.True(t, ok, "tables come while the program starts")
	require.Equal(t, 2, s.Known())
	s.Elsewhere = func(id trace.Site) Site { return Site{File: "t.txt", Line: int(id)} }
	site, ok = s.Site(99)
	require.True(t, ok)
	require.Equal(t, 99, site.Line)
}

func TestNamesByLine(t *testing.T) {
	s, _ := symbols()
	expr, column := s.At("/m/a.go", 5, "map", "read")
	require.Equal(t, "m[k]", expr)
	require.Equal(t, 9, column)
	expr, _ = s.At("/m/a.go", 7, "lock")
	require.Empty(t, expr, "two locks on the line")
	expr, _ = s.At("/m/a.go", 5, "lock")
	require.Empty(t, expr)
}
