// Package spell writes types: a type and a place in a file -> its text there, if it can be named.
package spell

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// Speller writes types as a file can name them.
type Speller struct {
	Pkg  *types.Package
	Info *types.Info
	File *ast.File

	// Imports imports another package and returns its name; nil: only what the file imports can be
	// named.
	Imports func(pkg *types.Package) (name string, ok bool)
}

// list writes types one after the other, after a prefix.
func (s *Speller) list(n ast.Node) func(prefix string, ts ...types.Type) (string, bool) {
	return func(prefix string, ts ...types.Type) (string, bool) {
		var texts []string
		for _, t := range ts {
			text, ok := s.Spell(t, n)
			if !ok {
				return "", false
			}
			texts = append(texts, text)
		}
		return prefix + strings.Join(texts, ", "), true
	}
}

// Spell writes a type as it can be named at n.
func (s *Speller) Spell(t types.Type, n ast.Node) (text string, ok bool) {
	list := s.list(n)
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			name, ok := s.imported(types.Unsafe, n)
			return name + ".Pointer", ok
		}
		return t.Name(), t.Info()&types.IsUntyped == 0 && gotypes.Universe(s.Pkg, n, t.Name())
	case *types.Pointer:
		return list("*", t.Elem())
	case *types.Slice:
		return list("[]", t.Elem())
	case *types.Map:
		key, ok := s.Spell(t.Key(), n)
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
		elem, ok := s.Spell(t.Elem(), n)
		return "chan (" + elem + ")", ok
	case *types.Interface:
		return s.spellInterface(t, n)
	case *types.Struct:
		return s.spellStruct(t, n)
	case *types.Signature:
		text, ok := s.spellFunc(t, list)
		return "func" + text, ok
	case *types.Alias:
		return s.spellName(t.Obj(), t.TypeArgs(), n, list)
	case *types.TypeParam:
		return s.spellName(t.Obj(), nil, n, list)
	case *types.Named:
		return s.spellName(t.Obj(), t.TypeArgs(), n, list)
	}
	return "", false
}

// spellFunc writes the type of a function, from its parameters on.
func (s *Speller) spellFunc(t *types.Signature, list func(string, ...types.Type) (string, bool)) (string, bool) {
	var params, results []types.Type
	for v := range t.Params().Variables() {
		params = append(params, v.Type())
	}
	for v := range t.Results().Variables() {
		results = append(results, v.Type())
	}
	variadic := ""
	if last := len(params) - 1; t.Variadic() {
		slice, ok := params[last].(*types.Slice)
		if !ok {
			return "", false
		}
		if variadic, ok = list("...", slice.Elem()); !ok {
			return "", false
		}
		if params = params[:last]; last > 0 {
			variadic = ", " + variadic
		}
	}
	in, ok := list("(", params...)
	out, outOK := list("(", results...)
	return in + variadic + ") " + out + ")", ok && outOK
}

// spellName writes a declared type with its arguments.
func (s *Speller) spellName(obj *types.TypeName, args *types.TypeList, n ast.Node, list func(string, ...types.Type) (string, bool)) (string, bool) {
	scope := s.Pkg.Scope().Innermost(n.Pos())
	if scope == nil {
		return "", false
	}
	name := ""
	if _, found := scope.LookupParent(obj.Name(), n.Pos()); found == obj {
		name = obj.Name()
	} else if obj.Exported() && obj.Parent() == obj.Pkg().Scope() {
		if pkg, ok := s.imported(obj.Pkg(), n); ok {
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
func (s *Speller) imported(pkg *types.Package, n ast.Node) (name string, ok bool) {
	scope := s.Pkg.Scope().Innermost(n.Pos())
	if scope == nil {
		return "", false
	}
	for _, spec := range s.File.Imports {
		imported := s.Info.PkgNameOf(spec)
		if imported == nil || imported.Imported() != pkg {
			continue
		}
		if _, found := scope.LookupParent(imported.Name(), n.Pos()); found == imported {
			name, ok = imported.Name(), true
		}
	}
	if !ok && s.Imports != nil {
		return s.Imports(pkg)
	}
	return name, ok
}

// Nameable reports whether a field or method belongs to this package or is exported.
func (s *Speller) Nameable(obj types.Object) bool { return obj.Exported() || obj.Pkg() == s.Pkg }

// spellStruct writes a struct type that has no name.
func (s *Speller) spellStruct(t *types.Struct, n ast.Node) (string, bool) {
	var fields []string
	for i := range t.NumFields() {
		f := t.Field(i)
		text, ok := s.Spell(f.Type(), n)
		if !ok || !s.Nameable(f) {
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
func (s *Speller) spellInterface(t *types.Interface, n ast.Node) (string, bool) {
	if t.Empty() {
		return "interface{}", true
	}
	var methods []string
	for m := range t.Methods() {
		text, ok := s.spellFunc(m.Signature(), s.list(n))
		if !ok || !s.Nameable(m) {
			return "", false
		}
		methods = append(methods, m.Name()+text)
	}
	return "interface{ " + strings.Join(methods, "; ") + " }", t.IsMethodSet()
}
