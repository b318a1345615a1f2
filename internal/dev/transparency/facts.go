package main

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/internal/typeset"
)

// facts are what the nodes that begin, end or lie at a line are good for.
type facts struct {
	declares, mapElement, results, boxed, text, initializer, wrapper, large bool
	stmts                                                                   [][2]int // first and last lines of the innermost statements
}

func (ex *explainer) file(fset *token.FileSet, info *types.Info, f *ast.File, lines map[int]*facts) {
	line := func(pos token.Pos) int { return fset.PositionFor(pos, false).Line }
	fact := func(pos token.Pos) *facts {
		n := line(pos)
		if lines[n] == nil {
			lines[n] = &facts{}
		}
		return lines[n]
	}
	var funcs []*ast.FuncType // around the node
	var stack []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			switch stack[len(stack)-1].(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				funcs = funcs[:len(funcs)-1]
			}
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.FuncDecl:
			funcs = append(funcs, n.Type)
			fact(n.Pos()).declares = true
			fact(n.Name.Pos()).declares = true
			if n.Body != nil {
				fact(n.Body.Rbrace).results = fact(n.Body.Rbrace).results || named(n.Type)
			}
		case *ast.FuncLit:
			funcs = append(funcs, n.Type)
			fact(n.Pos()).declares = true
			fact(n.Body.Rbrace).results = fact(n.Body.Rbrace).results || named(n.Type)
		case *ast.Ident:
			if v, ok := info.Defs[n].(*types.Var); ok {
				fact(n.Pos()).declares = true
				if v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
					fact(n.Pos()).initializer = true
				}
			}
			if v, ok := info.Uses[n].(*types.Var); ok && len(funcs) > 0 && !v.IsField() && v.Parent() != v.Pkg().Scope() && large(v.Type()) {
				fact(n.Pos()).large = true
			}
		case *ast.ValueSpec:
			if len(funcs) == 0 {
				for l := line(n.Pos()); l <= line(n.End()); l++ {
					if lines[l] == nil {
						lines[l] = &facts{}
					}
					lines[l].initializer = true
				}
			}
		case *ast.Field, *ast.TypeSpec:
			fact(n.Pos()).wrapper = true
		case *ast.CompositeLit:
			for l := line(n.Pos()); l <= line(n.End()); l++ {
				if lines[l] == nil {
					lines[l] = &facts{}
				}
				lines[l].declares = true // its elements are stored in new memory
			}
		case *ast.UnaryExpr, *ast.GoStmt, *ast.DeferStmt, *ast.SliceExpr:
			fact(n.Pos()).declares = fact(n.Pos()).declares || isSpawn(n) || isNew(n)
		case *ast.CallExpr:
			f := fact(n.Pos())
			if variadic(info, n) { // the arguments are stored in a new slice, which is cleared first
				fact(n.Lparen).declares = true
				for _, arg := range n.Args {
					for pos := arg.Pos(); pos < arg.End(); pos++ {
						fact(pos).declares = true
					}
				}
			}
			if tv := info.Types[n.Fun]; tv.IsType() && len(n.Args) == 1 && isText(info, n.Args[0]) {
				for l := line(n.Pos()); l <= line(n.End()); l++ { // a new slice of bytes or runes
					if lines[l] == nil {
						lines[l] = &facts{}
					}
					lines[l].declares = true
				}
			}
			if tv, ok := info.Types[n.Fun]; ok && tv.IsBuiltin() {
				f.declares = true
			}
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
				if s := info.Selections[sel]; s != nil && types.IsInterface(s.Recv()) {
					f.boxed, fact(sel.Sel.Pos()).boxed = true, true
				}
			}
		case *ast.SelectorExpr:
			if s := info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
				if call, ok := stack[len(stack)-2].(*ast.CallExpr); !ok || call.Fun != n { // a method value is a new closure
					fact(n.Pos()).declares = true
				}
			}
		case *ast.IndexExpr:
			if t := info.TypeOf(n.X); t != nil {
				if _, ok := typeset.Core(t).(*types.Map); ok {
					fact(n.Pos()).mapElement = true
				}
			}
			fact(n.Pos()).text = fact(n.Pos()).text || isText(info, n.X)
		case *ast.SwitchStmt:
			if n.Tag != nil {
				fact(n.Pos()).text = fact(n.Pos()).text || isText(info, n.Tag)
			}
		case *ast.RangeStmt:
			fact(n.Pos()).text = fact(n.Pos()).text || isText(info, n.X) || bytesOfText(info, n.X)
			if t := info.TypeOf(n.X); t != nil {
				switch typeset.Core(t).(type) {
				case *types.Map:
					fact(n.Pos()).mapElement = true
				case *types.Signature:
					fact(n.Pos()).declares = true // the iterator's state
				}
			}
		case *ast.ReturnStmt:
			fact(n.Pos()).results = len(funcs) > 0 && named(funcs[len(funcs)-1])
		case *ast.TypeAssertExpr:
			fact(n.Pos()).boxed = true
		case *ast.CaseClause:
			fact(n.Pos()).boxed = true
		case *ast.BinaryExpr:
			for _, x := range []ast.Expr{n.X, n.Y} {
				if t := info.TypeOf(x); t != nil && types.IsInterface(t) {
					fact(n.Pos()).boxed = true
				}
				fact(n.Pos()).text = fact(n.Pos()).text || isText(info, x)
			}
		}
		if s, ok := n.(ast.Stmt); ok {
			first, last := line(s.Pos()), line(s.End())
			switch s := s.(type) {
			case *ast.IfStmt:
				last = line(s.Body.Lbrace)
			case *ast.ForStmt:
				last = line(s.Body.Lbrace)
			case *ast.RangeStmt:
				last = line(s.Body.Lbrace)
			case *ast.SwitchStmt:
				last = line(s.Body.Lbrace)
			case *ast.BlockStmt, *ast.SelectStmt, *ast.TypeSwitchStmt, *ast.LabeledStmt:
				last = first
			}
			for l := first; l <= last && last > first; l++ {
				if lines[l] == nil {
					lines[l] = &facts{}
				}
				lines[l].stmts = append(lines[l].stmts, [2]int{first, last})
			}
		}
		return true
	})
}

// maxStackVar is the size in bytes from which on the compiler puts a variable on the heap (ir.MaxStackVarSize).
const maxStackVar = 128 << 10

// large reports whether the variables of a type are large.
func large(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Array, *types.Struct:
		return !generic(t) && types.SizesFor("gc", "amd64").Sizeof(t) > maxStackVar
	}
	return false
}

// generic says whether the size of t may depend on a type parameter.
func generic(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Array:
		return generic(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if generic(f.Type()) {
				return true
			}
		}
	}
	return false
}

func named(t *ast.FuncType) bool {
	return t.Results != nil && len(t.Results.List) > 0 && len(t.Results.List[0].Names) > 0
}

func isSpawn(n ast.Node) bool {
	switch n.(type) {
	case *ast.GoStmt, *ast.DeferStmt: // what is kept for the call
		return true
	}
	return false
}

func isNew(n ast.Node) bool {
	u, ok := n.(*ast.UnaryExpr)
	if !ok || u.Op != token.AND {
		return false
	}
	_, ok = ast.Unparen(u.X).(*ast.CompositeLit)
	return ok
}

func variadic(info *types.Info, call *ast.CallExpr) bool {
	sig, ok := info.TypeOf(call.Fun).(*types.Signature)
	return ok && sig.Variadic() && !call.Ellipsis.IsValid()
}

// bytesOfText says whether e is []byte(s) of a string s: ranging over it, the compiler reads the string itself, or a copy that nobody else has.
func bytesOfText(info *types.Info, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && len(call.Args) == 1 && info.Types[call.Fun].IsType() && isText(info, call.Args[0])
}

// isText says whether an expression is a string.
func isText(info *types.Info, e ast.Expr) bool {
	t := info.TypeOf(e)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}
