package funcname

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// Lines are those of a function in its file, the first and the last one among them. Comments //line
// do not change them.
type Lines struct {
	Name        string // as InTrace has it
	First, Last int
}

// LinesOf are the functions that a file declares, in its order. A file that cannot be read or
// parsed has none.
func LinesOf(file string) (list []Lines) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			list = append(list, Lines{InTrace(fn), line(fn.Pos()), line(fn.End())})
		}
	}
	return list
}
