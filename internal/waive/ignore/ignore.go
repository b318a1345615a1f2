// Package ignore finds the comments in Go source that say which findings are to be ignored: an
// *ast.File -> the lines that each comment is about.
//
// A comment
//
//	//racepred:ignore REASON
//
// is about its line; about the line after its comment group, if it has a line to itself; or about a
// function, if it is in the function's doc comment.
package ignore

import (
	"bytes"
	"go/ast"
	"go/token"
	"strings"
)

// Prefix begins such a comment.
const Prefix = "//racepred:ignore"

// Comment is one such comment.
type Comment struct {
	Line        int    // where it is
	First, Last int    // the lines that it is about
	Reason      string // "" is a mistake, which each caller reports in its way
}

// About reports whether the comment is about a line.
func (c *Comment) About(line int) bool { return c.First <= line && line <= c.Last }

// In lists the comments of a file, which was parsed from src with its comments. Lines are those of
// the file itself, whatever //line says.
func In(fset *token.FileSet, f *ast.File, src []byte) (all []Comment) {
	if !bytes.Contains(src, []byte(Prefix)) {
		return nil
	}
	functions := map[*ast.CommentGroup]*ast.FuncDecl{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil {
			functions[fn.Doc] = fn
		}
	}
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	for _, group := range f.Comments {
		for _, c := range group.List {
			reason, ok := strings.CutPrefix(c.Text, Prefix)
			if !ok || reason != "" && reason[0] != ' ' && reason[0] != '\t' {
				continue
			}
			at := fset.PositionFor(c.Pos(), false)
			found := Comment{Line: at.Line, First: at.Line, Last: at.Line, Reason: strings.TrimSpace(reason)}
			before := src[at.Offset-(at.Column-1) : at.Offset]
			if fn := functions[group]; fn != nil {
				found.First, found.Last = line(fn.Pos()), line(fn.End())
			} else if len(bytes.TrimSpace(before)) == 0 {
				found.First = line(group.End()) + 1
				found.Last = found.First
			}
			all = append(all, found)
		}
	}
	return all
}
