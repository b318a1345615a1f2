package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/emit"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
	"github.com/racepred/racepred/internal/library"
)

// opaqueSlot notes the opaque calls and missed accesses of the code being visited, and the calls that may come before them.
type opaqueSlot struct {
	pos, end token.Pos // of the first one that is announced without a question; token.NoPos: none
	expr     string
	asking   []asking
	locking  []locking
	several  bool // several calls of it may take locks
	moved    bool // one of them was put into other text
}

// asking is an opaque call if what the program is asked at its site says so.
type asking struct {
	call *ast.CallExpr
	site string
}

// locking is a call after which the goroutine may hold a lock that it did not hold before.
type locking struct {
	call          *ast.CallExpr
	before, after emit.Gap
}

func (s *opaqueSlot) add(pos, end token.Pos, expr string) {
	if s.pos == token.NoPos {
		s.pos, s.end, s.expr = pos, end, expr
	}
}

func (s *opaqueSlot) asks(call *ast.CallExpr, site string) {
	s.asking = append(s.asking, asking{call, site})
}

// announcing visits n, a statement or an expression, or a part of n, with a slot of its own, which it returns. Where a call in n may take a lock, what is opaque and
// may come after it is announced behind it once more: the first announcement came before the lock was held.
//
// (O14) Replace  f(lock(), x)
//
//	with  f(runtime.RacepredAfter(lock(), runtime.RacepredOpaqueHere(site)), x)
func (w *walker) announcing(n ast.Node, visit func()) *opaqueSlot {
	outer := w.opaque
	found := &opaqueSlot{several: n == nil || w.lockingIn(n) > 1}
	w.opaque = found
	visit()
	w.opaque = outer
	for _, l := range found.locking {
		texts := w.behind(found, l.call)
		if len(texts) == 0 {
			continue
		}
		if !l.before.In(w.Text) {
			found.moved = true
			continue
		}
		before, between, after := w.Runtime+".RacepredAfter(", ", ", ")"
		switch several := w.SeveralFunc(l.call); {
		case several != "":
			before, between = w.Runtime+"."+several+"(", ").After("
		case w.hasNoResult(l.call): // it is the first statement of a header
			before, between, after = "func() { ", "; ", " }()"
		case !w.SingleValue(l.call):
			continue // more results than there are helpers for
		}
		for _, text := range texts {
			l.before.Fill(RuleOpaque, before)
			l.after.Append(RuleOpaque, between+text+after)
		}
	}
	return found
}

// behind lists the recording calls for behind a call, or for behind all that were moved before the statement.
func (w *walker) behind(found *opaqueSlot, call *ast.CallExpr) (texts []string) {
	in := func(from, to token.Pos) bool { return call != nil && call.Pos() <= from && to <= call.End() }
	if found.pos != token.NoPos && !in(found.pos, found.end) {
		return []string{w.Call("RacepredOpaqueHere", w.site(site.OpOpaque, found.pos, found.expr))}
	}
	for _, a := range found.asking {
		if !in(a.call.Pos(), a.call.End()) {
			texts = append(texts, w.Call("RacepredAnswered", a.site))
		}
	}
	return texts
}

// lockingCall visits a call that may take a lock by visit.
func (w *walker) lockingCall(e *ast.CallExpr, visit func()) {
	if w.copies || w.opaque == nil || !w.mayLock(e) {
		visit()
		return
	}
	before := w.Gap(e.Pos())
	visit()
	w.opaque.locking = append(w.opaque.locking, locking{e, before, w.Gap(e.End())})
}

// mayLock reports whether the goroutine may hold a lock after a call that it did not hold before.
func (w *walker) mayLock(e *ast.CallExpr) bool {
	if w.CallKind(e) != gotypes.CallFunction {
		return false
	}
	f := w.Static(e)
	return f == nil || !gotypes.FactsOf(f).Is(library.Harmless) || gotypes.FactsOf(f)&(library.Locks|library.RLocks) != 0
}

func (w *walker) hasNoResult(e *ast.CallExpr) bool {
	t, ok := w.Info.TypeOf(e).(*types.Tuple)
	return ok && t.Len() == 0
}

// lockingIn counts the calls in n that may take a lock, without those in statements that n holds.
func (w *walker) lockingIn(n ast.Node) (count int) {
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BlockStmt:
			for _, s := range x.List {
				switch s := s.(type) {
				case *ast.CaseClause:
					for _, e := range s.List {
						count += w.lockingIn(e)
					}
				case *ast.CommClause:
					if s.Comm != nil {
						count += w.lockingIn(s.Comm)
					}
				}
			}
			return false
		case *ast.CallExpr:
			if w.mayLock(x) {
				count++
			}
		}
		return true
	})
	return count
}
