package plan

import (
	"go/ast"
	"maps"
	"slices"
	"strings"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/hazard"
	"github.com/racepred/racepred/instrument/internal/site"
)

// inOrder visits operands so that the first of several possible panics is the same one as in the
// original. collect lists their hazards in the order of the recording calls that visit puts in. If
// it is enough that a few operands are evaluated before a recording call, they are:
//
// (P1) Replace  s[i] + x.f
//
//	with  runtime.RacepredNow(s[i]) + (*runtime.RacepredR(&x.f, site))
//
// where s is a slice that no other goroutine knows. Otherwise the operands stay as they are, and
// all of them are recorded before the statement, or after the last call in them, if none panics:
//
// (P2) Replace  x.a[y.b[i]]
//
//	with  runtime.RacepredTry(func() { _ = x.a[y.b[i]]; _ = ...; }, site); x.a[y.b[i]]
//
// The function is called at once. It evaluates the operands, and then evaluates them again and
// records them. If that is not possible either, they stay as they are, unrecorded (instrument/P3).
func (w *walker) inOrder(collect func(h *hazard.Hazards), values, targets []ast.Expr, front bool, visit func()) {
	if w.copies || w.trying {
		visit()
		return
	}
	now, ok := w.order(collect)
	switch {
	case ok:
		w.region.now = now
		visit()
	case w.try(values, targets, front):
	default:
		w.leaveOut(values, targets)
	}
}

// try is rule P2. It says whether that was possible; if so it has visited all operands.
// front says that nothing of the statement is evaluated before them.
func (w *walker) try(values, targets []ast.Expr, front bool) bool {
	all := slices.Concat(values, targets)
	literals, restore, ok := w.withoutLiterals(all)
	defer restore()
	if !ok {
		return false
	}
	calls := false
	for _, e := range all {
		if e == nil {
			continue
		}
		ok, once := w.repeatable(e)
		if !ok {
			return false
		}
		calls = calls || once || w.HasPoint(e)
	}
	if calls {
		return w.tryAfter(values, targets, literals, restore)
	}
	anchor := w.Anchor(values, w.region.callee)
	listed := w.stmt != nil && w.stmt.listed && w.stmt.simple && (w.stmt.call == nil || front || w.Hoisted[w.stmt.call] != "") && w.stmt.gap.In(w.Text)
	switch {
	case listed:
		text := w.trial("RacepredTry", values, targets) + "; "
		w.stmt.gap.Append(RuleTrial, text) // after what is done before the statement
	case anchor != nil:
		w.Insert(RuleTrial, anchor.Pos(), w.Runtime+".RacepredAfter(")
		w.Insert(RuleTrial, anchor.End(), ", "+w.trial("RacepredTry", values, targets)+")")
	case len(values) == 1 && len(targets) == 0 && gotypes.IsBool(w.Info.TypeOf(values[0])) && w.stmt != nil:
		text := w.trial("RacepredTryT", values, targets)
		w.Insert(RuleTrial, values[0].Pos(), text+" && (")
		w.Insert(RuleTrial, values[0].End(), ")")
	default:
		return false
	}
	restore()
	for _, e := range all {
		if e != nil {
			w.asItIs(e, literals)
		}
	}
	return true
}

// tryAfter is rule P2 for operands with calls in them. The calls are kept in variables, except for
// a call with several results: it is the only operand besides the callee.
func (w *walker) tryAfter(values, targets []ast.Expr, literals map[ast.Expr]string, restore func()) bool {
	if !w.region.Attach && w.region.Mark == nil {
		return false
	}
	kept := maps.Clone(literals)
	var ends []func()
	all := slices.Concat(values, targets)
	declared := 0
	at := w.stmt
	if at != nil && at.around != nil {
		at = at.around
	}
	if at != nil {
		declared = len(at.declared)
	}
	outer := w.Hoisted
	undo := func() {
		for _, end := range ends {
			end()
		}
		w.Hoisted = outer
		if at != nil {
			at.declared = at.declared[:declared]
		}
	}
	for _, e := range all {
		if e == nil {
			continue
		}
		if !w.HasPoint(e) && !w.Early(e) {
			if _, once := w.repeatable(e); once {
				undo()
				return false
			}
			continue
		}
		if w.SeveralValues(e) {
			kept[e] = ""
			continue
		}
		parts, end, ok := w.keepParts(e)
		if !ok {
			undo()
			return false
		}
		for x, name := range parts {
			kept[x] = name
		}
		ends = append(ends, end)
	}
	if w.region.Mark != nil && kept[w.region.Mark] == "" {
		undo()
		return false
	}
	text := w.trial("RacepredTry", values, targets)
	w.Hoisted = outer
	restore()
	if w.region.Mark != nil {
		w.region.waiting = append(w.region.waiting, text)
	} else {
		w.region.pending = append(w.region.pending, text)
	}
	for _, e := range all {
		if e != nil {
			w.asItIs(e, kept)
		}
	}
	return true
}

// asItIs visits the kept parts of e and changes nothing else. Operands of an expression that is
// evaluated at once are visited later.
func (w *walker) asItIs(e ast.Expr, kept map[ast.Expr]string) {
	if !w.region.atOnce {
		w.keepOnly(e, kept)
		return
	}
	if w.region.tried == nil {
		w.region.tried = map[ast.Expr]map[ast.Expr]string{}
	}
	w.region.tried[e] = kept
}

// trial is the text of a call of fn, which evaluates operands and then records them.
func (w *walker) trial(fn string, values, targets []ast.Expr) string {
	plain := func(e ast.Expr) string { return w.copied(e, func(c *walker) { c.hoistedOnly(e) }) }
	pinned := func(e ast.Expr, text string) string {
		before, after, _ := w.pin(e)
		return before + text + after
	}
	var before, after []string
	value := func(e ast.Expr) {
		if e == nil || w.Hoisted[e] != "" || w.IsConstant(e) || w.Info.Types[e].IsNil() || w.Info.Types[e].IsBuiltin() || w.StaticFunc(e) || w.SeveralValues(e) {
			return
		}
		before = append(before, "_ = "+pinned(e, plain(e)))
		text := pinned(e, w.moved(e, func(m *walker) { m.trying = true; m.eval(e) }))
		if e == w.region.spread {
			fn := "RacepredLoadSlice"
			if gotypes.IsByteString(w.Info.TypeOf(e)) {
				fn = "RacepredLoadBytes"
			}
			text = w.Call(fn, text, w.site(site.OpRead, e.Pos(), w.Written(e)+"[:]"))
		}
		after = append(after, "_ = "+text)
	}
	for _, e := range values {
		value(e)
	}
	for _, e := range targets {
		e = ast.Unparen(e)
		x, isIndex := e.(*ast.IndexExpr)
		switch {
		case gotypes.IsBlank(e):
		case isIndex && gotypes.IsMap(w.Info.TypeOf(x.X)):
			value(x.X)
			value(x.Index)
		default:
			before = append(before, "_ = &"+plain(e))
			if w.Place(e) == expr.PlaceShared {
				if e == w.region.updated {
					after = append(after, w.pointer(site.OpRead, e))
				}
				after = append(after, w.pointer(site.OpWrite, e))
			} else {
				after = append(after, "_ = &"+w.copied(e, func(c *walker) { c.addr(e) }))
			}
		}
	}
	at := slices.Concat(values, targets)[0]
	return w.Call(fn, "func() { "+strings.Join(append(before, after...), "; ")+" }", w.site(site.OpOpaque, at.Pos(), w.Written(at)))
}
