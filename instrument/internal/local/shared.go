package local

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/library"
)

// Locals says which local variables of one declared function, and of the
// function literals in it, another goroutine could reach.
type Locals struct {
	info      *types.Info
	Owner     map[*types.Var]ast.Node     // the function that declares it
	home      map[*types.Var]ast.Node     // that, or the body of a range over a function, if it declares it
	captured  map[*types.Var]bool         // used by a literal that may run later
	Inner     map[*types.Var]bool         // used by a literal of any kind
	known     map[*types.Var]bool         // used by a literal that another goroutine may run
	Assigned  map[*types.Var]bool         // other than by its declaration
	addressed map[*types.Var]bool         // its address was taken
	literals  map[*types.Var]bool         // a func variable that only ever holds literals
	other     map[*types.Var]bool         // a func variable that holds something else, too
	bodies    map[ast.Node]*ast.RangeStmt // the bodies of ranges over functions
	Gotos     map[string]bool             // labels that a goto names
	Turn      map[*types.Var]bool         // declared by the init statement of a for: one variable each turn
	Escapes   *Escapes                    // nil: nothing is known to stay local
	oldLoops  bool                        // one variable per loop: before go1.22
}

// FindLocals looks through a function. root is an *ast.FuncDecl, or an expression
// outside of every function.
func FindLocals(info *types.Info, root ast.Node, oldLoops bool, escapes *Escapes) *Locals {
	l := &Locals{
		info:      info,
		Owner:     map[*types.Var]ast.Node{},
		home:      map[*types.Var]ast.Node{},
		captured:  map[*types.Var]bool{},
		Inner:     map[*types.Var]bool{},
		known:     map[*types.Var]bool{},
		Assigned:  map[*types.Var]bool{},
		addressed: map[*types.Var]bool{},
		literals:  map[*types.Var]bool{},
		other:     map[*types.Var]bool{},
		bodies:    map[ast.Node]*ast.RangeStmt{},
		Gotos:     map[string]bool{},
		Turn:      map[*types.Var]bool{},
		oldLoops:  oldLoops,
		Escapes:   escapes,
	}
	direct := directLiterals(root)
	var funcs []ast.Node // the functions around the node at hand, and the bodies of ranges over functions, outermost first
	var stack []ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if len(funcs) > 0 && funcs[len(funcs)-1] == top {
				funcs = funcs[:len(funcs)-1]
			}
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			funcs = append(funcs, n)
		case *ast.BlockStmt:
			if l.bodies[n] != nil {
				funcs = append(funcs, n)
			}
		case *ast.Ident:
			if v, ok := info.Defs[n].(*types.Var); ok {
				l.declare(v, funcs)
			} else if v, ok := info.Uses[n].(*types.Var); ok {
				l.use(v, funcs, direct)
			}
		case *ast.CaseClause:
			if v, ok := info.Implicits[n].(*types.Var); ok {
				l.declare(v, funcs)
			}
		case *ast.AssignStmt:
			l.assign(n)
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					l.holds(name, n.Values[i])
				}
			}
		case *ast.ForStmt:
			if init, ok := n.Init.(*ast.AssignStmt); ok && init.Tok == token.DEFINE {
				for _, e := range init.Lhs {
					l.mark(l.Turn, e)
				}
			}
		case *ast.IncDecStmt:
			l.mark(l.Assigned, n.X)
		case *ast.RangeStmt:
			l.rangeFunc(n, funcs, direct)
			if n.Tok == token.ASSIGN || l.oldLoops {
				l.mark(l.Assigned, n.Key)
				l.mark(l.Assigned, n.Value)
			}
		case *ast.ReturnStmt:
			if len(n.Results) > 0 {
				l.results(l.function(funcs))
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				l.mark(l.addressed, n.X)
			}
		case *ast.SliceExpr:
			if gotypes.IsArray(info.TypeOf(n.X)) {
				l.mark(l.addressed, n.X)
			}
		case *ast.SelectorExpr:
			if sel := info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal && gotypes.PointerReceiver(sel) && !gotypes.IsPointer(info.TypeOf(n.X)) {
				l.mark(l.addressed, n.X)
			}
		case *ast.BranchStmt:
			if n.Tok == token.GOTO {
				l.Gotos[n.Label.Name] = true
			}
		}
		return true
	})
	return l
}

// directLiterals finds the literals that run at once and on the same goroutine:
// func(){...}() and defer func(){...}().
func directLiterals(root ast.Node) map[*ast.FuncLit]bool {
	direct := map[*ast.FuncLit]bool{}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if lit, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
				if _, spawned := direct[lit]; !spawned {
					direct[lit] = true
				}
			}
		case *ast.GoStmt:
			if lit, ok := ast.Unparen(n.Call.Fun).(*ast.FuncLit); ok {
				direct[lit] = false
			}
		}
		return true
	})
	return direct
}

func (l *Locals) use(v *types.Var, funcs []ast.Node, direct map[*ast.FuncLit]bool) {
	home := l.home[v]
	if home == nil {
		return // a field or a package variable
	}
	if len(funcs) > 0 && funcs[len(funcs)-1] != home {
		l.Inner[v] = true
	}
	for i := len(funcs) - 1; i >= 0 && funcs[i] != home; i-- {
		stays := false // with the goroutine at hand
		switch fn := funcs[i].(type) {
		case *ast.FuncLit:
			if direct[fn] {
				continue
			}
			stays = l.Escapes.literal(fn) // (instrument/L4)
		case *ast.BlockStmt:
			if l.Escapes.body(l.bodies[fn]) {
				continue // it is run here and now
			}
		}
		l.captured[v] = true
		if !stays {
			l.known[v] = true
			return
		}
	}
}

func (l *Locals) assign(n *ast.AssignStmt) {
	for i, lhs := range n.Lhs {
		if len(n.Lhs) == len(n.Rhs) {
			l.holds(lhs, n.Rhs[i])
		} else {
			l.holds(lhs, nil)
		}
		if id, ok := lhs.(*ast.Ident); ok && n.Tok == token.DEFINE && l.info.Defs[id] != nil {
			continue // the declaration itself
		}
		l.mark(l.Assigned, lhs)
	}
}

// holds notes what a func variable was given: a literal, or something else.
func (l *Locals) holds(lhs, rhs ast.Expr) {
	id, ok := lhs.(*ast.Ident)
	if !ok {
		return
	}
	v, _ := l.info.ObjectOf(id).(*types.Var)
	if v == nil {
		return
	}
	if rhs != nil {
		switch f := ast.Unparen(rhs).(type) {
		case *ast.FuncLit:
			l.literals[v] = true
			return
		case *ast.SelectorExpr:
			if sel := l.info.Selections[f]; sel != nil && sel.Kind() == types.MethodVal && ofLock(sel.Obj()) {
				l.literals[v] = true
				return
			}
		}
	}
	l.other[v] = true
}

// ofLock reports whether a method is one of sync.Mutex, sync.RWMutex, or sync.Locker, by whose
// contract it is harmless (instrument/O3).
func ofLock(m types.Object) bool {
	fn, ok := m.(*types.Func)
	return ok && gotypes.FactsOf(fn)&(library.Locks|library.RLocks|library.Unlocks) != 0
}

// OnlyLiterals reports whether v is a func variable that calls recorded code for certain.
func (l *Locals) OnlyLiterals(v *types.Var) bool {
	return l.literals[v] && !l.other[v] && !l.addressed[v]
}

// results marks a function's named results: return x assigns them.
func (l *Locals) results(fn ast.Node) {
	for _, id := range gotypes.ResultNames(fn) {
		if v, ok := l.info.Defs[id].(*types.Var); ok {
			l.Assigned[v] = true
		}
	}
}

// mark adds the variable that e is, or is a part of, to set.
func (l *Locals) mark(set map[*types.Var]bool, e ast.Expr) {
	for e != nil {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			if sel := l.info.Selections[x]; sel == nil || sel.Indirect() {
				return
			}
			e = x.X
		case *ast.IndexExpr:
			if !gotypes.MayBeArray(l.info.TypeOf(x.X)) {
				return
			}
			e = x.X
		case *ast.Ident:
			if v, ok := l.info.ObjectOf(x).(*types.Var); ok {
				set[v] = true
			}
			return
		default:
			return
		}
	}
}

// Shared reports whether another goroutine could read or write v while this one
// uses it (rule S of package instrument). With all, every captured variable counts.
func (l *Locals) Shared(v *types.Var, all bool) bool {
	if gotypes.IsPackageVar(v) {
		return true
	}
	if l == nil {
		return false
	}
	return l.addressed[v] && !l.Escapes.variable(v) || l.known[v] && (l.Assigned[v] || all)
}

// Changeable reports whether a call could change v without the function at hand assigning it.
func (l *Locals) Changeable(v *types.Var) bool {
	return gotypes.IsPackageVar(v) || l != nil && (l.addressed[v] || l.captured[v] && l.Assigned[v])
}
