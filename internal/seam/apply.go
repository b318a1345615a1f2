package seam

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/funcname"
)

// apply makes the edits of f in src, the text of f.Path.
func apply(f file, src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.Path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	type change struct {
		at, end int
		text    string
	}
	var changes []change
	for i, e := range slices.Concat(f.Edits, f.Optional) {
		optional := i >= len(f.Edits)
		lo, hi := 0, len(src)
		if e.Func != "" {
			fn := findFunc(tree, e.Func)
			if fn == nil || fn.Body == nil {
				return nil, fmt.Errorf("%s: this toolchain has no function %s", f.Path, e.Func)
			}
			lo, hi = fset.Position(fn.Body.Pos()).Offset, fset.Position(fn.Body.End()).Offset
		}
		if e.Old == "" {
			changes = append(changes, change{lo + 1, lo + 1, " " + e.New + ";"})
			continue
		}
		n := 0
		for at := lo; ; n++ {
			i := strings.Index(string(src[at:hi]), e.Old)
			if i < 0 {
				break
			}
			changes = append(changes, change{at + i, at + i + len(e.Old), e.New})
			at += i + len(e.Old)
		}
		if n == 0 && !optional {
			return nil, fmt.Errorf("%s: %s of this toolchain does not have %q", f.Path, orFile(e.Func), e.Old)
		}
	}
	for _, imp := range f.Imports {
		if !imports(tree, imp) {
			at := fset.Position(tree.Name.End()).Offset
			changes = append(changes, change{at, at, fmt.Sprintf("; import %q", imp)})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return a.at - b.at })
	var out strings.Builder
	last := 0
	for _, c := range changes {
		if c.at < last {
			return nil, fmt.Errorf("internal error: %s: edits overlap at offset %d", f.Path, c.at)
		}
		out.Write(src[last:c.at])
		out.WriteString(c.text)
		last = c.end
	}
	out.Write(src[last:])
	return []byte(out.String()), nil
}

func orFile(fn string) string {
	if fn == "" {
		return "the file"
	}
	return fn
}

// findFunc finds a function by its name as in a stack trace, without the package.
func findFunc(tree *ast.File, name string) *ast.FuncDecl {
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && funcname.InTrace(fn) == name {
			return fn
		}
	}
	return nil
}

// imports reports whether the file can use the package by its own name.
func imports(tree *ast.File, path string) bool {
	return slices.ContainsFunc(tree.Imports, func(s *ast.ImportSpec) bool { return s.Name == nil && s.Path.Value == `"`+path+`"` })
}
