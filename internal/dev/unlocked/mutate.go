package main

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is a function that is to do without one of its locks.
type mutant struct {
	File        string `json:"file"` // in the package's directory
	Func        string `json:"func"`
	Lock        string `json:"lock"` // as written
	First, Last int    // the function's lines
	calls       [][2]int
}

// opposite is what ends what a method begins.
var opposite = map[string]string{"Lock": "Unlock", "RLock": "RUnlock"}

// mutants lists the functions of a package's files, but for tests, that lock something and unlock
// it.
func mutants(dir string) ([]mutant, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var list []mutant
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				list = append(list, mutantsOf(fset, filepath.Base(file), fn)...)
			}
		}
	}
	return list, nil
}

func mutantsOf(fset *token.FileSet, file string, fn *ast.FuncDecl) (list []mutant) {
	calls := map[string]map[string][][2]int{} // what is locked, method, statements
	var order []string
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		var call ast.Expr
		switch s := n.(type) {
		case *ast.ExprStmt:
			call = s.X
		case *ast.DeferStmt:
			call = s.Call
		default:
			return true
		}
		what, method := lockCall(fset, call)
		if what == "" {
			return true
		}
		if calls[what] == nil {
			calls[what] = map[string][][2]int{}
			order = append(order, what)
		}
		calls[what][method] = append(calls[what][method], [2]int{fset.Position(n.Pos()).Offset, fset.Position(n.End()).Offset})
		return true
	})
	for _, what := range order {
		for _, lock := range []string{"Lock", "RLock"} {
			at := calls[what]
			if len(at[lock]) > 0 && len(at[opposite[lock]]) > 0 {
				list = append(list, mutant{
					File: file, Func: fn.Name.Name, Lock: what + "." + lock, calls: slices.Concat(at[lock], at[opposite[lock]]),
					First: fset.Position(fn.Pos()).Line, Last: fset.Position(fn.End()).Line,
				})
			}
		}
	}
	return list
}

// lockCall is what a call without arguments locks or unlocks, as written, and by which method.
func lockCall(fset *token.FileSet, e ast.Expr) (what, method string) {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) > 0 {
		return "", ""
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"Lock", "Unlock", "RLock", "RUnlock"}, sel.Sel.Name) {
		return "", ""
	}
	var b strings.Builder
	if printer.Fprint(&b, fset, sel.X) != nil {
		return "", ""
	}
	return b.String(), sel.Sel.Name
}

// apply writes the file without the calls, and returns what puts it back.
func (m *mutant) apply(dir string) (restore func() error, err error) {
	file := filepath.Join(dir, m.File)
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	text := slices.Clone(src)
	for _, c := range m.calls {
		for i := c[0]; i < c[1]; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	return func() error { return os.WriteFile(file, src, 0o666) }, os.WriteFile(file, text, 0o666)
}
