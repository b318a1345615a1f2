package syncmisuse

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/racepred/racepred/analyzer/internal/flow"
	"github.com/racepred/racepred/analyzer/internal/locker"
)

// atomicPlain finds plain accesses of variables and fields that the package accesses by functions
// of sync/atomic, too. It leaves out accesses of objects that no other goroutine can see yet,
// accesses after a wait for others, those under a lock, those of tests to variables that the tested
// code accesses atomically, and those of functions that the runtime calls.
func atomicPlain(c *checker) {
	info := c.pass.TypesInfo
	atomics := map[*types.Var]*ast.CallExpr{}
	writers := map[*types.Var][]*ast.CallExpr{}
	pointed := map[ast.Expr]bool{} // &x of an atomic access
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			fn := typeutil.StaticCallee(info, call)
			u, ok := ast.Unparen(call.Args[0]).(*ast.UnaryExpr)
			if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync/atomic" || !ok || u.Op != token.AND {
				return true
			}
			if v := variable(info, u.X); v != nil && v.Pkg() == c.pass.Pkg {
				pointed[ast.Unparen(u.X)] = true
				if atomics[v] == nil {
					atomics[v] = call
				}
				if !strings.HasPrefix(fn.Name(), "Load") {
					writers[v] = append(writers[v], call)
				}
			}
			return true
		})
	}
	if len(atomics) == 0 {
		return
	}
	reported := map[*types.Var]bool{}
	outside := c.calledOutside()
	for f := range c.p.Funcs {
		if d, ok := f.Node.(*ast.FuncDecl); ok && (locker.Documented(d) || outside[info.Defs[d.Name]]) { // the lock may be that of the writers
			continue
		}
		fresh := freshIn(info, f)
		for e := range f.Events {
			if e.InPlace || e.Kind != flow.Read && e.Kind != flow.Write {
				continue
			}
			x := accessed(e)
			v := variable(info, x)
			call := atomics[v]
			if v == nil || call == nil || reported[v] || c.inTest(x) && !c.inTest(call) || pointed[ast.Unparen(x)] || fresh[e.Path.Root] || copied(info, f, e.Path) || c.alone(f, e, v) || e.Kind == flow.Read && c.ownWriter(f, v, writers[v]) || len(c.p.HeldAt(f, e)) > 0 {
				continue
			}
			reported[v] = true
			verb := "read"
			if e.Kind == flow.Write {
				verb = "written"
			}
			fixes := c.retyped(v)
			if fixes == nil {
				fixes = c.atomically(e, x, v)
			}
			c.report(x, fixes, relate(call.Fun, "the atomic access"), "%s is %s plainly here, and by %s in line %d", v.Name(), verb, types.ExprString(call.Fun),
				c.pass.Fset.Position(call.Pos()).Line)
		}
	}
}

// calledOutside are the functions that the package gives to a function without a body here:
// assembly or the runtime calls them, and what runs at the same time is not known.
func (c *checker) calledOutside() map[types.Object]bool {
	all := map[types.Object]bool{}
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			to := typeutil.StaticCallee(c.pass.TypesInfo, call)
			if to == nil || to.Pkg() != c.pass.Pkg || c.p.Decls[to.Origin()] != nil {
				return true
			}
			for _, arg := range call.Args {
				if id, ok := ast.Unparen(arg).(*ast.Ident); ok {
					all[c.pass.TypesInfo.Uses[id]] = true
				}
			}
			return true
		})
	}
	return all
}

// inTest reports whether code belongs to a test: that sets up, and looks at, what nobody uses
// meanwhile.
func (c *checker) inTest(n ast.Node) bool {
	return strings.HasSuffix(c.pass.Fset.Position(n.Pos()).Filename, "_test.go")
}

// ownWriter reports whether a local variable is written by one function only, which is the one that
// reads it, and not by a goroutine that it starts.
func (c *checker) ownWriter(f *flow.Func, v *types.Var, writers []*ast.CallExpr) bool {
	within := func(n ast.Node, w *ast.CallExpr) bool { return n != nil && n.Pos() <= w.Pos() && w.Pos() < n.End() }
	for _, w := range writers {
		if !within(f.Node, w) {
			return false
		}
		for e := range f.Events {
			if e.Kind == flow.Spawns && e.Spawn.Start != flow.Parallel && within(e.Spawn.Body, w) {
				return false
			}
		}
	}
	return !v.IsField() && v.Parent() != c.pass.Pkg.Scope()
}

// variable is the variable or field that an expression denotes.
func variable(info *types.Info, e ast.Expr) *types.Var {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return variable(info, e.X)
	case *ast.Ident:
		v, _ := info.Uses[e].(*types.Var)
		return v
	case *ast.SelectorExpr:
		v, _ := info.Uses[e.Sel].(*types.Var)
		return v
	}
	return nil
}

// accessed is the expression of what an event accesses.
func accessed(e *flow.Event) ast.Expr {
	switch n := e.Node.(type) {
	case *ast.IncDecStmt:
		return n.X
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			if sel, ok := ast.Unparen(l).(*ast.SelectorExpr); ok && len(e.Path.Sel) > len(sel.Sel.Name) && e.Path.Sel[len(e.Path.Sel)-len(sel.Sel.Name)-1:] == "."+sel.Sel.Name {
				return sel
			}
			if id, ok := ast.Unparen(l).(*ast.Ident); ok && e.Path.Sel == "" && id.Name == e.Path.Root.Name() {
				return id
			}
		}
	case ast.Expr:
		return n
	}
	return nil
}

// copied reports whether a location is in a struct that the function was given by value.
func copied(info *types.Info, f *flow.Func, p flow.Path) bool {
	if strings.ContainsAny(p.Sel, "*[") {
		return false
	}
	lists := []*ast.FieldList{f.Type.Params}
	if d, ok := f.Node.(*ast.FuncDecl); ok {
		lists = append(lists, d.Recv)
	}
	for _, l := range lists {
		if l == nil {
			continue
		}
		for _, field := range l.List {
			for _, name := range field.Names {
				if info.Defs[name] == p.Root {
					return p.Sel != ""
				}
			}
		}
	}
	return false
}

// freshIn are the variables of a function that hold what it has made itself.
func freshIn(info *types.Info, f *flow.Func) map[types.Object]bool {
	fresh := map[types.Object]bool{}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) {
				for i, r := range n.Rhs {
					if u, ok := r.(*ast.UnaryExpr); ok && u.Op == token.AND {
						r = u.X
					}
					call, isCall := r.(*ast.CallExpr)
					_, isLit := r.(*ast.CompositeLit)
					if id, ok := n.Lhs[i].(*ast.Ident); ok && (isLit || isCall && info.Types[call.Fun].IsBuiltin()) {
						fresh[info.Defs[id]] = true
					}
				}
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				if t := info.TypeOf(id); t != nil {
					if _, isStruct := t.Underlying().(*types.Struct); isStruct {
						fresh[info.Defs[id]] = true
					}
				}
			}
		}
		return true
	})
	delete(fresh, nil)
	return fresh
}

// alone reports whether nobody else can access a variable at an event: a variable of the function
// that no goroutine has got yet, or that others are done with; code that runs at the beginning.
func (c *checker) alone(f *flow.Func, e *flow.Event, v *types.Var) bool {
	if d, ok := f.Node.(*ast.FuncDecl); ok && (d.Recv == nil && d.Name.Name == "init" || d.Name.Name == "Init" || c.inTest(d) && strings.HasPrefix(d.Name.Name, "Benchmark")) {
		return true // benchmarks run one by one
	}
	local := !v.IsField() && v.Parent() != c.pass.Pkg.Scope()
	waited := !f.Reaches(nil, e, func(x *flow.Event) bool {
		return x.Kind == flow.Acquire && (x.Op == flow.OpGroup || x.Op == flow.OpChan || x.Op == flow.OpQuiet || x.Op == flow.OpCall || x.Op == flow.OpAtomic && local)
	})
	if waited {
		return true
	}
	if !local || f.Node.Pos() > v.Pos() || v.Pos() >= f.Node.End() {
		return false
	}
	for s := range f.Events {
		if s.Kind == flow.Spawns && f.Reaches(s, e, func(*flow.Event) bool { return false }) {
			return false
		}
	}
	return true
}
