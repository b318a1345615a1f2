package plan

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/racepred/racepred/instrument/internal/redundancy"
	"github.com/racepred/racepred/instrument/internal/site"
)

// modifier is the recorder of x op= y.
//
// (W7) Replace  x.f += 2
//
//	with  *runtime.RacepredModify(&x.f, 1, site, site) += 2
//
// and so in a loop with RacepredOnceModify (C4).
func (w *walker) modifier(op redundancy.Operation, x ast.Expr) recorder {
	return w.onceRecorder(x, "Modify", func() string {
		return strconv.Itoa(int(op)) + ", " + w.site(site.OpRead, x.Pos(), w.Written(x)) + ", " + w.site(site.OpWrite, x.Pos(), w.Written(x))
	}, 2)
}

// modifierAt is pointerAt for a modifier.
func (w *walker) modifierAt(at token.Pos, op redundancy.Operation, x ast.Expr) string {
	return w.Placed(at, x, func() string {
		text := w.copied(x, func(c *walker) { c.addr(x) })
		return w.modifier(op, x).on("&" + text)
	})
}

// modifies reports whether x op= y is to be recorded.
func (w *walker) modifies(op redundancy.Operation, x ast.Expr) bool {
	_, known := w.span().FindModify(op, x)
	return op == 0 || !known
}

// modified notes x op= y, when the statement is over.
func (w *walker) modified(op redundancy.Operation, tok token.Token, x ast.Expr) {
	x = ast.Unparen(x)
	if op == 0 || !w.stored(x, tok) {
		w.assigned(tok, x)
	} else if f, ok := w.span().FindModify(op, x); ok {
		w.dropFor(site.OpWrite, x, f)
	} else {
		w.span().Modified(op, x)
	}
}

// unread notes that the value that e loads is thrown away. (D2)
func (w *walker) unread(e ast.Expr) {
	if !w.copies {
		w.span().Unread(ast.Unparen(e))
	}
}
