package calls

import "go/types"

// recordedType reports whether t's methods are declared in rewritten packages.
func (j *Judge) recordedType(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || types.IsInterface(t) || named.Obj().Pkg() == nil {
		return false
	}
	if s, ok := named.Underlying().(*types.Struct); ok {
		for i := range s.NumFields() {
			if f := s.Field(i); f.Embedded() && !j.recordedType(f.Type()) {
				return false // promoted methods
			}
		}
	}
	pkg := named.Obj().Pkg()
	return pkg == j.Pkg || j.OwnCode(pkg.Path())
}
