package load

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument/internal/edit"
)

func TestOldFilesAreRaised(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"no constraint": {
			"// Package p.\npackage p\n",
			"//go:build go1.21\n\n//line /m/p.go:1\n// Package p.\npackage p\n"},
		"constraint": {
			"//go:build linux || darwin\n// +build linux darwin\n\npackage p\n",
			"//go:build (linux || darwin) && go1.21\n// +build linux darwin\n\npackage p\n"},
		"older constraints": {
			"// +build linux darwin\n// +build !cgo\n\npackage p\n",
			"//go:build (!cgo) && (linux || darwin) && go1.21\n\n//line /m/p.go:1\n// +build linux darwin\n// +build !cgo\n\npackage p\n"},
		"not a constraint": {
			"// +build linux\npackage p\n",
			"//go:build go1.21\n\n//line /m/p.go:1\n// +build linux\npackage p\n"},
		"byte order mark": {
			"\xef\xbb\xbfpackage p\n",
			"\xef\xbb\xbf//go:build go1.21\n\n//line /m/p.go:1\npackage p\n"},
	} {
		t.Run(name, func(t *testing.T) {
			fset := token.NewFileSet()
			syntax, err := parser.ParseFile(fset, "/m/p.go", c.src, parser.ParseComments)
			require.NoError(t, err)
			f := &File{Name: "/m/p.go", Bytes: []byte(c.src), Syntax: syntax}
			got := edit.Apply(f.Bytes, 0, Raise(f, "go1.20"))
			require.Equal(t, c.want, got)
			require.Empty(t, Raise(f, "go1.21"))
			require.Empty(t, Raise(f, ""))

			again := token.NewFileSet()
			out, err := parser.ParseFile(again, "out.go", got, parser.ParseComments)
			require.NoError(t, err)
			require.Equal(t, "go1.21", out.GoVersion)
			require.Equal(t, fset.Position(syntax.Name.Pos()).Line, again.Position(out.Name.Pos()).Line)
			require.True(t, strings.HasPrefix(firstConstraint(out), "//go:build "))
		})
	}
}

func firstConstraint(f *ast.File) string {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if constraint.IsGoBuild(c.Text) {
				return c.Text
			}
		}
	}
	return ""
}
