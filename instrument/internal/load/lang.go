package load

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/version"
	"strings"

	"github.com/racepred/racepred/instrument/internal/edit"
)

// Rewritten code calls generic functions. A module with an old go version may not do so, or not
// with all types: before go1.20, an interface cannot be a map's key in a generic function. A file
// can ask for a newer version in its build constraint, and then gets at least go1.21. What the
// language got since is additions, except for the loop variables of go1.22, and these stay as they
// were.
//
// An existing constraint is extended in its line. One of the older form is translated to a line
// before the file's first, and a line directive restores the numbers of the lines.
const raisedTo = "go1.21"

// undeclared corrects the versions of files whose module has no go version. The go command compiles
// them as go1.16; package packages takes them for the newest if the module is in a workspace.
func undeclared(p *Package) {
	if p.Info == nil {
		return
	}
	for _, f := range p.Files {
		v := "go1.16"
		if tag := f.Syntax.GoVersion; tag != "" {
			v = tag
			if version.Compare(v, raisedTo) < 0 {
				v = raisedTo
			}
		}
		p.Info.FileVersions[f.Syntax] = v
	}
}

// Raise is the edit that lets a file call the generic functions, if it may not yet. fileVersion is
// the version that it is compiled as.
func Raise(f *File, fileVersion string) []edit.Edit {
	if fileVersion == "" || version.Compare(fileVersion, raisedTo) >= 0 {
		return nil
	}
	var old []string // constraints of the older form
	for _, group := range f.Syntax.Comments {
		if group.Pos() > f.Syntax.Package {
			break
		}
		for _, c := range group.List {
			switch {
			case constraint.IsGoBuild(c.Text):
				at := int(c.Pos() - f.Syntax.FileStart)
				x, err := constraint.Parse(c.Text)
				if err != nil {
					return nil // the go command complains in its own words
				}
				return []edit.Edit{{Off: at, Del: len(c.Text), Text: "//go:build (" + x.String() + ") && " + raisedTo}}
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
	if bytes.HasPrefix(f.Bytes, []byte("\xef\xbb\xbf")) {
		at = 3 // nothing may come before a byte order mark
	}
	return []edit.Edit{{Off: at, Text: "//go:build " + expr + "\n\n//line " + f.Name + ":1\n"}}
}

// countsAsConstraint reports whether a +build comment is one: a blank line comes between it and the
// package clause.
func countsAsConstraint(f *File, c *ast.Comment) bool {
	end, pkg := int(c.End()-f.Syntax.FileStart), int(f.Syntax.Package-f.Syntax.FileStart)
	return strings.Contains(string(f.Bytes[end:pkg]), "\n\n")
}
