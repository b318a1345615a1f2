package redundancy

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/site"
)

// Operation is the op of x op= y if it commutes with itself, as package rt numbers them; 0 for all
// others.
type Operation uint8

const (
	operationAdd Operation = iota + 1
	operationAnd
	operationOr
	operationXor
	operationMul
)

var operations = map[token.Token]Operation{
	token.INC: operationAdd, token.DEC: operationAdd, token.ADD_ASSIGN: operationAdd, token.SUB_ASSIGN: operationAdd,
	token.AND_ASSIGN: operationAnd, token.AND_NOT_ASSIGN: operationAnd, token.OR_ASSIGN: operationOr,
	token.XOR_ASSIGN: operationXor, token.MUL_ASSIGN: operationMul,
}

// OperationOf is the operation of x op= y, where x is an integer. The old value of x flows into x
// and nowhere else, and integers commute also when they overflow. The sum of floats depends on the
// order, and so does that of strings.
func OperationOf(info *types.Info, x ast.Expr, tok token.Token) Operation {
	b, ok := info.TypeOf(x).Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return 0
	}
	return operations[tok]
}

// A record of x op= y covers another x op= y with the same op. It covers no read, which may see
// what others added, and no write, which others may see. A write covers it.

func modifyKey(key string, op Operation) string { return fmt.Sprintf("%s op %d", key, op) }

// FindModify returns the fact that covers x op= y, if there is one.
func (s Span) FindModify(op Operation, x ast.Expr) (f Fact, ok bool) {
	if s.All || s.Facts.Off {
		return Fact{}, false
	}
	key, _, ok := s.Location(x)
	if !ok {
		return Fact{}, false
	}
	f, ok = s.Facts.known[modifyKey(key, op)]
	return f, ok
}

// Modified notes x op= y, when the statement is over.
func (s Span) Modified(op Operation, x ast.Expr) {
	if key, uses, ok := s.Location(x); ok && !s.All && !s.Facts.Off {
		s.Facts.writes[modifyKey(key, op)] = Fact{site.OpWrite, x.Pos(), uses}
	}
}

// Unread notes that the program throws away the value that e loads. The load needs no record if x
// op= y of the location was recorded in this span: whatever races with the load races with that
// update, too. (instrument/D2)
func (s Span) Unread(e ast.Expr) {
	for op := operationAdd; op <= operationMul; op++ {
		if f, ok := s.FindModify(op, e); ok {
			if s.Facts.Thrown == nil {
				s.Facts.Thrown = map[ast.Expr]Fact{}
			}
			s.Facts.Thrown[e] = f
			return
		}
	}
}
