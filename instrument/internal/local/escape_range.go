package local

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/library"
	"github.com/racepred/racepred/internal/typeset"
)

// loop visits a range statement. The body of a range over a function is a function that the
// iterator is given: the iterator decides which goroutine runs it. (instrument/L4)
func (x *Escapes) loop(s *ast.RangeStmt) {
	_, function := typeset.Core(x.info.TypeOf(s.X)).(*types.Signature)
	x.value(s.X)
	if function {
		c := &class{}
		x.loops[s] = c
		x.given(s.X, c)
		x.funcs = append(x.funcs, s)
	}
	for _, e := range []ast.Expr{s.Key, s.Value} {
		if e != nil {
			x.assign(e, s.Tok, strange())
		}
	}
	x.stmt(s.Body)
	if function {
		x.funcs = x.funcs[:len(x.funcs)-1]
	}
}

// given gives an iterator the body of a loop, which leaks if the iterator makes it so.
func (x *Escapes) given(iterator ast.Expr, body *class) {
	switch f := ast.Unparen(iterator).(type) {
	case *ast.FuncLit:
		implies(x.pointee(x.litParams(f).At(0)), body)
		return
	case *ast.CallExpr:
		fn := gotypes.StaticCallee(x.info, f)
		if fn != nil && gotypes.FactsOf(fn).Is(library.Iterator) || x.own[fn] != nil && x.returned(x.own[fn], body) {
			return
		}
	default:
		if fn := gotypes.StaticCallee(x.info, &ast.CallExpr{Fun: f}); fn != nil && x.own[fn] != nil {
			implies(x.pointee(fn.Signature().Params().At(0)), body)
			return
		}
	}
	body.leak()
}

// returned gives body to what fn returns, if that is always a function literal.
func (x *Escapes) returned(fn *ast.FuncDecl, body *class) bool {
	literals := true
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) != 1 {
				literals = false
			} else if lit, ok := ast.Unparen(n.Results[0]).(*ast.FuncLit); ok {
				implies(x.pointee(x.litParams(lit).At(0)), body)
			} else {
				literals = false
			}
		}
		return true
	})
	return literals
}

// body reports whether the body of a range over a function is only run by the goroutine at hand.
func (x *Escapes) body(s *ast.RangeStmt) bool {
	return x != nil && x.loops[s] != nil && !x.loops[s].find().leaks
}
