// Package examples compares racepred's findings in the example programs with
// the names of the tests:
//
//	(E1) TestRace... must fail, with a finding that names a line of the test
//	(E2) TestRacePredicted... likewise, and the finding must be predicted: the usual schedule hides
//	     the race from an observer
//	(E3) TestNoRace... must pass, and no finding that fails a test, and no leak, may name a line of
//	     it
//	(E4) TestDeadlock... must fail, with a deadlock that names a line of the test, and no race that
//	     does. If the deadlock happens, goroutines that the test leaves behind are in it, and it may
//	     pass
//	(E6) TestAtomicity... must fail, with an atomicity violation that names a line of the test, and
//	     no other finding that does
//	(E5) TestLeak... must pass, with a leak that names a line of the test, and no other finding that
//	     does
//
// A possible finding does not count.
package examples

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// Test is one test of the examples as its source has it.
type Test struct {
	Dir        string // slash-separated, relative to the module's root: "examples/wcp"
	Name       string
	File       string // relative like Dir
	First      int    // the function's first and last line
	Last       int
	Doc        string // the first sentence of its comment
	PackageDoc string
}

// Want is the result that a test's name asks for.
type Want int

// The wants, by the prefixes of names.
const (
	Nothing   Want = iota
	Race           // TestRace...
	Predicted      // TestRacePredicted...
	NoRace         // TestNoRace...
	Deadlock       // TestDeadlock...
	Leak           // TestLeak...
	Atomicity      // TestAtomicity...
)

// Want reads the test's name.
func (t *Test) Want() Want {
	switch {
	case strings.HasPrefix(t.Name, "TestRacePredicted"):
		return Predicted
	case strings.HasPrefix(t.Name, "TestRace"):
		return Race
	case strings.HasPrefix(t.Name, "TestNoRace"):
		return NoRace
	case strings.HasPrefix(t.Name, "TestDeadlock"):
		return Deadlock
	case strings.HasPrefix(t.Name, "TestLeak"):
		return Leak
	case strings.HasPrefix(t.Name, "TestAtomicity"):
		return Atomicity
	}
	return Nothing
}

// Kind is what a finding has to be for the test to be reported as its name says.
func (w Want) Kind() report.Kind {
	switch w {
	case Deadlock:
		return report.Deadlock
	case Leak:
		return report.Leak
	case Atomicity:
		return report.Atomicity
	}
	return report.Race
}

// Covers tells whether the position lies in the test's function.
func (t *Test) Covers(file string, line int) bool {
	return file == t.File && t.First <= line && line <= t.Last
}

// Load reads the tests beneath root/dir, by directory and in source order. Each has a name with a
// verdict, and a comment.
func Load(root, dir string) ([]Test, error) {
	tests, err := read(root, dir)
	for i := range tests {
		switch t := &tests[i]; {
		case err != nil:
		case t.Want() == Nothing:
			err = fmt.Errorf("%s:%d: %s: an example's name begins with TestRace, TestRacePredicted, TestDeadlock, TestLeak, TestAtomicity or TestNoRace", t.File, t.First, t.Name)
		case t.Doc == "":
			err = fmt.Errorf("%s:%d: %s has no comment", t.File, t.First, t.Name)
		}
	}
	return tests, err
}

// Find reads those tests beneath root/dir whose names have a verdict, in Load's order.
func Find(root, dir string) ([]Test, error) {
	tests, err := read(root, dir)
	return slices.DeleteFunc(tests, func(t Test) bool { return t.Want() == Nothing }), err
}

func read(root, dir string) ([]Test, error) {
	var tests []Test
	err := filepath.WalkDir(filepath.Join(root, dir), func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		some, err := loadDir(root, name)
		tests = append(tests, some...)
		return err
	})
	return tests, err
}

func loadDir(root, dir string) ([]Test, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var (
		tests      []Test
		packageDoc string
	)
	for _, name := range files {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if f.Doc != nil {
			packageDoc = new(doc.Package).Synopsis(f.Doc.Text())
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return nil, err
		}
		tests = append(tests, testsOf(fset, f, filepath.ToSlash(rel))...)
	}
	for i := range tests {
		tests[i].PackageDoc = packageDoc
	}
	return tests, nil
}

func testsOf(fset *token.FileSet, f *ast.File, file string) []Test {
	var tests []Test
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Test") {
			continue
		}
		tests = append(tests, Test{
			Dir:   path.Dir(file),
			Name:  fn.Name.Name,
			File:  file,
			First: fset.Position(fn.Pos()).Line,
			Last:  fset.Position(fn.End()).Line,
			Doc:   new(doc.Package).Synopsis(fn.Doc.Text()),
		})
	}
	return tests
}
