// Package concurrent builds the SSA form of packages that start goroutines or synchronize, and of
// no others: most packages of a build do neither, and the SSA form costs more than all else.
package concurrent

import (
	"go/ast"
	"go/types"
	"reflect"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/ssa"
)

// Package is what Analyzer gives to the checks that require it. It is nil for a package without
// concurrency of its own.
type Package struct {
	*ssa.Package
	Funcs []*ssa.Function // those of the source, function literals behind the ones that they are in
}

// Analyzer is required by the checks that need the SSA form. Its result is a *Package.
var Analyzer = &analysis.Analyzer{
	Name:       "racepredssa",
	Doc:        "build the SSA form of packages that start goroutines or synchronize",
	Run:        run,
	Requires:   []*analysis.Analyzer{ctrlflow.Analyzer},
	ResultType: reflect.TypeFor[*Package](),
}

func run(pass *analysis.Pass) (any, error) {
	if !concerns(pass.Files) {
		return (*Package)(nil), nil
	}
	prog := ssa.NewProgram(pass.Fset, 0)
	prog.SetNoReturn(pass.ResultOf[ctrlflow.Analyzer].(*ctrlflow.CFGs).NoReturn)
	for _, p := range pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	pkg := &Package{Package: prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)}
	pkg.Build()
	var add func(f *ssa.Function)
	add = func(f *ssa.Function) {
		pkg.Funcs = append(pkg.Funcs, f)
		for _, lit := range f.AnonFuncs {
			add(lit)
		}
	}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if f := prog.FuncValue(pass.TypesInfo.Defs[d.Name].(*types.Func)); f != nil {
					add(f)
				}
			}
		}
	}
	for _, m := range pkg.Members { // the literals in initializers of variables
		if f, ok := m.(*ssa.Function); ok && f.Name() == "init" && f.Synthetic != "" {
			for _, lit := range f.AnonFuncs {
				add(lit)
			}
		}
	}
	return pkg, nil
}

// synchronizes are the packages whose importers have concurrency of their own.
var synchronizes = map[string]bool{"sync": true, "sync/atomic": true, "golang.org/x/sync/errgroup": true}

// concerns reports whether a file starts a goroutine, or imports a package of synchronizes.
func concerns(files []*ast.File) bool {
	for _, f := range files {
		for _, imp := range f.Imports {
			if path, err := strconv.Unquote(imp.Path.Value); err == nil && synchronizes[path] {
				return true
			}
		}
	}
	for _, f := range files {
		found := false
		ast.Inspect(f, func(n ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok {
				found = true
			}
			return !found
		})
		if found {
			return true
		}
	}
	return false
}
