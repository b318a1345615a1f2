package promoted

import "go/types"

// Dynamic lists the names of methods that are likely to be called by somebody who does not know the
// type: those of the interfaces that the package mentions or the packages that it imports have, and
// those in its method expressions.
func Dynamic(pkg *types.Package, info *types.Info) map[string]bool {
	names := map[string]bool{}
	add := func(t types.Type) {
		if t, ok := t.Underlying().(*types.Interface); ok {
			for m := range t.Methods() {
				names[m.Name()] = true
			}
		}
	}
	for _, tv := range info.Types {
		if tv.IsType() {
			add(tv.Type)
		}
	}
	for _, imp := range pkg.Imports() {
		for _, name := range imp.Scope().Names() {
			if obj, ok := imp.Scope().Lookup(name).(*types.TypeName); ok && obj.Exported() {
				add(obj.Type())
			}
		}
	}
	for _, sel := range info.Selections {
		if sel.Kind() == types.MethodExpr {
			names[sel.Obj().Name()] = true
		}
	}
	return names
}
