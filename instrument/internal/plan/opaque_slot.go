package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/emit"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
	"github.com/racepred/racepred/internal/library"
	"github.com/racepred/racepred/internal/typeset"
)

// opaqueSlot notes the opaque calls and missed accesses of the code being visited, and the calls
// that may come before them.
type opaqueSlot struct {
	pos     token.Pos // of the first one that is announced without a question; token.NoPos: none
	expr    string
	places  []place
	locking []locking
	surveyed
	moved bool // a call that may take a lock was put into other text
}

// place is where unrecorded code may run.
type place struct {
	pos, end token.Pos
	expr     string
	call     bool   // it is a call, and no missed access
	site     string // "", or where the program is asked whether it does
}

// locking is a call after which the goroutine may hold a lock that it did not hold before.
type locking struct {
	call          *ast.CallExpr
	before, after emit.Gap
}

// surveyed is what is known of code before it is visited.
type surveyed struct {
	locks     int     // calls that may take locks
	opaque    []place // calls that may be opaque
	reordered bool    // calls need not come in the order in which they are written
	callsBack bool    // an iterator may be opaque that runs the body of a loop
}

// add notes what is announced without a question.
func (s *opaqueSlot) add(pos, end token.Pos, expr string, call bool) {
	if s.pos == token.NoPos {
		s.pos, s.expr = pos, expr
	}
	s.places = append(s.places, place{pos: pos, end: end, expr: expr, call: call})
}

// asks notes a call about which the program is asked at the site.
func (s *opaqueSlot) asks(pos, end token.Pos, site string) {
	s.places = append(s.places, place{pos: pos, end: end, call: true, site: site})
}

// announcing visits n, a statement or an expression, or a part of n, with a slot of its own, which
// it returns. Where a call in n may take a lock, what is opaque and may come after it is announced
// behind it once more: the first announcement came before the lock was held.
//
// (O14) Replace  f(lock(), x)
//
//	with  f(runtime.RacepredAfter(lock(), runtime.RacepredOpaqueHere(site)), x)
func (w *walker) announcing(n ast.Node, visit func()) *opaqueSlot {
	outer := w.opaque
	found := &opaqueSlot{surveyed: surveyed{locks: 2, reordered: true}}
	if n != nil {
		found.surveyed = w.survey(n)
	}
	w.opaque = found
	visit()
	w.opaque = outer
	for _, l := range found.locking {
		switch texts := w.behind(found, found.places, l.call); {
		case len(texts) == 0:
		case l.before.In(w.Text):
			w.follow(l, texts)
		default:
			found.moved = true
		}
	}
	return found
}

// follow puts recording calls behind a call that may take a lock.
func (w *walker) follow(l locking, texts []string) {
	before, between, after := w.Runtime+".RacepredAfter(", ", ", ")"
	switch several := w.SeveralFunc(l.call); {
	case several != "":
		before, between = w.Runtime+"."+several+"(", ").After("
	case w.hasNoResult(l.call): // it is the first statement of a header
		before, between, after = "func() { ", "; ", " }()"
	case !w.SingleValue(l.call):
		return // more results than there are helpers for
	}
	for _, text := range texts {
		l.before.Fill(RuleOpaque, before)
		l.after.Append(RuleOpaque, between+text+after)
	}
}

// followMoved is announcing for calls in text that is moved before the statement, when that text is
// complete. The opaque calls of the statement are known by then, its missed accesses are not: they
// are announced behind all that was moved.
func (w *walker) followMoved() {
	if w.copies || w.opaque == nil {
		return
	}
	for _, l := range w.opaque.locking {
		if l.before.In(w.Text) && l.before.Empty() {
			w.follow(l, w.behind(w.opaque, w.opaque.opaque, l.call))
		}
	}
}

// behind lists recording calls to put after a call: they announce those of the places that may be
// evaluated later. If call is nil, they announce all places.
func (w *walker) behind(found *opaqueSlot, places []place, call *ast.CallExpr) (texts []string) {
	for _, p := range places {
		switch {
		case call == nil:
		case call.Pos() <= p.pos && p.end <= call.End(): // an operand of the call
			continue
		case p.call && p.end <= call.Pos() && !found.reordered:
			continue
		}
		if p.site == "" {
			return []string{w.Call("RacepredOpaqueHere", w.site(site.OpOpaque, p.pos, p.expr))}
		}
		texts = append(texts, w.Call("RacepredAnswered", p.site))
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

// mayLock reports whether the goroutine may hold a lock after a call that it did not hold before,
// or another section of it.
func (w *walker) mayLock(e *ast.CallExpr) bool {
	if w.CallKind(e) != gotypes.CallFunction || w.ofLibrary() {
		return false
	}
	f := w.Static(e)
	if f == nil || !gotypes.FactsOf(f).Is(library.Harmless) {
		return true
	}
	switch f.Pkg().Path() {
	case "context", "maps", "slices", "sync", "testing": // they call what they were given, now or earlier
		return true
	}
	for p := range f.Signature().Params().Variables() {
		switch t := p.Type().Underlying().(type) {
		case *types.Signature, *types.Interface:
			return true
		case *types.Slice:
			if types.IsInterface(t.Elem()) {
				return true
			}
		}
	}
	return false
}

// ofLibrary reports whether the package is one of the library that is rewritten. What is asked at a
// site of such a package is asked for all of its callers, so an answer is not kept there (O14): no
// statement of these packages takes a lock, but by a function that would have to return with it.
func (w *walker) ofLibrary() bool { return library.OfPackage(w.Pkg.Path()).Generic }

func (w *walker) hasNoResult(e *ast.CallExpr) bool {
	t, ok := w.Info.TypeOf(e).(*types.Tuple)
	return ok && t.Len() == 0
}

// survey looks at n without the statements that n holds.
func (w *walker) survey(n ast.Node) (s surveyed) {
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BlockStmt:
			for _, c := range x.List {
				switch c := c.(type) {
				case *ast.CaseClause:
					for _, e := range c.List {
						s.add(w.survey(e))
					}
				case *ast.CommClause:
					if c.Comm != nil {
						s.add(w.survey(c.Comm))
					}
				}
			}
			return false
		case *ast.RangeStmt:
			s.reordered = true
			s.callsBack = s.callsBack || !w.ofLibrary() && typeset.IsFunc(w.Info.TypeOf(x.X))
		case *ast.SelectStmt, *ast.ForStmt, *ast.CompositeLit:
			s.reordered = true
		case *ast.CallExpr:
			if w.mayLock(x) {
				s.locks++
			}
			if w.CallKind(x) != gotypes.CallFunction {
				break
			}
			if opaque, _ := w.judge.IsOpaque(x, w.Locals); opaque && !w.FillsOwn(x) {
				s.opaque = append(s.opaque, place{pos: x.Pos(), end: x.End(), expr: w.Written(x.Fun), call: true})
			}
		}
		return true
	})
	return s
}

func (s *surveyed) add(o surveyed) {
	s.locks += o.locks
	s.opaque = append(s.opaque, o.opaque...)
	s.reordered = s.reordered || o.reordered
	s.callsBack = s.callsBack || o.callsBack
}
