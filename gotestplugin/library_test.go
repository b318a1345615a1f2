package gotestplugin

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLibraryIsRecorded holds the table to the toolchain's packages: each name in it is one of them, and all others are recorded.
func TestLibraryIsRecorded(t *testing.T) {
	list := func(args ...string) []string {
		out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
		require.NoError(t, err)
		return strings.Fields(string(out))
	}
	all := list("std")
	gr := &graph{}
	for line := range strings.Lines(strings.Join(list("-f", `{{.ImportPath}}={{join .Imports ","}}`, "std"), "\n")) {
		path, imports, _ := strings.Cut(strings.TrimSpace(line), "=")
		gr.packages = append(gr.packages, &goPackage{ImportPath: path, Standard: true, Imports: strings.Split(imports, ",")})
	}
	for path, why := range unrecordedLibrary {
		require.Contains(t, all, path, "the toolchain has no such package")
		require.NotEmpty(t, why, path)
	}
	for _, path := range printing {
		require.Contains(t, unrecordedLibrary, path, "it may share its state only while nobody records it")
	}
	recorded := ofLibrary(gr)
	below := list("-deps", "runtime")
	for _, path := range all {
		_, left := unrecordedLibrary[path]
		left = left || slices.Contains(below, path) || underRuntime(path)
		require.Equal(t, !left, slices.Contains(recorded, path), path)
	}
	require.Contains(t, recorded, "regexp")
	require.Contains(t, recorded, "reflect")
	require.Greater(t, len(recorded), len(all)/2)
}

// TestLibraryUnderTest: what is under test the rewriter records, whatever package it is.
func TestLibraryUnderTest(t *testing.T) {
	own := pkg("bytes", std)
	gr := &graph{packages: []*goPackage{pkg("runtime", std), own, pkg("regexp", std)}, own: []*goPackage{own}}
	require.Equal(t, []string{"regexp"}, ofLibrary(gr))
}
