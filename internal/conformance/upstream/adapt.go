// Package upstream turns the toolchain's race tests, runtime/race/testdata, into
// a module of their own that builds without the race build tag:
//
//	(A1) a file that imports "C", or a package internal to the standard library
//	     that has no public twin, is left out, as is one whose build constraints
//	     do not hold
//	(A2) internal/synctest becomes testing/synctest, and
//	     Replace: synctest.Run(func() { ... })
//	     with:    synctest.Test(t, func(*testing.T) { ... })
//	(A3) calls of runtime.RaceDisable and RaceEnable, which exist under the race
//	     tag only, are removed
//
// All other files are copied as they are. The copies are temporary; they are
// not part of racepred.
package upstream

import (
	"bytes"
	"fmt"
	"go/build"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dave/dst"
	"github.com/dave/dst/decorator"
	"github.com/dave/dst/dstutil"

	"github.com/racepred/racepred/internal/conformance/score"
)

// Suite is an adapted copy.
type Suite struct {
	Dir     string       // the module's directory
	Tests   []score.Test // in source order, file by file
	LeftOut []string     // files left out by (A1), base names
}

// Adapt copies the _test.go files of the directory from into the empty
// directory to, as a module for the language version goVersion ("1.26").
func Adapt(from, to, goVersion string) (*Suite, error) {
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no race tests in %s", from)
	}
	s := &Suite{Dir: to}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		base := filepath.Base(name)
		match, err := build.Default.MatchFile(from, base)
		if err != nil {
			return nil, err
		}
		out, tests, err := adaptFile(base, src)
		if err != nil {
			return nil, err
		}
		if out == nil || !match {
			s.LeftOut = append(s.LeftOut, base)
			continue
		}
		s.Tests = append(s.Tests, tests...)
		if err := os.WriteFile(filepath.Join(to, base), out, 0o666); err != nil {
			return nil, err
		}
	}
	mod := fmt.Sprintf("module racetests\n\ngo %s\n", goVersion)
	return s, os.WriteFile(filepath.Join(to, "go.mod"), []byte(mod), 0o666)
}

// publicTwins has the packages of (A2).
var publicTwins = map[string]string{"internal/synctest": "testing/synctest"}

// adaptFile returns a file's adapted source and its tests, or nil if the file
// is left out.
func adaptFile(name string, src []byte) ([]byte, []score.Test, error) {
	d := decorator.NewDecorator(token.NewFileSet())
	f, err := d.Parse(src)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if leftOut(f) { // (A1)
		return nil, nil, nil
	}
	tests := testsOf(name, f, d)
	changed := false
	for _, im := range f.Imports {
		if twin, ok := publicTwins[path(im)]; ok { // (A2)
			im.Path.Value = strconv.Quote(twin)
			changed = true
		}
	}
	dstutil.Apply(f, func(c *dstutil.Cursor) bool {
		switch n := c.Node().(type) {
		case *dst.CallExpr:
			changed = useSynctestTest(n) || changed // (A2)
		case *dst.ExprStmt:
			if call, ok := n.X.(*dst.CallExpr); ok && isRaceSwitch(call) { // (A3)
				c.Delete()
				changed = true
				return false
			}
		}
		return true
	}, nil)
	if !changed {
		return src, tests, nil
	}
	var out bytes.Buffer
	err = decorator.Fprint(&out, f)
	return out.Bytes(), tests, err
}

func path(im *dst.ImportSpec) string {
	p, _ := strconv.Unquote(im.Path.Value)
	return p
}

func leftOut(f *dst.File) bool {
	for _, im := range f.Imports {
		p := path(im)
		if p == "C" || strings.HasPrefix(p, "internal/") && publicTwins[p] == "" {
			return true
		}
	}
	return false
}

// testsOf lists the tests with their places in the original source.
func testsOf(name string, f *dst.File, d *decorator.Decorator) []score.Test {
	var tests []score.Test
	for _, decl := range f.Decls {
		fn, ok := decl.(*dst.FuncDecl)
		if !ok || fn.Recv != nil || score.WantOf(fn.Name.Name) == score.Nothing {
			continue
		}
		at := d.Fset.Position(d.Ast.Nodes[fn].Pos())
		tests = append(tests, score.Test{Name: fn.Name.Name, File: name, Line: at.Line})
	}
	return tests
}

// useSynctestTest rewrites a call of synctest.Run by (A2).
func useSynctestTest(call *dst.CallExpr) bool {
	sel, ok := call.Fun.(*dst.SelectorExpr)
	if !ok || !isIdent(sel.X, "synctest") || sel.Sel.Name != "Run" || len(call.Args) != 1 {
		return false
	}
	lit, ok := call.Args[0].(*dst.FuncLit)
	if !ok {
		return false
	}
	sel.Sel.Name = "Test"
	lit.Type.Params.List = []*dst.Field{{Type: &dst.StarExpr{
		X: &dst.SelectorExpr{X: dst.NewIdent("testing"), Sel: dst.NewIdent("T")},
	}}}
	call.Args = []dst.Expr{dst.NewIdent("t"), lit}
	return true
}

// isRaceSwitch tells whether the call is one of (A3).
func isRaceSwitch(call *dst.CallExpr) bool {
	sel, ok := call.Fun.(*dst.SelectorExpr)
	return ok && isIdent(sel.X, "runtime") && (sel.Sel.Name == "RaceDisable" || sel.Sel.Name == "RaceEnable")
}

func isIdent(e dst.Expr, name string) bool {
	id, ok := e.(*dst.Ident)
	return ok && id.Name == name
}
