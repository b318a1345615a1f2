package local

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/library"
	"github.com/racepred/racepred/internal/typeset"
)

// spanKeepers finds the functions of a package that certainly do not synchronize, and call
// nothing that might: a call of one does not begin a new span (instrument/C1).
func spanKeepers(info *types.Info, files []*ast.File) map[*types.Func]bool {
	keeps := map[*types.Func]bool{}
	calls := map[*types.Func][]*types.Func{} // callee -> callers
	var lost []*types.Func
	for _, f := range files {
		for _, decl := range f.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			fn, ok := info.Defs[decl.Name].(*types.Func)
			if !ok {
				continue
			}
			keeps[fn] = true
			if synchronizes(info, decl.Body, func(callee *types.Func) bool {
				calls[callee] = append(calls[callee], fn)
				return callee.Pkg() != fn.Pkg() // judged below
			}) {
				lost = append(lost, fn)
			}
		}
	}
	for callee := range calls {
		if !keeps[callee] {
			lost = append(lost, callee) // without a body
		}
	}
	for len(lost) > 0 {
		fn := lost[len(lost)-1]
		lost = lost[:len(lost)-1]
		delete(keeps, fn)
		for _, caller := range calls[fn] {
			if keeps[caller] {
				lost = append(lost, caller)
			}
		}
		delete(calls, fn)
	}
	return keeps
}

// synchronizes reports whether a node, function literals in it included, holds anything that could
// begin a new span. mayRun is asked about calls of functions that are known and not of the
// library's keepers.
func synchronizes(info *types.Info, n ast.Node, mayRun func(*types.Func) bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SendStmt, *ast.GoStmt, *ast.SelectStmt:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.RangeStmt:
			switch typeset.Core(info.TypeOf(n.X)).(type) {
			case *types.Chan, *types.Signature:
				found = true
			}
		case *ast.CallExpr:
			switch tv := info.Types[n.Fun]; {
			case tv.IsType():
			case tv.IsBuiltin():
				found = found || BuiltinSynchronizes(info, n)
			default:
				if _, direct := ast.Unparen(n.Fun).(*ast.FuncLit); direct {
					break // its body is looked at
				}
				fn := gotypes.StaticCallee(info, n)
				found = found || fn == nil || !gotypes.FactsOf(fn).Is(library.Computes) && mayRun(fn)
			}
		}
		return true
	})
	return found
}

// BuiltinSynchronizes reports whether a call of a built-in function synchronizes.
func BuiltinSynchronizes(info *types.Info, e *ast.CallExpr) bool {
	name := ""
	switch fun := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr: // unsafe.Sizeof and its like
		name = fun.Sel.Name
	}
	switch name {
	case "append", "cap", "clear", "complex", "copy", "delete", "imag", "make", "max", "min", "new", "real", "Sizeof", "Alignof", "Offsetof":
		return false
	case "len":
		_, channel := typeset.Core(info.TypeOf(e.Args[0])).(*types.Chan)
		return channel
	}
	return true
}
