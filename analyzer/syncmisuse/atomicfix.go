package syncmisuse

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/analyzer/internal/flow"
)

// atomically makes a plain access one of sync/atomic: a read, an assignment of one value, ++ and
// --. It needs the import in the file.
func (c *checker) atomically(e *flow.Event, x ast.Expr, v *types.Var) []analysis.SuggestedFix {
	suffix := atomicSuffix(v.Type())
	pkg := c.atomicName(x.Pos())
	if suffix == "" || pkg == "" || !chain(x) {
		return nil
	}
	text := types.ExprString(x)
	at, with := ast.Node(x), pkg+".Load"+suffix+"(&"+text+")"
	changed := c.changes(x) // a read may be that of x++
	if e.Kind == flow.Write || changed != nil {
		switch s := changed.(type) {
		case *ast.AssignStmt:
			if s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
				return nil
			}
			at, with = s, pkg+".Store"+suffix+"(&"+text+", "+types.ExprString(s.Rhs[0])+")"
		case *ast.IncDecStmt:
			by := "1"
			if s.Tok == token.DEC {
				if suffix[0] == 'U' {
					return nil
				}
				by = "-1"
			}
			at, with = s, pkg+".Add"+suffix+"(&"+text+", "+by+")"
		default:
			return nil
		}
	}
	return []analysis.SuggestedFix{{Message: "Access it by sync/atomic, too", TextEdits: []analysis.TextEdit{{Pos: at.Pos(), End: at.End(), NewText: []byte(with)}}}}
}

// atomicSuffix is what the names of the functions of sync/atomic for a type end with, "" if there
// are none.
func atomicSuffix(t types.Type) string {
	b, ok := t.(*types.Basic)
	if !ok {
		return ""
	}
	switch b.Kind() {
	case types.Int32:
		return "Int32"
	case types.Int64:
		return "Int64"
	case types.Uint32:
		return "Uint32"
	case types.Uint64:
		return "Uint64"
	case types.Uintptr:
		return "Uintptr"
	}
	return ""
}

// fileOf is the file that a position is in.
func (c *checker) fileOf(pos token.Pos) *ast.File {
	for _, f := range c.pass.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			return f
		}
	}
	return nil
}

// atomicName is what the file at a position calls package sync/atomic, "" if it does not import it.
func (c *checker) atomicName(pos token.Pos) string {
	f := c.fileOf(pos)
	if f == nil {
		return ""
	}
	for _, imp := range f.Imports {
		if path, _ := strconv.Unquote(imp.Path.Value); path != "sync/atomic" {
			continue
		}
		switch {
		case imp.Name == nil:
			return "atomic"
		case imp.Name.Name != "_" && imp.Name.Name != ".":
			return imp.Name.Name
		}
	}
	return ""
}

// chain reports whether an expression consists of names only: a.b.c.
func chain(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return chain(e.X)
	}
	return false
}

// changes is the statement that assigns to an expression, or takes its address; nil if there is
// none.
func (c *checker) changes(x ast.Expr) (found ast.Node) {
	f := c.fileOf(x.Pos())
	if f == nil {
		return nil
	}
	within := func(e ast.Expr) bool { return e.Pos() <= x.Pos() && x.End() <= e.End() }
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil || x.Pos() < n.Pos() || n.End() <= x.Pos() {
			return false
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			if slices.ContainsFunc(n.Lhs, within) {
				found = n
			}
		case *ast.IncDecStmt:
			found = n
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				found = n
			}
		}
		return true
	})
	return found
}
