package instrument

import (
	"go/types"
	"slices"
)

// closedPackages are packages whose code stays within the package and others like it: when
// the compiler records them, a call is recorded to its end. All other recorded packages
// (bufio, which flushes into any io.Writer; dependencies) may go on to code that nobody records. Listed
// are the functions that do.
var closedPackages = map[string][]string{
	"bytes":          {"ReadFrom", "WriteTo"},
	"container/list": nil,
	"container/ring": nil,
	"math/big":       {"Format", "Scan"},
	"math/rand":      {"New"},
	"math/rand/v2":   {"New"},
	"sort":           {"Sort", "Stable", "IsSorted", "Reverse"}, // methods of any type, see (O8)
	"container/heap": {"Init", "Push", "Pop", "Remove", "Fix"},
	"strings":        {"WriteTo", "WriteString"},
}

// closed says whether a call of fn, whose package the compiler records, is recorded to its end.
func closed(fn *types.Func) bool {
	if fn.Pkg().Path() == "strings" && fn.FullName() == "(*strings.Builder).WriteString" {
		return true
	}
	open, ok := closedPackages[fn.Pkg().Path()]
	return ok && !slices.Contains(open, fn.Name())
}

// callsBack says whether fn calls methods of its first argument, and of nothing else outside (sort.Sort, heap.Push).
func callsBack(fn *types.Func) bool {
	switch fn.Pkg().Path() {
	case "sort", "container/heap":
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
