package instrument

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/version"
	"strings"
)

// Rewritten code calls generic functions, which a module that says an old go
// version may not, or not with all types: before go1.20, an interface is no key of a map in a
// generic function. A file can ask for a newer version in its build constraint, and gets
// at least go1.21 then; everything since is an addition, but for the loop
// variables of go1.22, which this keeps as they were.
//
// An existing constraint is extended in its line; older ones are translated to
// a line before the file's first, and a line directive puts that right.
const raisedTo = "go1.21"

// undeclared puts the versions of files right whose module says none: the go command compiles them as go1.16 then, and
// package packages takes them for the newest, where the module is one of a workspace.
func undeclared(p *loadedPackage) {
	if p.info == nil {
		return
	}
	for _, f := range p.files {
		v := "go1.16"
		if tag := f.syntax.GoVersion; tag != "" {
			v = tag
			if version.Compare(v, raisedTo) < 0 {
				v = raisedTo
			}
		}
		p.info.FileVersions[f.syntax] = v
	}
}

// raise is the edit that lets the file call the generic functions, if it may not yet. fileVersion is the one it is compiled as.
func raise(f *sourceFile, fileVersion string) []Edit {
	if fileVersion == "" || version.Compare(fileVersion, raisedTo) >= 0 {
		return nil
	}
	var old []string // constraints of the older form
	for _, group := range f.syntax.Comments {
		if group.Pos() > f.syntax.Package {
			break
		}
		for _, c := range group.List {
			switch {
			case constraint.IsGoBuild(c.Text):
				at := int(c.Pos() - f.syntax.FileStart)
				x, err := constraint.Parse(c.Text)
				if err != nil {
					return nil // the go command complains in its own words
				}
				return []Edit{{Off: at, Del: len(c.Text), Text: "//go:build (" + x.String() + ") && " + raisedTo}}
			case constraint.IsPlusBuild(c.Text) && countsAsConstraint(f, c):
				old = append(old, c.Text)
			}
		}
	}
	expr := raisedTo
	for _, line := range old {
		x, err := constraint.Parse(line)
		if err != nil {
			continue // ignored by the go command, too
		}
		expr = "(" + x.String() + ") && " + expr
	}
	at := 0
	if bytes.HasPrefix(f.bytes, []byte("\xef\xbb\xbf")) {
		at = 3 // nothing may come before a byte order mark
	}
	return []Edit{{Off: at, Text: "//go:build " + expr + "\n\n//line " + f.name + ":1\n"}}
}

// countsAsConstraint reports whether a +build comment is one: a blank line comes between it and the package clause.
func countsAsConstraint(f *sourceFile, c *ast.Comment) bool {
	end, pkg := int(c.End()-f.syntax.FileStart), int(f.syntax.Package-f.syntax.FileStart)
	return strings.Contains(string(f.bytes[end:pkg]), "\n\n")
}
