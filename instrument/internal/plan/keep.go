package plan

import (
	"go/ast"
	"slices"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// keepParts prepares a load that waits for a later call (R2) and has parts that may be evaluated
// only once, or are evaluated at once: calls, receives, lengths. Their values are kept in variables
// that are declared before the statement.
//
// Replace  f().x + g()
//
//	with  var t1 *T; runtime.RacepredKeep(&t1, f()).x + runtime.RacepredAfter(g(), runtime.RacepredR(&t1.x, site))
//
// ok reports whether that is possible. If so the parts have their names until end is called, and
// keepOnly must visit e.
func (w *walker) keepParts(e ast.Expr) (parts map[ast.Expr]string, end func(), ok bool) {
	at, found, spelled, ok := w.keepable(e)
	if !ok {
		return nil, nil, false
	}
	outer := w.Hoisted
	parts, w.Hoisted = map[ast.Expr]string{}, map[ast.Expr]string{}
	for x, name := range outer {
		w.Hoisted[x] = name
	}
	for i, p := range found {
		name := w.Temp()
		parts[p], w.Hoisted[p] = name, name
		at.declared = append(at.declared, "var "+name+" "+spelled[i]+"; ")
	}
	return parts, func() { w.Hoisted = outer }, true
}

// keepable finds the parts that keepParts would keep, with their types, and the statement that
// their declarations would go before.
func (w *walker) keepable(e ast.Expr) (at *stmtContext, found []ast.Expr, spelled []string, ok bool) {
	at = w.stmt
	if at != nil && at.around != nil {
		at = at.around
	}
	if w.copies || !w.region.Attach && w.region.Mark == nil || at == nil || !at.listed || len(w.Locals.Gotos) > 0 {
		return nil, nil, nil, false
	}
	found, ok = w.Points(e)
	ok = ok && w.MovableBut(e, func(x ast.Expr) bool { return w.Hoisted[x] != "" || slices.Contains(found, x) })
	if !ok || len(found) == 0 {
		return nil, nil, nil, false
	}
	for _, p := range found {
		if w.Hoisted[p] != "" {
			return nil, nil, nil, false
		}
		t, ok := w.speller().Spell(w.Info.TypeOf(p), p)
		if !ok {
			return nil, nil, nil, false
		}
		spelled = append(spelled, t)
	}
	return at, found, spelled, true
}

// keepOnly puts kept parts of e into their variables, visits parts without a name where they stand,
// and changes nothing else.
func (w *walker) keepOnly(e ast.Expr, parts map[ast.Expr]string) {
	if name, ok := parts[e]; ok && name == "" {
		w.value(e)
		return
	} else if ok {
		w.wrapPending(e, func() { // it may be what they wait for, and they need the name
			w.Around(RuleLate, e, w.Runtime+".RacepredKeep(&"+name+", ", func() { w.value(e) }, ")")
		})
		return
	}
	if name, ok := w.Hoisted[e]; ok {
		w.Replace(RuleHoist, e, name)
		return
	}
	if sel, ok := e.(*ast.SelectorExpr); ok && w.Reached[sel] != "" {
		w.Replace(RuleHoist, sel.X, w.Reached[sel])
		return
	}
	for _, x := range gotypes.Operands(e) {
		w.keepOnly(x, parts)
	}
}
