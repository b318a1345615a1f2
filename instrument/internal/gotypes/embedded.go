package gotypes

import (
	"go/types"
	"slices"
)

// HasPointer reports whether one of the fields is a pointer, which has to be loaded to come to the
// next.
func HasPointer(fields []*types.Var) bool {
	return slices.ContainsFunc(fields, func(f *types.Var) bool { return IsPointer(f.Type()) })
}

// Embedded lists the embedded fields between a selector's operand and what it selects.
func Embedded(sel *types.Selection) (fields []*types.Var) {
	t := sel.Recv()
	index := sel.Index()
	for _, i := range index[:len(index)-1] {
		s := StructOf(t)
		if s == nil {
			panic("internal error: embedded field of " + t.String())
		}
		fields = append(fields, s.Field(i))
		t = s.Field(i).Type()
	}
	return fields
}
