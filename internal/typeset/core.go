// Package typeset finds what types are beneath their names, and what those in a type parameter's
// type set have in common.
package typeset

import "go/types"

// Core is the underlying type of t or, for a type parameter, the underlying
// type that all types in its type set share. If they have several, it is the
// interface of the constraint.
func Core(t types.Type) types.Type {
	u := t.Underlying()
	if !IsParam(t) {
		return u
	}
	var one types.Type
	if !addTerms(u, &one) || one == nil {
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

// addTerms looks for the one underlying type of all terms of t.
func addTerms(t types.Type, one *types.Type) bool {
	switch t := t.(type) {
	case *types.Interface:
		for e := range t.EmbeddedTypes() {
			if !addTerms(e, one) {
				return false
			}
		}
		return true
	case *types.Union:
		for term := range t.Terms() {
			if !addTerms(term.Type(), one) {
				return false
			}
		}
		return true
	default:
		u := t.Underlying()
		if i, ok := u.(*types.Interface); ok {
			return addTerms(i, one)
		}
		if *one != nil && !types.Identical(*one, u) {
			return false
		}
		*one = u
		return true
	}
}
