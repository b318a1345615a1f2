package instrument

import (
	"go/types"
	"slices"
	"strings"
)

// closedPackages are packages whose code stays within the package and others like it: when
// the compiler records them, a call is recorded to its end. All other recorded packages
// (bufio, which flushes into any io.Writer; dependencies) may go on to code that nobody records. Listed
// are the functions that do.
var closedPackages = map[string][]string{
	"bytes":          {"ReadFrom", "WriteTo", "ReadBytes", "ReadString"}, // its functions search in assembly
	"container/list": nil,
	"container/ring": nil,
	"math/rand":      {"New"},
	"math/rand/v2":   {"New"},
	"sort":           {"Sort", "Stable", "IsSorted", "Reverse", "Slice", "SliceStable", "SliceIsSorted"}, // methods of any type, see (O8)
	"container/heap": {"Init", "Push", "Pop", "Remove", "Fix"},
	"strings":        {"WriteTo", "WriteString"},
}

// closed says whether a call of fn, whose package the compiler records, is recorded to its end.
func closed(fn *types.Func) bool {
	if fn.Pkg().Path() == "strings" && fn.FullName() == "(*strings.Builder).WriteString" {
		return true
	}
	if fn.Pkg().Path() == "bytes" && fn.Signature().Recv() == nil {
		return false
	}
	open, ok := closedPackages[fn.Pkg().Path()]
	return ok && !slices.Contains(open, fn.Name())
}

// callsBack says whether fn calls methods of its first argument, and of nothing else outside (sort.Sort, heap.Push).
func callsBack(fn *types.Func) bool {
	switch fn.Pkg().Path() {
	case "sort":
		return !strings.HasPrefix(fn.Name(), "Slice") && slices.Contains(closedPackages["sort"], fn.Name()) // Slice swaps by reflection
	case "container/heap":
		return slices.Contains(closedPackages[fn.Pkg().Path()], fn.Name())
	}
	return false
}

// recordedType says whether t's methods are declared in rewritten packages.
func (w *walker) recordedType(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || types.IsInterface(t) || named.Obj().Pkg() == nil {
		return false
	}
	if s, ok := named.Underlying().(*types.Struct); ok {
		for i := range s.NumFields() {
			if f := s.Field(i); f.Embedded() && !w.recordedType(f.Type()) {
				return false // promoted methods
			}
		}
	}
	pkg := named.Obj().Pkg()
	return pkg == w.Pkg || w.rewritten(pkg.Path())
}

// onlyValues says whether a call can only touch what it is given by value: no parameter and not
// the receiver leads to memory of the caller. Strings do not change.
func onlyValues(sig *types.Signature) bool {
	if recv := sig.Recv(); recv != nil && !valueOnly(recv.Type(), 0) {
		return false
	}
	for p := range sig.Params().Variables() {
		if !valueOnly(p.Type(), 0) {
			return false
		}
	}
	return true
}

func valueOnly(t types.Type, depth int) bool {
	if depth > 8 {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.UnsafePointer
	case *types.Array:
		return valueOnly(t.Elem(), depth+1)
	case *types.Struct:
		for f := range t.Fields() {
			if !valueOnly(f.Type(), depth+1) && !(f.Pkg() != nil && f.Pkg().Path() == "time" && f.Name() == "loc") { // time.Time's location never changes
				return false
			}
		}
		return true
	}
	return false
}
