package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/edit"
	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
	"github.com/racepred/racepred/internal/typeset"
)

// rangeStmt visits for k, v := range x.
//
// (N1) The elements are loaded one by one, each when its turn comes:
//
// Replace  for i, v := range s {
//
//	with  for i, v := range s { runtime.RacepredR(&s[i], site);
//
// A slice that is not a local variable gets a name first:
//
// Replace  for _, v := range x.s { ... }
//
//	with  { t1 := x.s; for t2, v := range t1 { runtime.RacepredR(&t1[t2], site); ... } }
func (w *walker) rangeStmt(s *ast.RangeStmt) {
	t := w.Info.TypeOf(s.X)
	hasValue := s.Value != nil && !gotypes.IsBlank(s.Value)
	var body []string
	end := w.straight(s.X)
	inTurn := w.rangeInTurn(s)
	switch {
	case gotypes.IsArray(t):
		if hasValue {
			w.eval(s.X) // a copy of the whole array
		} else if w.HasPoint(s.X) {
			w.eval(s.X)
		}
	case gotypes.ArrayPointer(t) != nil && !hasValue && !w.HasPoint(s.X):
		// Only the length is used, and that is constant.
	case (gotypes.IsSlice(t) || gotypes.ArrayPointer(t) != nil) && hasValue:
		body = w.rangeElements(s)
	default:
		if gotypes.IsMap(t) {
			w.nameSite(site.OpMap, s.X.Pos(), s.X)
		}
		if _, ok := typeset.Core(t).(*types.Chan); ok {
			w.nameSite(site.OpRecv, s.For, s.X)
		}
		if _, ok := typeset.Core(t).(*types.Signature); ok && w.opaque != nil && !w.recordedIterator(s.X) {
			w.rangeFunc(s)
		} else {
			w.eval(s.X)
		}
	}
	end()
	w.span().Again(s)
	leave := w.enterLoop(s)
	w.branch(false, func() { w.rangeBody(s, body, inTurn) })
	leave()
	if w.ends[s] {
		w.Insert(RuleRange, s.End(), " }")
	}
}

// rangeInTurn is rule W6 for what a range assigns; it returns the text of the assignments.
//
// Replace  for x.f, s[i] = range y { ... }
//
//	with  for t1, t2 := range y { *runtime.RacepredW(&x.f, site) = t1; *runtime.RacepredW(&s[i], site) = t2; ... }
func (w *walker) rangeInTurn(s *ast.RangeStmt) string {
	if s.Tok != token.ASSIGN || s.Value == nil || w.inTurn([]ast.Expr{s.Key, s.Value}, s.Tok) == nil || !w.Movable(s.Key) || !w.Movable(s.Value) {
		return ""
	}
	key, value := w.Temp(), w.Temp()
	outer := w.stmt
	w.stmt = nil // nothing can be put before the loop
	first, last := w.Line(s.Pos()), w.Line(s.Body.Lbrace)
	back := w.WithLines(first != last)
	both := []assignment{{lhs: s.Key, text: key}, {lhs: s.Value, text: value}}
	before, text, why := "", "", Reason("")
	if _, ok := typeset.Core(w.Info.TypeOf(s.X)).(*types.Signature); ok { // each by itself (package rangefunc)
		for i := range both {
			b, t, no := w.sequence(s.Tok, both[i:i+1])
			if i > 0 {
				text += "; "
			}
			text += b + t
			why = max(why, no)
		}
	} else {
		before, text, why = w.sequence(s.Tok, both)
	}
	w.stmt = outer
	back()
	if why != "" {
		return ""
	}
	w.rangeNames[s] = key
	w.Replace(RuleInTurn, s.Key, key)
	w.Replace(RuleInTurn, s.Value, value)
	w.Insert(RuleInTurn, s.TokPos, ":")
	if first != last {
		text += edit.LineComment(last)
	}
	return before + text
}

func (w *walker) rangeBody(s *ast.RangeStmt, body []string, inTurn string) {
	tok := s.Tok
	if tok == token.DEFINE && w.oldLoop {
		tok = token.ASSIGN // one variable for the whole loop, assigned in each turn
	}
	if inTurn != "" {
		body = append(body, inTurn)
	} else {
		w.eachTime(s.Body, func() { body = append(body, w.assignedBefore([]ast.Expr{s.Key, s.Value}, tok)...) })
	}
	for _, text := range body {
		w.Ahead(RuleRange, s.Body.Lbrace+1, " "+text+";")
	}
	w.block(s.Body)
}

// rangeElements visits the operand of a range over a slice or an array behind a
// pointer, and returns the call that records an element in its turn.
func (w *walker) rangeElements(s *ast.RangeStmt) (body []string) {
	if w.Fresh(s.X) || w.Converted(s.X) || w.Owned(s.X) {
		w.eval(s.X)
		return nil
	}
	base, hoist := w.rangeBase(s)
	key := ""
	if base != "" {
		key = w.rangeKey(s)
	}
	if key == "" {
		w.eachTime(s.Body, func() { w.miss(s.X, WhyRangeElement) })
		w.eval(s.X)
		return nil
	}
	before := ""
	if s.Tok == token.ASSIGN && gotypes.IsBlank(s.Key) && w.rangeNames[s] == "" { // for _, v = range
		before = key + " := 0; "
	}
	if hoist {
		// { base := x.s; for k, v := range base { ... } }
		before += base + " := " + w.moved(s.X, func(c *walker) { c.eval(s.X) }) + "; "
		w.Replace(RuleRange, s.X, base)
	} else {
		w.eval(s.X)
	}
	if before != "" {
		w.before(RuleRange, s, "{ "+before)
		w.ends[s] = true
	}
	return []string{w.Call("RacepredR", "&"+base+"["+key+"]", w.site(site.OpRead, s.X.Pos(), w.Written(s.X)+"[i]"))}
}

// rangeKey is a name for the index of each turn, "" if there is none.
func (w *walker) rangeKey(s *ast.RangeStmt) string {
	id, isIdent := s.Key.(*ast.Ident)
	switch {
	case w.rangeNames[s] != "":
		return w.rangeNames[s]
	case !isIdent:
	case id.Name != "_" && (s.Tok == token.DEFINE || w.Place(id) == expr.PlaceLocal):
		return id.Name
	case id.Name == "_" && (s.Tok == token.DEFINE || w.blockable()):
		name := w.Temp()
		w.Replace(RuleRange, id, name)
		return name
	}
	return ""
}

// rangeBase is a name for the slice that the loop goes over: its own, if it is a
// local variable that does not change, or a new one.
func (w *walker) rangeBase(s *ast.RangeStmt) (name string, hoist bool) {
	if id, ok := ast.Unparen(s.X).(*ast.Ident); ok && w.Unchanged(id, s) && !sameName(id, s.Key) && !sameName(id, s.Value) {
		return id.Name, false
	}
	if !w.blockable() || !w.Movable(s.X) {
		return "", false
	}
	return w.Temp(), true
}

// blockable reports whether the loop at hand can be put into a block: no goto leads to it.
func (w *walker) blockable() bool {
	return w.stmt != nil && w.stmt.listed && (w.stmt.label == "" || !w.Locals.Gotos[w.stmt.label])
}

func sameName(id *ast.Ident, e ast.Expr) bool {
	other, ok := e.(*ast.Ident)
	return ok && other.Name == id.Name
}

// recordedIterator reports whether ranging over the function x runs recorded code only.
func (w *walker) recordedIterator(x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		opaque, _ := w.judge.IsOpaque(&ast.CallExpr{Fun: x}, w.Locals)
		return !opaque
	}
	fn := w.Static(call)
	return fn != nil && !w.judge.OpaqueFunc(fn)
}

// rangeFunc visits the iterator of a loop. If that is known only when it runs, the program is asked
// about it. Else it is announced before the loop and in each turn: it is unrecorded code.
//
// (O13) Replace  for x := range f {}
//
//	with  for x := range runtime.RacepredCalleeNoted(f, site) { runtime.RacepredAnswered(site); }
func (w *walker) rangeFunc(s *ast.RangeStmt) {
	if w.copies {
		w.eval(s.X)
		return
	}
	call := &ast.CallExpr{Fun: s.X, Lparen: s.X.End(), Rparen: s.X.End() - 1}
	w.noteOpaque(call, true, false)
	if e, ok := ast.Unparen(s.X).(*ast.CallExpr); !ok || w.Static(e) == nil {
		var before, after string
		q := w.questioning(asked{again: !w.ofLibrary()}, func() { before, after = w.ask("RacepredCallee", s.X.Pos(), s.X) })
		if q.again {
			w.opaque.asks(call.Pos(), s.X.End()+1, q.site)
			w.Ahead(RuleOpaque, s.Body.Lbrace+1, " "+w.Call("RacepredAnswered", q.site)+";")
		}
		w.Around(RuleOpaque, s.X, before, func() { w.eval(s.X) }, after)
		return
	}
	w.eval(s.X)
	w.opaque.add(call.Pos(), s.X.End()+1, w.Written(s.X), true)
	w.Ahead(RuleOpaque, s.Body.Lbrace+1, " "+w.opaqueText(call.Pos(), w.Written(s.X))+";")
}
