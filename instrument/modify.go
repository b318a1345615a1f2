package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// operation is the op of x op= y if it commutes with itself, as package rt numbers them; 0 for all others.
type operation uint8

const (
	operationAdd operation = iota + 1
	operationAnd
	operationOr
	operationXor
	operationMul
)

var operations = map[token.Token]operation{
	token.INC: operationAdd, token.DEC: operationAdd, token.ADD_ASSIGN: operationAdd, token.SUB_ASSIGN: operationAdd,
	token.AND_ASSIGN: operationAnd, token.AND_NOT_ASSIGN: operationAnd, token.OR_ASSIGN: operationOr,
	token.XOR_ASSIGN: operationXor, token.MUL_ASSIGN: operationMul,
}

// operation is that of x op= y, where x is an integer: what x was flows into x and nowhere else, and what wraps round commutes, too. The sum of floats
// depends on the order, and strings do as well.
func (w *walker) operation(x ast.Expr, tok token.Token) operation {
	b, ok := w.Info.TypeOf(x).Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return 0
	}
	return operations[tok]
}

// modifier is the recorder of x op= y.
//
// (W7) Replace  x.f += 2
//
//	with  *runtime.RacepredModify(&x.f, 1, site, site) += 2
//
// and so in a loop with RacepredOnceModify (C4).
func (w *walker) modifier(op operation, x ast.Expr) recorder {
	return w.onceRecorder(x, "Modify", func() string {
		return strconv.Itoa(int(op)) + ", " + w.site(OpRead, x.Pos(), w.text(x)) + ", " + w.site(OpWrite, x.Pos(), w.text(x))
	}, 2)
}

// modifierAt is pointerAt for a modifier.
func (w *walker) modifierAt(at token.Pos, op operation, x ast.Expr) string {
	return w.placed(at, x, func() string {
		text := w.copied(x, func(c *walker) { c.addr(x) })
		return w.modifier(op, x).on("&" + text)
	})
}

// What x op= y tells covers the same of x with that op, and no read or write: who reads x then may see what others added, and a write of x is seen. A
// write covers it.

func modifyKey(key string, op operation) string { return fmt.Sprintf("%s op %d", key, op) }

// modifies says whether x op= y is to be recorded.
func (w *walker) modifies(op operation, x ast.Expr) bool {
	if op == 0 || w.All || w.facts.off {
		return true
	}
	key, _, ok := w.location(x)
	if !ok {
		return true
	}
	_, known := w.facts.known[modifyKey(key, op)]
	return !known
}

// modified notes x op= y, when the statement is over.
func (w *walker) modified(op operation, tok token.Token, x ast.Expr) {
	x = ast.Unparen(x)
	if op == 0 || !w.stored(x, tok) {
		w.assigned(tok, x)
		return
	}
	key, uses, ok := w.location(x)
	switch {
	case w.All || w.facts.off || !ok:
	case w.modifies(op, x):
		w.facts.writes[modifyKey(key, op)] = fact{OpWrite, x.Pos(), uses}
	default:
		w.dropFor(OpWrite, x, w.facts.known[modifyKey(key, op)])
	}
}

// unread notes that nobody looks at what e loads, if that is a location that x op= y was recorded of in this span: whatever races with the load races with
// that, too. (D2)
func (w *walker) unread(e ast.Expr) {
	e = ast.Unparen(e)
	if w.All || w.facts.off || w.copies {
		return
	}
	key, _, ok := w.location(e)
	if !ok {
		return
	}
	for op := operationAdd; op <= operationMul; op++ {
		if f, ok := w.facts.known[modifyKey(key, op)]; ok {
			if w.facts.thrown == nil {
				w.facts.thrown = map[ast.Expr]fact{}
			}
			w.facts.thrown[e] = f
			return
		}
	}
}
