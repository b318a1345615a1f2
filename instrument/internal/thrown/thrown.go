// Package thrown finds results that every caller throws away: the files of a package -> return
// statements. instrument/D2
package thrown

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// Find finds the return statements of functions that only the package can call, and whose results
// every caller throws away. (instrument/D2)
//
// A caller throws a result away by a call that is a statement, by go and defer, by assigning it to
// _, and by returning it from such a function. A function is not such a function if its name is
// used in another way (as a value, in a method expression, in a linkname), if it has named results,
// which a deferred call may read, or if it is a method and an interface of the package has a method
// of that name.
func Find(pkg *types.Package, info *types.Info, files ...*ast.File) map[*ast.ReturnStmt]bool {
	t := &thrown{info: info, returns: map[*types.Func][]*ast.ReturnStmt{}, by: map[*types.Func][]*types.Func{}}
	closed := strings.HasSuffix(pkg.Path(), "_test") // no package imports it
	linked := linknames(files)
	byName := map[string]bool{}
	for _, obj := range info.Defs {
		if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type()) {
			byName[fn.Name()] = true
		}
	}
	for _, f := range files {
		for _, decl := range f.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if decl.Body == nil {
				return nil // there may be assembly, which may call any of its functions
			}
			fn, ok := info.Defs[decl.Name].(*types.Func)
			if !ok || decl.Type.Results == nil || linked[fn.Name()] || decl.Recv != nil && byName[fn.Name()] || fn.Exported() && (!closed || decl.Recv != nil) {
				continue
			}
			if len(gotypes.ResultNames(decl)) == 0 {
				t.returns[fn] = ReturnsOf(decl.Body)
			}
		}
	}
	for _, f := range files {
		t.file(f)
	}
	all := map[*ast.ReturnStmt]bool{}
	for _, list := range t.returns {
		for _, s := range list {
			all[s] = true
		}
	}
	return all
}

type thrown struct {
	info    *types.Info
	returns map[*types.Func][]*ast.ReturnStmt // of functions whose results are not used, as far as is known
	by      map[*types.Func][]*types.Func     // callee -> the functions that return its result
}

// file looks at the uses of functions in a file.
func (t *thrown) file(f *ast.File) {
	fine := map[*ast.Ident]bool{} // names of functions in calls that do not use the result, or whose use is in by
	discard := func(e ast.Expr) {
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
			if id := gotypes.CalleeName(call); id != nil {
				fine[id] = true
			}
		}
	}
	for _, decl := range f.Decls {
		var around *types.Func
		if decl, ok := decl.(*ast.FuncDecl); ok {
			around, _ = t.info.Defs[decl.Name].(*types.Func)
		}
		var returns map[*ast.ReturnStmt]bool
		if list, ok := t.returns[around]; ok {
			returns = map[*ast.ReturnStmt]bool{}
			for _, s := range list {
				returns[s] = true
			}
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ExprStmt:
				discard(n.X)
			case *ast.GoStmt:
				discard(n.Call)
			case *ast.DeferStmt:
				discard(n.Call)
			case *ast.AssignStmt:
				blank := true
				for _, e := range n.Lhs {
					id, ok := e.(*ast.Ident)
					blank = blank && ok && id.Name == "_"
				}
				for _, e := range n.Rhs {
					if blank {
						discard(e)
					}
				}
			case *ast.ReturnStmt:
				for _, e := range n.Results {
					call, ok := ast.Unparen(e).(*ast.CallExpr)
					if !ok || !returns[n] {
						continue
					}
					if id := gotypes.CalleeName(call); id != nil {
						if fn := t.function(id); fn != nil {
							fine[id] = true
							t.by[fn] = append(t.by[fn], around)
						}
					}
				}
			case *ast.Ident:
				if fn := t.function(n); fn != nil && !fine[n] {
					t.looked(fn)
				}
			}
			return true
		})
	}
	t.close()
}

// close notes that the result of a function is used, if a caller returns it and the caller's result
// is used.
func (t *thrown) close() {
	for more := true; more; {
		more = false
		for callee, callers := range t.by {
			for _, fn := range callers {
				if _, ok := t.returns[fn]; !ok && t.looked(callee) {
					more = true
				}
			}
		}
	}
}

// function is the function of a name, if its results may be thrown away.
func (t *thrown) function(id *ast.Ident) *types.Func {
	fn, ok := t.info.Uses[id].(*types.Func)
	if !ok {
		return nil
	}
	if fn = fn.Origin(); t.returns[fn] == nil {
		return nil
	}
	return fn
}

// looked notes that a result of fn is used, and reports whether that was not known.
func (t *thrown) looked(fn *types.Func) bool {
	_, ok := t.returns[fn]
	delete(t.returns, fn)
	return ok
}

// ReturnsOf are the return statements of a function, not of literals in it.
func ReturnsOf(body *ast.BlockStmt) (list []*ast.ReturnStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			list = append(list, n)
		}
		return true
	})
	return list
}

// linknames are the local names of go:linkname directives.
func linknames(files []*ast.File) map[string]bool {
	names := map[string]bool{}
	for _, f := range files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				if fields := strings.Fields(c.Text); len(fields) > 1 && fields[0] == "//go:linkname" {
					names[fields[1]] = true
				}
			}
		}
	}
	return names
}
