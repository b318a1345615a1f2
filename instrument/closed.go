package instrument

import "go/types"

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
