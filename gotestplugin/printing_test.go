package gotestplugin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/library"
	"github.com/racepred/racepred/internal/seam"
)

func TestPackagesThatPrint(t *testing.T) {
	require.False(t, looksAtOutput(map[string]bool{"bytes": true, "ex.com/m/log": true, "log": false}, nil))
	for path, of := range library.Packages {
		if !of.Prints {
			continue
		}
		require.True(t, looksAtOutput(map[string]bool{"bytes": true, path: true}, nil), path)
		require.True(t, looksAtOutput(nil, []*goPackage{{ImportPath: path, Standard: true}}), path)
		require.False(t, looksAtOutput(nil, []*goPackage{{ImportPath: path}}), path)
	}
}

// A package under test cannot have a file replaced twice. What the seam says of packages that print
// may be left out; all else is more important than the rewriter.
func TestPackagesOfTheSeam(t *testing.T) {
	std := func(path string, files ...string) *goPackage {
		return &goPackage{ImportPath: path, Dir: "/go/src/" + path, GoFiles: files, Standard: true}
	}
	tc := &seam.Toolchain{
		Overlay:  map[string]string{"/go/src/testing/testing.go": "/x", "/go/src/fmt/print.go": "/y", "/go/src/runtime/chan.go": "/z"},
		Printing: map[string]bool{"/go/src/fmt/print.go": true},
	}
	gr := &graph{own: []*goPackage{
		std("testing", "allocs.go", "testing.go"), std("fmt", "print.go"), std("runtime", "chan.go"), std("os", "file.go"),
	}}
	require.Equal(t, map[string]string{"testing": "racepred's own version replaces a file of it (testing.go)"}, gr.seam(tc))
}
