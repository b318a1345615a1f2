// Package promoted lists what a selector reads on its way: a selection of go/types -> the embedded
// fields that it loads, and what it does with the last one; and what a wrapper, a method that the
// compiler makes to do the same, reads. Rules instrument/R3 to R5
package promoted

import (
	"go/types"
	"slices"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/typeset"
)

// Want says what a selector does with the embedded field it ends at.
type Want uint8

const (
	Addr  Want = iota // only its address: x.f, or a pointer method of an embedded struct
	Load              // its value: a value method of an embedded struct, any method of an embedded pointer
	Deref             // it is a pointer, and what it points to is loaded: a value method of an embedded pointer
)

// Receives says what a method selector does with its receiver.
func Receives(sel *types.Selection) Want {
	t := sel.Recv()
	if fields := gotypes.Embedded(sel); len(fields) > 0 {
		t = fields[len(fields)-1].Type()
	}
	f := sel.Obj().(*types.Func)
	switch {
	case types.IsInterface(f.Signature().Recv().Type()) || typeset.IsParam(t):
		return Load
	case gotypes.PointerReceiver(sel):
		return Addr
	case gotypes.IsPointer(t):
		return Deref
	default:
		return Load
	}
}

// Hop is a load of an embedded field, or of what it points to.
type Hop struct {
	Path   string // the names of the fields since the last load
	Fields []int  // the numbers of those since the operand, with a last one of -1 for what the field before points to
	Deref  bool   // the load is of what the last field points to
}

// Hops lists what a selector loads on the way to what it names, if others can reach its operand
// (shared) or not.
func Hops(sel *types.Selection, want Want, shared bool) (loads []Hop) {
	fields := gotypes.Embedded(sel)
	path := ""
	for i, f := range fields {
		path += "." + f.Name()
		if !gotypes.IsPointer(f.Type()) && (i < len(fields)-1 || want != Load) {
			continue
		}
		if shared {
			loads = append(loads, Hop{Path: path, Fields: sel.Index()[:i+1]})
			path = ""
		}
		shared = true
	}
	if want == Deref && shared {
		loads = append(loads, Hop{Path: path, Fields: append(slices.Clip(sel.Index()[:len(fields)]), -1), Deref: true})
	}
	return loads
}

// Reads lists what the wrapper of a method of a type, or of a pointer to a type (shared), reads.
// Each read is the numbers of the fields on the way to it, with a last one of -1 for what the field
// before points to. No numbers at all: what the receiver points to.
func Reads(sel *types.Selection, shared bool) (reads [][]int) {
	fields, want := gotypes.Embedded(sel), Receives(sel)
	index := sel.Index()[:len(fields)]
	for i, f := range fields {
		if !gotypes.IsPointer(f.Type()) && (i < len(fields)-1 || want != Load || empty(f.Type())) {
			continue
		}
		if shared {
			reads = append(reads, index[:i+1])
		}
		shared = true
	}
	if want == Deref && !empty(sel.Obj().(*types.Func).Signature().Recv().Type()) {
		if len(fields) == 0 {
			return append(reads, nil)
		}
		reads = append(reads, append(slices.Clone(index), -1))
	}
	return reads
}

// empty reports whether values of a type have no bytes.
func empty(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Array:
		return t.Len() == 0 || empty(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !empty(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// Wrapped reports whether a wrapper of a method of a type, or of a pointer to it, reads something.
func Wrapped(t types.Type) bool {
	for i, t := range []types.Type{types.NewPointer(t), t} {
		for sel := range types.NewMethodSet(t).Methods() {
			if len(Reads(sel, i == 0)) > 0 {
				return true
			}
		}
	}
	return false
}
