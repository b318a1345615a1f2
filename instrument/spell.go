package instrument

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

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
