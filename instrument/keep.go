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
	at, found, spelled, ok := w.keepable(e)
	if !ok {
		return nil, nil, false
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

// keepable finds the parts that keepParts would keep, with their types, and the statement before which they would be declared.
func (w *walker) keepable(e ast.Expr) (at *stmtContext, found []ast.Expr, spelled []string, ok bool) {
	at = w.stmt
	if at != nil && at.around != nil {
		at = at.around
	}
	if w.copies || !w.region.attach && w.region.mark == nil || at == nil || !at.listed || len(w.locals.gotos) > 0 || !w.movable(e) {
		return nil, nil, nil, false
	}
	found, ok = w.points(e)
	if !ok || len(found) == 0 {
		return nil, nil, nil, false
	}
	for _, p := range found {
		if w.hoisted[p] != "" {
			return nil, nil, nil, false
		}
		t, ok := w.spell(w.Info.TypeOf(p), p)
		if !ok {
			return nil, nil, nil, false
		}
		spelled = append(spelled, t)
	}
	return at, found, spelled, true
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
	case *types.Chan:
		switch t.Dir() {
		case types.SendOnly:
			return list("chan<- ", t.Elem())
		case types.RecvOnly:
			return list("<-chan ", t.Elem())
		}
		elem, ok := w.spell(t.Elem(), n)
		return "chan (" + elem + ")", ok
	case *types.Interface:
		return "interface{}", t.Empty()
	case *types.Signature:
		return w.spellFunc(t, list)
	case *types.Alias:
		return w.spellName(t.Obj(), t.TypeArgs(), n, list)
	case *types.TypeParam:
		return w.spellName(t.Obj(), nil, n, list)
	case *types.Named:
		return w.spellName(t.Obj(), t.TypeArgs(), n, list)
	}
	return "", false
}

// spellFunc writes the type of a function.
func (w *walker) spellFunc(t *types.Signature, list func(string, ...types.Type) (string, bool)) (string, bool) {
	var params, results []types.Type
	for v := range t.Params().Variables() {
		params = append(params, v.Type())
	}
	for v := range t.Results().Variables() {
		results = append(results, v.Type())
	}
	variadic := ""
	if last := len(params) - 1; t.Variadic() {
		s, ok := params[last].(*types.Slice)
		if !ok {
			return "", false
		}
		if variadic, ok = list("...", s.Elem()); !ok {
			return "", false
		}
		if params = params[:last]; last > 0 {
			variadic = ", " + variadic
		}
	}
	in, ok := list("func(", params...)
	out, outOK := list("(", results...)
	return in + variadic + ") " + out + ")", ok && outOK
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
