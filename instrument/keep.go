package instrument

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// keepParts readies a load that waits for a later call (R2) although parts of it may be evaluated only once, or are at once:
// calls, receives, lengths. Their values are kept in variables declared before the statement.
//
// Replace  f().x + g()
//
//	with  var t1 *T; runtime.RacepredKeep(&t1, f()).x + runtime.RacepredAfter(g(), runtime.RacepredR(&t1.x, site))
//
// It says whether that is possible; then the parts are known by their names until the returned function is called, and
// keepOnly is to visit e.
func (w *walker) keepParts(e ast.Expr) (parts map[ast.Expr]string, end func(), ok bool) {
	at := w.stmt
	if at != nil && at.around != nil {
		at = at.around
	}
	if w.copies || !w.region.attach && w.region.mark == nil || at == nil || !at.listed || len(w.locals.gotos) > 0 || !w.movable(e) {
		return nil, nil, false
	}
	found, ok := w.points(e)
	if !ok || len(found) == 0 {
		return nil, nil, false
	}
	var spelled []string
	for _, p := range found {
		if w.hoisted[p] != "" {
			return nil, nil, false
		}
		t, ok := w.spell(w.Info.TypeOf(p), p)
		if !ok {
			return nil, nil, false
		}
		spelled = append(spelled, t)
	}
	outer := w.hoisted
	parts, w.hoisted = map[ast.Expr]string{}, map[ast.Expr]string{}
	for x, name := range outer {
		w.hoisted[x] = name
	}
	for i, p := range found {
		name := w.temp()
		parts[p], w.hoisted[p] = name, name
		at.declared = append(at.declared, "var "+name+" "+spelled[i]+"; ")
	}
	return parts, func() { w.hoisted = outer }, true
}

// keepOnly visits the parts of e that are kept, or visited where they stand if they have no name, and changes nothing else.
func (w *walker) keepOnly(e ast.Expr, parts map[ast.Expr]string) {
	if name, ok := parts[e]; ok && name == "" {
		w.value(e)
		return
	} else if ok {
		w.around(RuleLate, e, w.rt+".RacepredKeep(&"+name+", ", func() { w.value(e) }, ")")
		return
	}
	if name, ok := w.hoisted[e]; ok {
		w.replace(RuleHoist, e, name)
		return
	}
	if sel, ok := e.(*ast.SelectorExpr); ok && w.reached[sel] != "" {
		w.replace(RuleHoist, sel.X, w.reached[sel])
		return
	}
	for _, x := range operands(e) {
		w.keepOnly(x, parts)
	}
}

// spell writes a type as it can be named at n.
func (w *walker) spell(t types.Type, n ast.Node) (text string, ok bool) {
	list := func(prefix string, ts ...types.Type) (string, bool) {
		var texts []string
		for _, t := range ts {
			text, ok := w.spell(t, n)
			if !ok {
				return "", false
			}
			texts = append(texts, text)
		}
		return prefix + strings.Join(texts, ", "), true
	}
	switch t := t.(type) {
	case *types.Basic:
		return t.Name(), t.Info()&types.IsUntyped == 0 && t.Kind() != types.UnsafePointer && w.universe(n, t.Name())
	case *types.Pointer:
		return list("*", t.Elem())
	case *types.Slice:
		return list("[]", t.Elem())
	case *types.Map:
		key, ok := w.spell(t.Key(), n)
		if !ok {
			return "", false
		}
		return list("map["+key+"]", t.Elem())
	case *types.Array:
		return list("["+strconv.FormatInt(t.Len(), 10)+"]", t.Elem())
	case *types.Alias:
		return w.spellName(t.Obj(), t.TypeArgs(), n, list)
	case *types.TypeParam:
		return w.spellName(t.Obj(), nil, n, list)
	case *types.Named:
		return w.spellName(t.Obj(), t.TypeArgs(), n, list)
	}
	return "", false
}

// spellName writes a declared type with its arguments.
func (w *walker) spellName(obj *types.TypeName, args *types.TypeList, n ast.Node, list func(string, ...types.Type) (string, bool)) (string, bool) {
	scope := w.Pkg.Scope().Innermost(n.Pos())
	if scope == nil {
		return "", false
	}
	name := ""
	if _, found := scope.LookupParent(obj.Name(), n.Pos()); found == obj {
		name = obj.Name()
	} else if obj.Exported() && obj.Parent() == obj.Pkg().Scope() {
		for _, spec := range w.File.Imports {
			imported := w.Info.PkgNameOf(spec)
			if imported == nil || imported.Imported() != obj.Pkg() {
				continue
			}
			if _, found := scope.LookupParent(imported.Name(), n.Pos()); found == imported {
				name = imported.Name() + "." + obj.Name()
			}
		}
	}
	if name == "" || args.Len() == 0 {
		return name, name != ""
	}
	var ts []types.Type
	for t := range args.Types() {
		ts = append(ts, t)
	}
	text, ok := list(name+"[", ts...)
	return text + "]", ok
}
