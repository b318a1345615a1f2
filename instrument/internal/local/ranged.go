package local

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/internal/typeset"
)

// The body of a range over a function is a function that the iterator calls, on any goroutine, or
// on several. The variables around it that it uses are captured, as by a function literal.
// (instrument/L4)

// declare notes where v is declared.
func (l *Locals) declare(v *types.Var, funcs []ast.Node) {
	if len(funcs) == 0 {
		return // a field of a type in a package variable's initializer
	}
	l.Owner[v] = l.function(funcs)
	if l.home[v] == nil {
		l.home[v] = funcs[len(funcs)-1]
	}
}

// function is the last of funcs that is not the body of a range.
func (l *Locals) function(funcs []ast.Node) ast.Node {
	for i := len(funcs) - 1; i > 0; i-- {
		if l.bodies[funcs[i]] == nil {
			return funcs[i]
		}
	}
	return funcs[0]
}

// rangeFunc notes the body of s, and that it has the variables of s or assigns them, if s ranges
// over a function.
func (l *Locals) rangeFunc(s *ast.RangeStmt, funcs []ast.Node, direct map[*ast.FuncLit]bool) {
	if _, ok := typeset.Core(l.info.TypeOf(s.X)).(*types.Signature); !ok {
		return
	}
	l.bodies[s.Body] = s
	for _, e := range []ast.Expr{s.Key, s.Value} {
		id, ok := e.(*ast.Ident)
		if !ok {
			continue
		}
		if v, ok := l.info.Defs[id].(*types.Var); ok && s.Tok == token.DEFINE {
			l.home[v] = s.Body
		} else if v, ok := l.info.Uses[id].(*types.Var); ok {
			l.use(v, append(funcs[:len(funcs):len(funcs)], s.Body), direct)
		}
	}
}
