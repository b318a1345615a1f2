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
		if t.Kind() == types.UnsafePointer {
			name, ok := w.imported(types.Unsafe, n)
			return name + ".Pointer", ok
		}
		return t.Name(), t.Info()&types.IsUntyped == 0 && w.Universe(n, t.Name())
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
		return w.spellInterface(t, n)
	case *types.Struct:
		return w.spellStruct(t, n)
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
		if pkg, ok := w.imported(obj.Pkg(), n); ok {
			name = pkg + "." + obj.Name()
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

// imported is the name by which a package is known at n.
func (w *walker) imported(pkg *types.Package, n ast.Node) (name string, ok bool) {
	scope := w.Pkg.Scope().Innermost(n.Pos())
	if scope == nil {
		return "", false
	}
	for _, spec := range w.File.Imports {
		imported := w.Info.PkgNameOf(spec)
		if imported == nil || imported.Imported() != pkg {
			continue
		}
		if _, found := scope.LookupParent(imported.Name(), n.Pos()); found == imported {
			name, ok = imported.Name(), true
		}
	}
	if !ok && w.importing {
		return w.importAs(pkg)
	}
	return name, ok
}

// nameable says whether a field or method belongs to this package or is exported.
func (w *walker) nameable(obj types.Object) bool { return obj.Exported() || obj.Pkg() == w.Pkg }

// spellStruct writes a struct type that has no name.
func (w *walker) spellStruct(t *types.Struct, n ast.Node) (string, bool) {
	var fields []string
	for i := range t.NumFields() {
		f := t.Field(i)
		text, ok := w.spell(f.Type(), n)
		if !ok || !w.nameable(f) {
			return "", false
		}
		if !f.Embedded() {
			text = f.Name() + " " + text
		}
		if tag := t.Tag(i); tag != "" {
			text += " " + strconv.Quote(tag)
		}
		fields = append(fields, text)
	}
	return "struct{ " + strings.Join(fields, "; ") + " }", true
}

// spellInterface writes an interface type that has no name.
func (w *walker) spellInterface(t *types.Interface, n ast.Node) (string, bool) {
	if t.Empty() {
		return "interface{}", true
	}
	var methods []string
	for m := range t.Methods() {
		text, ok := w.spell(m.Signature(), n)
		if !ok || !w.nameable(m) {
			return "", false
		}
		methods = append(methods, m.Name()+strings.TrimPrefix(text, "func"))
	}
	return "interface{ " + strings.Join(methods, "; ") + " }", t.IsMethodSet()
}
