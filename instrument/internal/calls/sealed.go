package calls

import (
	"go/ast"
	"go/types"
	"iter"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/library"
)

// PureMethod reports whether an interface's method is known to be harmless, whichever type
// implements it.
func (j *Judge) PureMethod(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return true // error.Error
	}
	if !fn.Exported() && fn.Pkg() == j.Pkg {
		return true // only types of this package implement it, and this package is recorded
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		return false
	}
	named, ok := types.Unalias(recv.Type()).(*types.Named)
	if !ok {
		return false
	}
	obj := named.Obj()
	if obj.Pkg() == nil {
		return true
	}
	if library.OfType(obj.Pkg().Path(), obj.Name())&library.SafeMethods != 0 {
		return true
	}
	if j.Recorded != nil && j.Recorded(obj.Pkg().Path()) && gotypes.FactsOf(fn).Is(library.Contained) {
		return true // all types that implement it are the library's, and have it contained
	}
	return obj.Pkg() == j.Pkg && sealed(named) && !j.promotes(named, fn)
}

// sealed reports whether an interface has a method that only its own package can implement.
func sealed(t *types.Named) bool {
	i, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range i.Methods() {
		if !m.Exported() && m.Pkg() == t.Obj().Pkg() {
			return true
		}
	}
	return false
}

// promotes reports whether a type of this package that implements a sealed interface has fn from an
// embedded type. That type may be one of another package (as with code that gRPC generates).
func (j *Judge) promotes(named *types.Named, fn *types.Func) bool {
	iface, ok := named.Underlying().(*types.Interface)
	if !ok {
		return true
	}
	if j.promoted == nil {
		j.promoted = map[*types.Func]bool{}
	}
	found, known := j.promoted[fn]
	if known {
		return found
	}
	for t := range j.concrete() {
		if generic, ok := t.(*types.Named); (!ok || generic.TypeParams().Len() == 0) && !types.Implements(types.NewPointer(t), iface) {
			continue
		}
		m, _, _ := types.LookupFieldOrMethod(t, true, j.Pkg, fn.Name())
		if m, ok := m.(*types.Func); ok && !j.knownMethod(m) {
			found = true
			break
		}
	}
	j.promoted[fn] = found
	return found
}

// knownMethod reports whether a method of a type is recorded. A method of an embedded interface is,
// if only types of this package implement the interface: promotes asks about those types
// themselves.
func (j *Judge) knownMethod(m *types.Func) bool {
	recv := m.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) {
		return !j.OpaqueFunc(m)
	}
	named, ok := types.Unalias(recv.Type()).(*types.Named)
	return ok && named.Obj().Pkg() == j.Pkg && sealed(named)
}

// concrete lists the types of this package that may implement an interface: those with a name, and
// structs.
func (j *Judge) concrete() iter.Seq[types.Type] {
	return func(yield func(types.Type) bool) {
		for _, obj := range j.Info.Defs {
			if name, ok := obj.(*types.TypeName); ok && !types.IsInterface(name.Type()) && !yield(name.Type()) {
				return
			}
		}
		for e, tv := range j.Info.Types {
			if _, ok := e.(*ast.StructType); ok && tv.Type != nil && !yield(tv.Type) {
				return
			}
		}
	}
}
