package plan

import (
	"go/ast"
	"go/types"
	"maps"

	"github.com/racepred/racepred/instrument/internal/edit"
	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// repeatable reports whether the text of e can be put elsewhere and be evaluated three times. Calls
// of functions in it are kept, so they do not count. once says whether it has calls of built-in
// functions that may be evaluated only once.
func (w *walker) repeatable(e ast.Expr) (ok, once bool) {
	ok = w.MovableBut(e, w.StandsIn)
	ast.Inspect(e, func(n ast.Node) bool {
		if x, is := n.(ast.Expr); is && (w.Hoisted[x] != "" || w.IsConstant(x)) {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			ok = false
		case *ast.CallExpr:
			switch w.CallKind(n) {
			case gotypes.CallFunction:
				return false
			case gotypes.CallBuiltin:
				switch w.Builtin(n) {
				case "append", "copy", "clear", "delete", "close", "print", "println", "panic", "recover":
					once = true
				}
			}
		}
		return ok
	})
	if !w.IsConstant(e) && !w.Info.Types[e].IsNil() {
		_, _, pinned := w.pin(e)
		ok = ok && pinned
	}
	return ok, once
}

// withoutLiterals replaces function literals in operands by nil functions in text that is evaluated
// again: making a literal has no effect that could be seen. Literals in calls are kept with the
// calls. restore ends it. found are to be visited where they stand.
func (w *walker) withoutLiterals(operands []ast.Expr) (found map[ast.Expr]string, restore func(), ok bool) {
	outer := w.Hoisted
	found, ok = map[ast.Expr]string{}, true
	for _, e := range operands {
		if e == nil {
			continue
		}
		ast.Inspect(e, func(n ast.Node) bool {
			x, is := n.(ast.Expr)
			if !is || w.StandsIn(x) {
				return !is
			}
			lit, is := x.(*ast.FuncLit)
			if is {
				ok = ok && w.Movable(lit.Type)
				found[lit] = "(" + edit.OneLine(w.Written(lit.Type), func(int) string { return "" }) + ")(nil)"
			}
			return !is
		})
	}
	if len(found) > 0 {
		w.Hoisted = maps.Clone(outer)
		if w.Hoisted == nil {
			w.Hoisted = map[ast.Expr]string{}
		}
		maps.Copy(w.Hoisted, found)
	}
	for lit := range found {
		found[lit] = "" // visited where it stands
	}
	return found, func() { w.Hoisted = outer }, ok
}

// Pinnable reports whether the value of e can be passed through a call and keep its type.
func (w *walker) Pinnable(e ast.Expr) bool {
	tv := w.Info.Types[e]
	if tv.Value != nil || tv.IsNil() || w.Typed(e) {
		return w.Typed(e)
	}
	_, _, ok := w.pin(e)
	return ok
}

// pin is the conversion around e that gives it the type that it has where it stands, if it is a
// comparison or a shift of constants that has no type of its own. ok is false if the type cannot be
// spelled.
func (w *walker) pin(e ast.Expr) (before, after string, ok bool) {
	t := w.Info.TypeOf(e)
	if w.Typed(e) || t == nil {
		return "", "", true
	}
	if _, several := t.(*types.Tuple); several || gotypes.IsBool(t) {
		return "", "", true
	}
	text, ok := w.speller().Spell(t, e)
	return text + "(", ")", ok
}
