package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/racepred/racepred/instrument"
)

// explainer knows why the compiler may see an access at a line where rewritten code records none:
//
//	new variable     the first value of a variable, before anybody else can know it: a declaration, a
//	                 parameter, what a range or a type switch declares, a composite literal, a result
//	map element      the runtime records the map
//	read of results  a return loads shared results once more
//	dictionary       what generic code looks up of its type arguments: a constant table made by the compiler
//	constant data    the value in an interface, which never changes: type switches and assertions, method
//	                 calls, comparisons and conversions of interfaces
//	other line       the same kind of access is recorded at another line of the same statement
//	unrecorded       a miss, announced as opaque and counted among the uncovered
//	initializer      the first value of a package variable
//	wrapper          made up by the compiler, at the line of a type or an embedded field
type explainer struct {
	lines  map[string]map[int]*facts
	have   map[at]bool
	misses map[at]bool
	text   map[string][]string
}

// facts are what the nodes that begin, end or lie at a line are good for.
type facts struct {
	declares, mapElement, results, iface, initializer, wrapper, dictionary bool
	stmts                                                                  [][2]int // first and last lines of the innermost statements
}

func newExplainer(dir string, patterns []string, res *instrument.Result, have map[at]bool) (*explainer, error) {
	ex := &explainer{lines: map[string]map[int]*facts{}, have: have, misses: map[at]bool{}, text: map[string][]string{}}
	for _, p := range res.Packages {
		for _, m := range p.Misses {
			ex.misses[at{file: m.File, line: m.Line}] = true
		}
	}
	fset := token.NewFileSet()
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
			packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule | packages.NeedForTest,
		Dir: dir, Tests: true, Fset: fset,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	for _, p := range pkgs {
		for _, f := range p.Syntax {
			name := fset.File(f.FileStart).Name()
			if ex.lines[name] == nil {
				ex.lines[name] = map[int]*facts{}
				ex.file(fset, p.TypesInfo, f, ex.lines[name])
			}
		}
	}
	return ex, nil
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
	generic := false // the declaration around the node
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
			fn, _ := info.Defs[n.Name].(*types.Func)
			generic = fn != nil && (fn.Signature().TypeParams().Len() > 0 || fn.Signature().RecvTypeParams().Len() > 0)
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
				lines[l].dictionary = lines[l].dictionary || generic
				lines[l].declares = true // its elements are stored in new memory
			}
		case *ast.UnaryExpr, *ast.GoStmt, *ast.DeferStmt, *ast.SliceExpr:
			fact(n.Pos()).declares = fact(n.Pos()).declares || isSpawn(n) || isNew(n)
		case *ast.CallExpr:
			f := fact(n.Pos())
			if generic && looksUp(info, n) {
				f.dictionary, fact(n.Lparen).dictionary = true, true
			}
			for _, arg := range n.Args { // its method table is read when it becomes another interface
				if i, ok := underlying(info, arg).(*types.Interface); ok && !i.Empty() {
					fact(arg.Pos()).iface = true
				}
			}
			f.declares = f.declares || len(n.Args) > 0 && variadic(info, n) // the slice of the arguments
			if tv, ok := info.Types[n.Fun]; ok && tv.IsBuiltin() {
				f.declares = true
			}
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
				if s := info.Selections[sel]; s != nil && types.IsInterface(s.Recv()) {
					f.iface, fact(sel.Sel.Pos()).iface = true, true
				}
			}
		case *ast.SelectorExpr:
			if s := info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
				if call, ok := stack[len(stack)-2].(*ast.CallExpr); !ok || call.Fun != n { // a method value is a new closure
					f := fact(n.Pos())
					f.declares, f.dictionary = true, f.dictionary || generic
				}
			}
		case *ast.IndexExpr:
			if t := info.TypeOf(n.X); t != nil {
				if _, ok := t.Underlying().(*types.Map); ok {
					fact(n.Pos()).mapElement = true
				}
			}
		case *ast.RangeStmt:
			if t := info.TypeOf(n.X); t != nil {
				switch t.Underlying().(type) {
				case *types.Map:
					fact(n.Pos()).mapElement = true
				case *types.Signature:
					fact(n.Pos()).declares = true // the iterator's state
				}
			}
		case *ast.ReturnStmt:
			fact(n.Pos()).results = len(funcs) > 0 && named(funcs[len(funcs)-1])
		case *ast.TypeAssertExpr:
			fact(n.Pos()).iface = true
		case *ast.CaseClause:
			fact(n.Pos()).iface = true
		case *ast.BinaryExpr:
			for _, x := range []ast.Expr{n.X, n.Y} {
				if t := info.TypeOf(x); t != nil && types.IsInterface(t) {
					fact(n.Pos()).iface = true
				}
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

func underlying(info *types.Info, e ast.Expr) types.Type {
	if t := info.TypeOf(e); t != nil {
		return t.Underlying()
	}
	return nil
}

// looksUp reports whether a call in generic code may need a dictionary for what it calls or makes.
func looksUp(info *types.Info, call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	if tv, ok := info.Types[fun]; ok && tv.IsBuiltin() {
		return true // make, new, append of a type made of type parameters
	}
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		fun = sel.Sel
	}
	id, ok := fun.(*ast.Ident)
	if !ok {
		return false
	}
	fn, ok := info.Uses[id].(*types.Func)
	if !ok {
		return false
	}
	_, instance := info.Instances[id]
	return instance || fn.Origin() != fn || fn.Signature().RecvTypeParams().Len() > 0
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

// explain names the reason, "" if there is none.
func (ex *explainer) explain(a at) string {
	if ex.misses[at{file: a.file, line: a.line}] {
		return "unrecorded"
	}
	f := ex.lines[a.file][a.line]
	if a.line == 1 {
		return "wrapper"
	}
	if f == nil {
		return ""
	}
	switch {
	case f.initializer:
		return "initializer"
	case a.kind == "write" && f.declares:
		return "new variable"
	case f.mapElement:
		return "map element"
	case a.kind == "read" && f.results:
		return "read of results"
	case a.kind == "read" && f.dictionary:
		return "dictionary"
	case a.kind == "read" && f.iface:
		return "constant data"
	case f.wrapper:
		return "wrapper"
	}
	for _, s := range f.stmts {
		for l := s[0]; l <= s[1]; l++ {
			if ex.have[at{a.file, l, a.kind}] {
				return "other line"
			}
		}
	}
	return ""
}

// source is the line of an access.
func (ex *explainer) source(a at) string {
	if ex.text[a.file] == nil {
		ex.text[a.file] = strings.Split(readFile(a.file), "\n")
	}
	if lines := ex.text[a.file]; a.line >= 1 && a.line <= len(lines) {
		return lines[a.line-1]
	}
	return ""
}
