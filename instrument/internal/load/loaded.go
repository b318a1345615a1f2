package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// File is one file of a package.
type File struct {
	Name   string // absolute
	Bytes  []byte
	Syntax *ast.File
}

// Package is a type-checked package, or the reason why it is left alone.
type Package struct {
	Path, Dir string
	Fset      *token.FileSet
	Types     *types.Package
	Info      *types.Info
	Files     []*File
	Refused   string
	Unit      string // what it is cached with

	Unrecorded map[*types.Func]bool // functions that are not recorded; set by package instrument
}

// Syntax is that of all files.
func (p *Package) Syntax() []*ast.File {
	files := make([]*ast.File, len(p.Files))
	for i, f := range p.Files {
		files[i] = f.Syntax
	}
	return files
}

// FileNames are those of all files, absolute.
func (p *Package) FileNames() []string {
	names := make([]string, len(p.Files))
	for i, f := range p.Files {
		names[i] = f.Name
	}
	return names
}

// LastPart reports whether file number i is the last one that is not a test's, or the last if all
// are.
func (p *Package) LastPart(i int) bool {
	test := func(f *File) bool { return strings.HasSuffix(f.Name, "_test.go") }
	if test(p.Files[i]) {
		return i == len(p.Files)-1 && !slices.ContainsFunc(p.Files, func(f *File) bool { return !test(f) })
	}
	return !slices.ContainsFunc(p.Files[i+1:], func(f *File) bool { return !test(f) })
}

// DeclaresTypes reports whether the package declares types, which may have methods.
func (p *Package) DeclaresTypes() bool {
	scope := p.Types.Scope()
	return slices.ContainsFunc(scope.Names(), func(name string) bool {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		return ok && !obj.IsAlias()
	})
}
