package flow

import (
	"go/ast"
	"go/token"
	"go/types"
)

// reach is who may use a local variable that is no pointer.
type reach struct {
	named  bool // only code that names it: its address is not taken, and no other variable gets what it holds
	direct bool // only literals besides that run in place, deferred, or as a goroutine of their own
	alone  bool // no literal besides
}

// Alone reports whether the function alone that declares a variable can use it: no other goroutine
// has it.
func (p *Package) Alone(v types.Object) bool {
	r := p.reachOf(v)
	return r.named && r.alone
}

// Unreached reports whether a call of a function that is no literal cannot lead to a variable.
func (p *Package) Unreached(v types.Object) bool {
	r := p.reachOf(v)
	return r.named && r.direct
}

func (p *Package) reachOf(v types.Object) reach {
	p.reaching.Lock() // checks run at the same time
	defer p.reaching.Unlock()
	r, ok := p.reached[v]
	if !ok {
		r = p.findReach(v)
		p.reached[v] = r
	}
	return r
}

func (p *Package) findReach(v types.Object) reach {
	local, ok := v.(*types.Var)
	if !ok || local.IsField() || local.Parent() == nil || local.Parent() == p.pass.Pkg.Scope() || isPointer(local.Type()) || types.IsInterface(local.Type()) {
		return reach{}
	}
	r := reach{named: true, direct: true, alone: true}
	for _, fn := range p.Order {
		if d := p.Decls[fn]; d.Pos() <= v.Pos() && v.Pos() < d.End() {
			var stack []ast.Node
			ast.Inspect(d, func(n ast.Node) bool {
				if n == nil {
					stack = stack[:len(stack)-1]
					return true
				}
				if id, ok := n.(*ast.Ident); ok && p.Info.Uses[id] == v {
					p.use(&r, id, stack)
				}
				stack = append(stack, n)
				return true
			})
			return r
		}
	}
	return reach{}
}

// use takes one use of a variable into account.
func (p *Package) use(r *reach, id *ast.Ident, stack []ast.Node) {
	v := p.Info.Uses[id]
	r.named = r.named && p.names(id, stack)
	for i, n := range stack {
		lit, ok := n.(*ast.FuncLit)
		if !ok || lit.Pos() <= v.Pos() && v.Pos() < lit.End() {
			continue
		}
		call, ok := stack[i-1].(*ast.CallExpr)
		switch {
		case !ok:
			r.direct, r.alone = false, false
		case call.Fun == ast.Expr(lit):
			if _, ok := stack[i-2].(*ast.GoStmt); ok {
				r.alone = false
			}
		default: // a function runs it; one that starts a goroutine for it does nothing else with it
			b := &builder{p: p}
			r.direct, r.alone = r.direct && (b.spawner(call) != nil || b.inPlace(call)), false
		}
	}
}

// names reports whether an expression that uses a variable gives neither it nor its address away.
func (p *Package) names(e ast.Expr, stack []ast.Node) bool {
	if len(stack) == 0 {
		return false
	}
	up := stack[len(stack)-1]
	switch up := up.(type) {
	case *ast.ParenExpr:
		return p.names(up, stack[:len(stack)-1])
	case *ast.SelectorExpr:
		if s := p.Info.Selections[up]; s != nil && s.Kind() == types.FieldVal {
			return p.names(up, stack[:len(stack)-1])
		}
		call, ok := stack[max(0, len(stack)-2)].(*ast.CallExpr)
		fn, isFunc := p.Info.Uses[up.Sel].(*types.Func)
		if !ok || !isFunc || ast.Unparen(call.Fun) != ast.Expr(up) || fn.Signature().Recv() == nil {
			return false
		}
		of := fn.Signature().Recv().Type()
		return isSync(of) || typeName(of) == "golang.org/x/sync/errgroup.Group"
	case *ast.SendStmt:
		return up.Chan == e
	case *ast.UnaryExpr:
		return up.Op == token.ARROW
	case *ast.RangeStmt:
		return up.X == e
	case *ast.IncDecStmt:
		return true
	case *ast.CallExpr:
		return up.Fun != e && p.Info.Types[up.Fun].IsBuiltin() && len(up.Args) == 1
	case *ast.AssignStmt:
		for _, l := range up.Lhs {
			if l == e {
				return true
			}
		}
	}
	return false
}
