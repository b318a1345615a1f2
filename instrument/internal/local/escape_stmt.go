package local

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// stmt visits a statement and all that is in it.
func (x *Escapes) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case nil:
	case *ast.ExprStmt:
		x.value(s.X)
	case *ast.SendStmt:
		x.value(s.Chan)
		x.leak(s.Value)
	case *ast.IncDecStmt:
		x.target(s.X)
	case *ast.AssignStmt:
		x.assignment(s)
	case *ast.DeclStmt:
		x.declaration(s)
	case *ast.GoStmt:
		x.spawn(s.Call)
	case *ast.DeferStmt:
		x.value(s.Call)
	case *ast.ReturnStmt:
		x.leakAll(s.Results)
	case *ast.BlockStmt:
		x.stmts(s.List)
	case *ast.IfStmt:
		x.optional(s.Init)
		x.value(s.Cond)
		x.stmt(s.Body)
		x.optional(s.Else)
	case *ast.SwitchStmt:
		x.optional(s.Init)
		if s.Tag != nil {
			x.value(s.Tag)
		}
		x.stmt(s.Body)
	case *ast.TypeSwitchStmt:
		x.optional(s.Init)
		x.guard(s)
		x.stmt(s.Body)
	case *ast.CaseClause:
		if v, ok := x.info.Implicits[s].(*types.Var); ok {
			x.declareVar(v, true)
		}
		for _, e := range s.List {
			x.value(e)
		}
		x.stmts(s.Body)
	case *ast.SelectStmt:
		x.stmt(s.Body)
	case *ast.CommClause:
		x.optional(s.Comm)
		x.stmts(s.Body)
	case *ast.ForStmt:
		x.optional(s.Init)
		if s.Cond != nil {
			x.value(s.Cond)
		}
		x.optional(s.Post)
		x.stmt(s.Body)
	case *ast.RangeStmt:
		x.loop(s)
	case *ast.LabeledStmt:
		x.stmt(s.Stmt)
	}
}

func (x *Escapes) stmts(list []ast.Stmt) {
	for _, s := range list {
		x.stmt(s)
	}
}

func (x *Escapes) optional(s ast.Stmt) {
	if s != nil {
		x.stmt(s)
	}
}

func (x *Escapes) guard(s *ast.TypeSwitchStmt) {
	switch g := s.Assign.(type) {
	case *ast.ExprStmt:
		x.value(g.X)
	case *ast.AssignStmt:
		x.value(g.Rhs[0])
	}
}

// spawn visits go f(x): the new goroutine knows it all.
func (x *Escapes) spawn(call *ast.CallExpr) {
	if fun, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && x.info.Selections[fun] != nil {
		if s := x.info.Selections[fun]; s.Kind() == types.MethodVal && gotypes.PointerReceiver(s) {
			x.receiver(fun, s).leak()
		} else {
			x.leak(fun.X)
		}
	} else if !x.info.Types[call.Fun].IsBuiltin() {
		x.leak(call.Fun)
	}
	x.leakAll(call.Args)
}

// assignment visits x, y = a, b and its like.
func (x *Escapes) assignment(s *ast.AssignStmt) {
	if len(s.Lhs) != len(s.Rhs) {
		x.value(s.Rhs[0])
		for _, lhs := range s.Lhs {
			x.assign(lhs, s.Tok, strange())
		}
		return
	}
	for i, lhs := range s.Lhs {
		x.assign(lhs, s.Tok, x.value(s.Rhs[i]))
	}
}

// assign lets lhs refer to what c does.
func (x *Escapes) assign(lhs ast.Expr, tok token.Token, c *class) {
	if id, ok := ast.Unparen(lhs).(*ast.Ident); ok {
		if id.Name == "_" {
			return
		}
		if tok == token.DEFINE {
			x.declare(id, false)
		}
		if v := x.local(id); v != nil {
			x.used(v)
			if refers(v.Type()) {
				join(x.pointee(v), c)
			} else {
				c.leak()
			}
			return
		}
		c.leak()
		return
	}
	if tok == token.ASSIGN {
		c.leak()
	}
	x.target(lhs)
}

// target visits what is assigned.
func (x *Escapes) target(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		x.value(e.X)
		if t := x.info.TypeOf(e.X); t != nil && gotypes.IsMap(t) {
			x.leak(e.Index)
		} else {
			x.value(e.Index)
		}
	default:
		x.value(e)
	}
}

func (x *Escapes) declaration(s *ast.DeclStmt) {
	decl, ok := s.Decl.(*ast.GenDecl)
	if !ok || decl.Tok != token.VAR {
		return
	}
	for _, spec := range decl.Specs {
		spec, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		single := len(spec.Values) == len(spec.Names)
		if !single {
			for _, v := range spec.Values {
				x.value(v)
			}
		}
		for i, id := range spec.Names {
			switch {
			case single:
				x.assign(id, token.DEFINE, x.value(spec.Values[i]))
			default:
				x.declare(id, len(spec.Values) > 0)
			}
		}
	}
}
