package gotestplugin

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/library"
)

// TestLibraryIsRecorded: of the toolchain's packages, all are recorded but those of which package
// library says otherwise.
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
	recorded := ofLibrary(gr)
	below := list("-deps", "runtime")
	for _, path := range all {
		of := library.OfPackage(path)
		left := of.Unrecorded != "" || of.Runtime || slices.Contains(below, path)
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
