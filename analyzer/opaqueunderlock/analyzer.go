package opaqueunderlock

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/analyzer/internal/honour"
	"github.com/racepred/racepred/instrument"
)

// Analyzer reports unrecorded calls under a mutex.
var Analyzer = &analysis.Analyzer{
	Name: "opaqueunderlock",
	Doc:  "report calls of unrecorded code while a mutex is held\n\nracepred cannot reorder two critical sections of one lock that both run code nobody records.",
	URL:  "https://pkg.go.dev/github.com/racepred/racepred/analyzer/opaqueunderlock",
	Run:  honour.Ignores(run),
}

func run(pass *analysis.Pass) (any, error) {
	for _, file := range pass.Files {
		opaque, err := opaqueCalls(pass, file)
		if err != nil {
			return nil, err
		}
		if len(opaque) == 0 {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Body != nil {
					(&walker{pass: pass, opaque: opaque}).list(n.Body.List, locks{})
				}
			case *ast.FuncLit: // (U3)
				(&walker{pass: pass, opaque: opaque}).list(n.Body.List, locks{})
			}
			return true
		})
	}
	return nil, nil
}

// opaqueCalls are the calls of a file that the rewriter would announce as unrecorded.
func opaqueCalls(pass *analysis.Pass, file *ast.File) (map[*ast.CallExpr]bool, error) {
	tok := pass.Fset.File(file.FileStart)
	src, err := pass.ReadFile(tok.Name())
	if err != nil {
		return nil, err
	}
	if len(src) != tok.Size() {
		return nil, nil // made up by cgo: its positions are not its own
	}
	plan := instrument.Decide(&instrument.Source{
		Fset: pass.Fset, File: file, Bytes: src, Pkg: pass.Pkg, Info: pass.TypesInfo,
		Rewritten: sameModule(pass),
	})
	calls := map[*ast.CallExpr]bool{}
	for _, o := range plan.Opaque {
		calls[o.Call] = true
	}
	return calls, nil
}

// sameModule reports whether a package belongs to the module of the pass.
func sameModule(pass *analysis.Pass) func(string) bool {
	return func(path string) bool {
		if pass.Module == nil || pass.Module.Path == "" {
			return path == pass.Pkg.Path()
		}
		return path == pass.Module.Path || strings.HasPrefix(path, pass.Module.Path+"/")
	}
}

// lockCall returns the lock a call acts on, as written, and the method's name,
// if it is one of sync.Mutex or sync.RWMutex.
func (w *walker) lockCall(e ast.Expr) (lock, method string) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return "", ""
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	fn, ok := w.pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "sync" || fn.Signature().Recv() == nil {
		return "", ""
	}
	recv := fn.Signature().Recv().Type()
	if p, ok := recv.(*types.Pointer); ok {
		recv = p.Elem()
	}
	if named, ok := recv.(*types.Named); !ok || named.Obj().Name() != "Mutex" && named.Obj().Name() != "RWMutex" {
		return "", ""
	}
	return types.ExprString(sel.X), fn.Name()
}
