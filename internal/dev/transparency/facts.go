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
	m := marker{fset: fset, info: info, lines: lines}
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			m.leave()
			return true
		}
		m.stack = append(m.stack, n)
		m.node(n)
		if s, ok := n.(ast.Stmt); ok {
			m.stmt(s)
		}
		return true
	})
}

// marker notes the facts of a file's nodes at their lines.
type marker struct {
	fset  *token.FileSet
	info  *types.Info
	lines map[int]*facts
	funcs []*ast.FuncType // around the node
	stack []ast.Node      // the node, and those around it
}

func (m *marker) line(pos token.Pos) int { return m.fset.PositionFor(pos, false).Line }

// at are the facts of a line.
func (m *marker) at(line int) *facts {
	if m.lines[line] == nil {
		m.lines[line] = &facts{}
	}
	return m.lines[line]
}

func (m *marker) fact(pos token.Pos) *facts { return m.at(m.line(pos)) }

// each calls f with the facts of each line of a node.
func (m *marker) each(n ast.Node, f func(*facts)) {
	for l := m.line(n.Pos()); l <= m.line(n.End()); l++ {
		f(m.at(l))
	}
}

func declares(f *facts) { f.declares = true }

func (m *marker) leave() {
	switch m.stack[len(m.stack)-1].(type) {
	case *ast.FuncDecl, *ast.FuncLit:
		m.funcs = m.funcs[:len(m.funcs)-1]
	}
	m.stack = m.stack[:len(m.stack)-1]
}

func (m *marker) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		m.fact(n.Name.Pos()).declares = true
		m.function(n, n.Type, n.Body)
	case *ast.FuncLit:
		m.function(n, n.Type, n.Body)
	case *ast.Ident:
		m.ident(n)
	case *ast.ValueSpec:
		if len(m.funcs) == 0 {
			m.each(n, func(f *facts) { f.initializer = true })
		}
	case *ast.Field, *ast.TypeSpec:
		m.fact(n.Pos()).wrapper = true
	case *ast.CompositeLit:
		m.each(n, declares) // its elements are stored in new memory
	case *ast.UnaryExpr, *ast.GoStmt, *ast.DeferStmt, *ast.SliceExpr:
		if isSpawn(n) || isNew(n) {
			m.fact(n.Pos()).declares = true
		}
	case *ast.CallExpr:
		m.call(n)
	case *ast.SelectorExpr:
		if s := m.info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
			if call, ok := m.stack[len(m.stack)-2].(*ast.CallExpr); !ok || call.Fun != n { // a method value is a new closure
				m.fact(n.Pos()).declares = true
			}
		}
	case *ast.IndexExpr:
		m.operand(n.Pos(), n.X)
		m.text(n.Pos(), n.X)
	case *ast.SwitchStmt:
		if n.Tag != nil {
			m.text(n.Pos(), n.Tag)
		}
	case *ast.RangeStmt:
		m.operand(n.Pos(), n.X)
		m.text(n.Pos(), n.X)
		if bytesOfText(m.info, n.X) {
			m.fact(n.Pos()).text = true
		}
		if t := m.info.TypeOf(n.X); t != nil {
			if _, ok := typeset.Core(t).(*types.Signature); ok {
				m.fact(n.Pos()).declares = true // the iterator's state
			}
		}
	case *ast.ReturnStmt:
		m.fact(n.Pos()).results = len(m.funcs) > 0 && named(m.funcs[len(m.funcs)-1])
	case *ast.TypeAssertExpr, *ast.CaseClause:
		m.fact(n.Pos()).boxed = true
	case *ast.BinaryExpr:
		for _, x := range []ast.Expr{n.X, n.Y} {
			if t := m.info.TypeOf(x); t != nil && types.IsInterface(t) {
				m.fact(n.Pos()).boxed = true
			}
			m.text(n.Pos(), x)
		}
	}
}

// text notes that a string is read at pos, if x is one.
func (m *marker) text(pos token.Pos, x ast.Expr) {
	if isText(m.info, x) {
		m.fact(pos).text = true
	}
}

// operand notes that elements of a map are accessed at pos, if x is one.
func (m *marker) operand(pos token.Pos, x ast.Expr) {
	if t := m.info.TypeOf(x); t != nil {
		if _, ok := typeset.Core(t).(*types.Map); ok {
			m.fact(pos).mapElement = true
		}
	}
}

func (m *marker) function(n ast.Node, typ *ast.FuncType, body *ast.BlockStmt) {
	m.funcs = append(m.funcs, typ)
	m.fact(n.Pos()).declares = true
	if body != nil && named(typ) {
		m.fact(body.Rbrace).results = true
	}
}

func (m *marker) ident(n *ast.Ident) {
	if v, ok := m.info.Defs[n].(*types.Var); ok {
		m.fact(n.Pos()).declares = true
		if v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
			m.fact(n.Pos()).initializer = true
		}
	}
	if v, ok := m.info.Uses[n].(*types.Var); ok && len(m.funcs) > 0 && !v.IsField() && v.Parent() != v.Pkg().Scope() && large(v.Type()) {
		m.fact(n.Pos()).large = true
	}
}

func (m *marker) call(n *ast.CallExpr) {
	f := m.fact(n.Pos())
	if variadic(m.info, n) { // the arguments are stored in a new slice, which is cleared first
		m.fact(n.Lparen).declares = true
		for _, arg := range n.Args {
			for pos := arg.Pos(); pos < arg.End(); pos++ {
				m.fact(pos).declares = true
			}
		}
	}
	tv, ok := m.info.Types[n.Fun]
	if tv.IsType() && len(n.Args) == 1 && isText(m.info, n.Args[0]) {
		m.each(n, declares) // a new slice of bytes or runes
	}
	if ok && tv.IsBuiltin() {
		f.declares = true
	}
	if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
		if s := m.info.Selections[sel]; s != nil && types.IsInterface(s.Recv()) {
			f.boxed, m.fact(sel.Sel.Pos()).boxed = true, true
		}
	}
}

// stmt notes the lines of a statement that has several, without its body, at each of them.
func (m *marker) stmt(s ast.Stmt) {
	first, last := m.line(s.Pos()), m.line(s.End())
	switch s := s.(type) {
	case *ast.IfStmt:
		last = m.line(s.Body.Lbrace)
	case *ast.ForStmt:
		last = m.line(s.Body.Lbrace)
	case *ast.RangeStmt:
		last = m.line(s.Body.Lbrace)
	case *ast.SwitchStmt:
		last = m.line(s.Body.Lbrace)
	case *ast.BlockStmt, *ast.SelectStmt, *ast.TypeSwitchStmt, *ast.LabeledStmt:
		last = first
	}
	for l := first; l <= last && last > first; l++ {
		m.at(l).stmts = append(m.at(l).stmts, [2]int{first, last})
	}
}

// maxStackVar is the size in bytes from which on the compiler puts a variable on the heap
// (ir.MaxStackVarSize).
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

// bytesOfText says whether e is []byte(s) of a string s: ranging over it, the compiler reads the
// string itself, or a copy that nobody else has.
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
