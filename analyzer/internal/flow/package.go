package flow

import (
	"go/ast"
	"go/types"
	"reflect"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/types/typeutil"
)

// Analyzer gives the functions of a package to the checks that require it. Its result is a
// *Package.
var Analyzer = &analysis.Analyzer{
	Name:       "racepredflow",
	Doc:        "tell which functions synchronize, and what functions do to locks",
	Run:        run,
	Requires:   []*analysis.Analyzer{ctrlflow.Analyzer},
	ResultType: reflect.TypeFor[*Package](),
	FactTypes:  []analysis.Fact{new(Syncs), new(Effects)},
}

// Syncs is the fact that a function may synchronize with other goroutines. (F1)
type Syncs struct{}

func (*Syncs) AFact() {}

func (*Syncs) String() string { return "synchronizes" }

// Package has the functions of a package.
type Package struct {
	Info  *types.Info
	Decls map[*types.Func]*ast.FuncDecl
	Order []*types.Func // of Decls, as in the source
	Lits  []*ast.FuncLit

	Concerned bool // false: nothing here starts a goroutine or synchronizes, and Funcs has no functions

	pass     *analysis.Pass
	cfgs     *ctrlflow.CFGs
	funcs    map[ast.Node]*Func // nil while it is built
	literals map[types.Object]*ast.FuncLit
	made     map[types.Object]bool // variables that only ever hold one channel
	syncing  map[*types.Func]bool

	syncingLits map[*ast.FuncLit]bool

	effects map[*types.Func]*Effects
	parents map[*ast.FuncLit]ast.Node

	reaching sync.Mutex
	reached  map[types.Object]reach // guarded by reaching
}

func run(pass *analysis.Pass) (any, error) {
	p := &Package{
		Info: pass.TypesInfo, Decls: map[*types.Func]*ast.FuncDecl{}, pass: pass, cfgs: pass.ResultOf[ctrlflow.Analyzer].(*ctrlflow.CFGs),
		funcs: map[ast.Node]*Func{}, syncing: map[*types.Func]bool{}, effects: map[*types.Func]*Effects{}, parents: map[*ast.FuncLit]ast.Node{},
		syncingLits: map[*ast.FuncLit]bool{}, reached: map[types.Object]reach{},
	}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if fn, ok := pass.TypesInfo.Defs[d.Name].(*types.Func); ok {
					p.Decls[fn] = d
					p.Order = append(p.Order, fn)
				}
			}
		}
		var stack []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case nil:
				stack = stack[:len(stack)-1]
				return true
			case *ast.FuncLit:
				p.Lits = append(p.Lits, n)
				for i := len(stack) - 1; i >= 0 && p.parents[n] == nil; i-- {
					switch up := stack[i].(type) {
					case *ast.FuncLit, *ast.FuncDecl:
						p.parents[n] = up
					}
				}
			}
			stack = append(stack, n)
			return true
		})
	}
	p.findLiterals()
	for _, fn := range p.Order {
		if p.syncs(fn) {
			pass.ExportObjectFact(fn, new(Syncs))
		}
	}
	if p.Concerned = p.concerned(); !p.Concerned {
		return p, nil
	}
	for f := range p.Funcs { // checks run at the same time: they only read
		p.solve(f)
	}
	for _, fn := range p.Order {
		if e := p.effectsOf(fn); len(e.Locks) > 0 {
			pass.ExportObjectFact(fn, e)
		}
	}
	return p, nil
}

// synchronizes are the packages whose importers have concurrency of their own, or tests that may
// run beside each other.
var synchronizes = map[string]bool{"sync": true, "sync/atomic": true, "golang.org/x/sync/errgroup": true, "testing": true}

// concerned reports whether the package synchronizes or starts goroutines; the flow of others is
// not needed.
func (p *Package) concerned() bool {
	for _, i := range p.pass.Pkg.Imports() {
		if synchronizes[i.Path()] {
			return true
		}
	}
	for _, file := range p.pass.Files {
		found := false
		ast.Inspect(file, func(n ast.Node) bool {
			_, ok := n.(*ast.GoStmt)
			found = found || ok
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

// Func is the flow of a function with a body, nil while it is being made.
func (p *Package) Func(n ast.Node) *Func {
	if f, ok := p.funcs[n]; ok {
		return f
	}
	f := &Func{Node: n}
	switch n := n.(type) {
	case *ast.FuncDecl:
		f.Type, f.Body = n.Type, n.Body
	case *ast.FuncLit:
		f.Type, f.Body = n.Type, n.Body
	}
	p.funcs[n] = nil
	p.build(f)
	p.funcs[n] = f
	return f
}

// Funcs are all functions, declared ones first.
func (p *Package) Funcs(yield func(*Func) bool) {
	if !p.Concerned {
		return
	}
	for _, fn := range p.Order {
		if !yield(p.Func(p.Decls[fn])) {
			return
		}
	}
	for _, l := range p.Lits {
		if !yield(p.Func(l)) {
			return
		}
	}
}

// Parent is the function around a literal, nil for one of a package variable.
func (p *Package) Parent(lit *ast.FuncLit) ast.Node { return p.parents[lit] }

// findLiterals finds the local variables that only ever hold one literal.
func (p *Package) findLiterals() {
	p.literals, p.made = map[types.Object]*ast.FuncLit{}, map[types.Object]bool{}
	assigned := map[types.Object]int{}
	set := func(id *ast.Ident, value ast.Expr) {
		obj := p.Info.ObjectOf(id)
		if v, ok := obj.(*types.Var); !ok || v.Parent() == nil || v.Parent() == p.pass.Pkg.Scope() {
			return
		}
		assigned[obj]++
		if lit, ok := ast.Unparen(value).(*ast.FuncLit); ok {
			p.literals[obj] = lit
		}
		if call, ok := ast.Unparen(value).(*ast.CallExpr); ok && p.Info.Types[call.Fun].IsBuiltin() {
			p.made[obj] = true
		}
	}
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if id, ok := l.(*ast.Ident); ok {
						if len(n.Rhs) == len(n.Lhs) {
							set(id, n.Rhs[i])
						} else {
							set(id, nil)
						}
					}
				}
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if i < len(n.Values) {
						set(id, n.Values[i])
					}
				}
			case *ast.UnaryExpr:
				if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op.String() == "&" {
					set(id, nil)
				}
			}
			return true
		})
	}
	for obj, n := range assigned {
		if n != 1 {
			delete(p.literals, obj)
			delete(p.made, obj)
		}
	}
}

// Own reports whether a variable holds a channel or a group that other variables hold only as
// copies of this one.
func (p *Package) Own(v types.Object) bool {
	return p.made[v] || v.Type() != nil && isSync(v.Type()) && !types.IsInterface(v.Type()) && !isPointer(v.Type())
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// literal is the literal that an expression denotes, nil if it is not certain.
func (p *Package) literal(e ast.Expr) *ast.FuncLit {
	switch e := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		return e
	case *ast.Ident:
		return p.literals[p.Info.Uses[e]]
	}
	return nil
}

// neverReturns reports whether a call that is a statement never returns.
func (p *Package) neverReturns(e *ast.CallExpr) bool {
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && p.Info.Uses[id] == types.Universe.Lookup("panic") {
		return true
	}
	fn, ok := typeutil.Callee(p.Info, e).(*types.Func)
	if !ok {
		return false
	}
	if p.cfgs.NoReturn(fn.Origin()) {
		return true
	}
	switch name := fn.Name(); {
	case strings.HasPrefix(name, "Fatal"), name == "FailNow", name == "SkipNow", name == "Skip", name == "Skipf", name == "Goexit":
		return true
	}
	return false
}

// syncs reports whether a declared function may synchronize. (F1)
func (p *Package) syncs(fn *types.Func) bool {
	fn = fn.Origin()
	if fn.Pkg() != p.pass.Pkg {
		return p.pass.ImportObjectFact(fn, new(Syncs))
	}
	if s, ok := p.syncing[fn]; ok {
		return s
	}
	p.syncing[fn] = false // a function that calls itself: what else it does decides
	if d := p.Decls[fn]; d != nil {
		p.syncing[fn] = p.syncsIn(d.Body)
	} else {
		p.syncing[fn] = fn.Pkg() != nil // written elsewhere: in assembly, or in the runtime
	}
	return p.syncing[fn]
}

// syncsIn reports whether code may synchronize.
func (p *Package) syncsIn(body ast.Node) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if found {
			return false
		}
		switch n := n.(type) {
		case *ast.SendStmt, *ast.SelectStmt:
			found = true
		case *ast.UnaryExpr:
			found = n.Op.String() == "<-"
		case *ast.RangeStmt:
			if t := p.Info.TypeOf(n.X); t != nil {
				_, found = t.Underlying().(*types.Chan)
			}
		case *ast.CallExpr:
			found = p.syncCall(n)
		}
		return !found
	})
	return found
}

func (p *Package) syncCall(e *ast.CallExpr) bool {
	switch tv := p.Info.Types[e.Fun]; {
	case tv.IsType():
		return false
	case tv.IsBuiltin():
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		return ok && id.Name == "close"
	}
	if p.literal(e.Fun) != nil {
		return false // its body is looked at where it is written
	}
	if _, _, of := p.method(e); of != nil && isSync(of) {
		return true
	}
	fn := typeutil.StaticCallee(p.Info, e)
	if fn == nil {
		m, ok := typeutil.Callee(p.Info, e).(*types.Func)
		return ok && named.MatchString(m.Name())
	}
	if fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic" {
		return true
	}
	return p.maySync(e, fn)
}
