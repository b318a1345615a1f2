package gotypes

import (
	"go/types"

	"github.com/racepred/racepred/internal/typeset"
)

func IsPointer(t types.Type) bool {
	_, ok := typeset.Core(t).(*types.Pointer)
	return ok
}

func IsArray(t types.Type) bool {
	_, ok := typeset.Core(t).(*types.Array)
	return ok
}

// MayBeArray reports whether t is an array type, or a type parameter for arrays and for types that
// have nothing in common with them, such as slices. An element of a variable of that type may be a
// part of the variable.
func MayBeArray(t types.Type) bool {
	return typeset.Holds(t, func(u types.Type) bool {
		_, ok := u.(*types.Array)
		return ok
	})
}

// MayBeMap reports whether t is a map or a channel, or a type parameter for such and for other
// types: what its length is, goroutines learn from each other.
func MayBeMap(t types.Type) bool {
	return typeset.Holds(t, func(u types.Type) bool {
		switch u.(type) {
		case *types.Map, *types.Chan:
			return true
		}
		return false
	})
}

func IsMap(t types.Type) bool {
	_, ok := typeset.Core(t).(*types.Map)
	return ok
}

func IsSlice(t types.Type) bool {
	_, ok := typeset.Core(t).(*types.Slice)
	return ok
}

func IsString(t types.Type) bool {
	b, ok := typeset.Core(t).(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// IsByteString reports whether t is a type parameter that both strings and slices of bytes satisfy,
// and nothing else does.
func IsByteString(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return false
	}
	strings, slices := false, false
	return typeset.Each(p, func(u types.Type) bool {
		switch u := u.(type) {
		case *types.Basic:
			strings = true
			return u.Kind() == types.String
		case *types.Slice:
			slices = true
			return types.Identical(u.Elem(), types.Typ[types.Byte])
		}
		return false
	}) && strings && slices
}

// IsBool reports whether t is bool and no other boolean type. A condition may stay untyped.
func IsBool(t types.Type) bool {
	return types.Identical(t, types.Typ[types.Bool]) || types.Identical(t, types.Typ[types.UntypedBool])
}

func IsInterface(t types.Type) bool {
	_, ok := typeset.Core(t).(*types.Interface)
	return ok
}

// PointerShaped reports whether an interface holds a value of type t without a pointer to it.
func PointerShaped(t types.Type) bool {
	switch u := typeset.Core(t).(type) {
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// ArrayPointer returns the array that t points to, or nil.
func ArrayPointer(t types.Type) *types.Array {
	p, ok := typeset.Core(t).(*types.Pointer)
	if !ok {
		return nil
	}
	a, _ := typeset.Core(p.Elem()).(*types.Array)
	return a
}

// StructOf returns the struct that t is or points to, or nil.
func StructOf(t types.Type) *types.Struct {
	if p, ok := typeset.Core(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	s, _ := typeset.Core(t).(*types.Struct)
	return s
}

// PointerReceiver reports whether the selected method takes a pointer.
func PointerReceiver(sel *types.Selection) bool {
	f, ok := sel.Obj().(*types.Func)
	if !ok {
		return false
	}
	recv := f.Signature().Recv()
	return recv != nil && IsPointer(recv.Type())
}

// DependsOnTypeParam reports whether the size of t may depend on a type parameter.
func DependsOnTypeParam(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		return DependsOnTypeParam(t.Underlying())
	case *types.Array:
		return DependsOnTypeParam(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if DependsOnTypeParam(f.Type()) {
				return true
			}
		}
	}
	return false
}

// Sizes are those of any 64-bit target: good enough to tell large from small.
var Sizes = types.SizesFor("gc", "amd64")

func IsBasic(t types.Type) bool {
	_, ok := typeset.Core(t).(*types.Basic)
	return ok
}

func IsUnsafe(t types.Type) bool {
	b, ok := typeset.Core(t).(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}
