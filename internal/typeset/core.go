// Package typeset finds what types are beneath their names, and what those in a type parameter's
// type set have in common.
package typeset

import "go/types"

// Core is the underlying type of t or, for a type parameter, the underlying type that all types in
// its type set share. Of arrays of several lengths, or pointers to such, it is that of the longest:
// they are indexed in the same way. Of channels it is one that only receives or sends, if there is
// one. If the types have nothing in common, it is the interface of the constraint.
func Core(t types.Type) types.Type {
	u := t.Underlying()
	if !IsParam(t) {
		return u
	}
	var one types.Type
	shared := Each(t, func(term types.Type) bool {
		if one != nil {
			term = joined(one, term)
		}
		one = term
		return one != nil
	})
	if !shared || one == nil {
		return u
	}
	return one
}

// IsParam reports whether t is a type parameter.
func IsParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// IsFunc reports whether t is the type of functions. No type is none.
func IsFunc(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// Each calls f with the underlying type of each term of a type set, until it returns false, and
// reports whether it never did. Of a type that is no type parameter and no constraint, that is its
// own.
func Each(t types.Type, f func(types.Type) bool) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		for e := range u.EmbeddedTypes() {
			if !Each(e, f) {
				return false
			}
		}
		return true
	case *types.Union:
		for term := range u.Terms() {
			if !Each(term.Type(), f) {
				return false
			}
		}
		return true
	default:
		return f(u)
	}
}

// Holds reports whether a type set has a term whose underlying type is one.
func Holds(t types.Type, is func(types.Type) bool) bool {
	return !Each(t, func(u types.Type) bool { return !is(u) })
}

// joined is what code may take both types for, nil if there is nothing. Types that it was given for
// are joined to others.
func joined(a, b types.Type) types.Type {
	if types.Identical(a, b) {
		return a
	}
	switch a := a.(type) {
	case *types.Array:
		if b, ok := b.(*types.Array); ok && types.Identical(a.Elem(), b.Elem()) {
			if a.Len() < b.Len() {
				return b
			}
			return a
		}
	case *types.Pointer:
		if b, ok := b.(*types.Pointer); ok {
			x, _ := a.Elem().Underlying().(*types.Array)
			y, _ := b.Elem().Underlying().(*types.Array)
			if x != nil && y != nil && joined(x, y) != nil {
				if x.Len() < y.Len() {
					return b
				}
				return a
			}
		}
	case *types.Chan:
		if b, ok := b.(*types.Chan); ok && types.Identical(a.Elem(), b.Elem()) {
			if a.Dir() == types.SendRecv {
				return b
			}
			return a
		}
	}
	return nil
}
