package lockset

import (
	"go/token"
	"go/types"
	"path"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Path names the object of an expression: a root, and the fields and indirections on the way from
// it. Two equal paths in one call of a function are taken to denote the same object: assignments in
// between are ignored.
type Path struct {
	Root  ssa.Value // a parameter, a global, an allocation, or what else the way begins with; nil: some object of a class
	Steps string
}

// under is the path below p, if q is p or begins with it.
func (q Path) under(p Path) (rest string, ok bool) {
	if q.Root != p.Root || len(q.Steps) < len(p.Steps) || q.Steps[:len(p.Steps)] != p.Steps {
		return "", false
	}
	rest = q.Steps[len(p.Steps):]
	return rest, rest == "" || rest[0] == '.' || rest[0] == '['
}

// PathOf is the path of a value. An address has the path of the object that it points to: to follow
// a pointer is no step.
func PathOf(v ssa.Value) Path { return pathOf(v, 0) }

func pathOf(v ssa.Value, depth int) Path {
	if depth > 20 {
		return Path{Root: v}
	}
	step := func(x ssa.Value, s string) Path {
		p := pathOf(x, depth+1)
		return Path{p.Root, p.Steps + s}
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return step(v.X, "."+FieldOf(v).Name())
	case *ssa.Field:
		return step(v.X, "."+v.X.Type().Underlying().(*types.Struct).Field(v.Field).Name())
	case *ssa.IndexAddr:
		return step(v.X, "["+v.Index.Name()+"]")
	case *ssa.Index:
		return step(v.X, "["+v.Index.Name()+"]")
	case *ssa.Lookup:
		return step(v.X, "["+v.Index.Name()+"]")
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return Path{Root: v}
		}
		if cell := cellOf(v.X); cell != nil {
			if stored := onlyStore(cell); stored != nil {
				return pathOf(stored, depth+1)
			}
			if _, isStruct := deref(cell.Type()).Underlying().(*types.Struct); !isStruct {
				return Path{Root: v}
			}
		}
		return pathOf(v.X, depth+1)
	case *ssa.FreeVar:
		if outer := bindingOf(v); outer != nil {
			return pathOf(outer, depth+1)
		}
	case *ssa.ChangeType:
		return pathOf(v.X, depth+1)
	case *ssa.ChangeInterface:
		return pathOf(v.X, depth+1)
	case *ssa.MakeInterface:
		return pathOf(v.X, depth+1)
	case *ssa.TypeAssert:
		if !v.CommaOk {
			return pathOf(v.X, depth+1)
		}
	case *ssa.Phi:
		same := Path{}
		for i, e := range v.Edges {
			if p := pathOf(e, depth+4); i == 0 {
				same = p
			} else if p != same {
				return Path{Root: v}
			}
		}
		return same
	}
	return Path{Root: v}
}

// cellOf is the local variable that v is the address of, here or in the function around; nil if it
// is none.
func cellOf(v ssa.Value) *ssa.Alloc {
	for range 8 {
		switch x := v.(type) {
		case *ssa.Alloc:
			return x
		case *ssa.FreeVar:
			v = bindingOf(x)
		default:
			return nil
		}
	}
	return nil
}

// onlyStore is the value that a local variable has, if it is assigned once; nil if not.
func onlyStore(cell *ssa.Alloc) ssa.Value {
	var stored ssa.Value
	var search func(v ssa.Value) bool
	search = func(v ssa.Value) bool {
		for _, use := range *v.Referrers() {
			switch use := use.(type) {
			case *ssa.Store:
				if use.Addr != v || stored != nil {
					return false
				}
				stored = use.Val
			case *ssa.UnOp, *ssa.DebugRef:
			case *ssa.MakeClosure:
				fn := use.Fn.(*ssa.Function)
				for i, b := range use.Bindings {
					if b == v && (i >= len(fn.FreeVars) || !search(fn.FreeVars[i])) {
						return false
					}
				}
			default:
				return false
			}
		}
		return true
	}
	if !search(cell) {
		return nil
	}
	return stored
}

// bindingOf is the variable of the function around that a free variable is; nil if it is not known.
func bindingOf(v *ssa.FreeVar) ssa.Value {
	fn := v.Parent()
	if fn.Parent() == nil {
		return nil
	}
	for i, f := range fn.FreeVars {
		if f != v {
			continue
		}
		for _, use := range *fn.Referrers() {
			if c, ok := use.(*ssa.MakeClosure); ok && c.Fn == fn && i < len(c.Bindings) {
				return c.Bindings[i]
			}
		}
	}
	return nil
}

// FieldOf is the field that a FieldAddr selects.
func FieldOf(f *ssa.FieldAddr) *types.Var {
	return deref(f.X.Type()).Underlying().(*types.Struct).Field(f.Field)
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// named is the named type that t is, or points to; nil if it is none.
func named(t types.Type) *types.Named {
	n, _ := types.Unalias(deref(types.Unalias(t))).(*types.Named)
	return n
}

// ClassPrefix is what the classes of a package begin with. The first dot behind the last slash ends
// it: those of gopkg.in/yaml.v3 begin with "gopkg.in/yaml·v3.".
func ClassPrefix(pkg *types.Package) string {
	dir, name := path.Split(pkg.Path())
	return dir + strings.ReplaceAll(name, ".", "·") + "."
}

// classOf names the lock that v is, or is the address of, across instances: the field of its struct
// type or the package variable. "" if it is neither.
func (ns names) classOf(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return ns.fieldClass(v)
	case *ssa.Global:
		return ClassPrefix(v.Pkg.Pkg) + v.Name()
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return ""
		}
		if cell := cellOf(v.X); cell != nil {
			if stored := onlyStore(cell); stored != nil {
				return ns.classOf(stored)
			}
			return ""
		}
		return ns.classOf(v.X)
	case *ssa.IndexAddr:
		if c := ns.classOf(v.X); c != "" {
			return c + "[]"
		}
	case *ssa.FreeVar:
		if outer := bindingOf(v); outer != nil {
			return ns.classOf(outer)
		}
	case *ssa.MakeInterface:
		return ns.classOf(v.X)
	case *ssa.ChangeType:
		return ns.classOf(v.X)
	}
	return ""
}

// names gives locks and fields names that are the same in all packages. It has the declaration of
// the fields of the package's structs: of type T S, it is S.
type names map[*types.Struct]*types.Named

func newNames(pkg *types.Package) names {
	by := names{}
	for _, name := range pkg.Scope().Names() {
		t, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() {
			continue
		}
		n, ok := t.Type().(*types.Named)
		if !ok {
			continue
		}
		st, ok := n.Underlying().(*types.Struct)
		if !ok || st.NumFields() == 0 {
			continue
		}
		old, field := by[st], st.Field(0).Pos()
		if t.Pos() < field && (old == nil || t.Pos() > old.Obj().Pos()) { // the last one before the fields
			by[st] = n
		}
	}
	return by
}

// fieldClass names a field: "example.com/m.Cache.mu", or the variable that the struct is, if its
// type has no name.
func (ns names) fieldClass(f *ssa.FieldAddr) string {
	n := named(f.X.Type())
	if st, ok := deref(f.X.Type()).Underlying().(*types.Struct); ok && n != nil && ns[st] != nil {
		n = ns[st]
	}
	if n != nil {
		prefix := ""
		if pkg := n.Obj().Pkg(); pkg != nil {
			prefix = ClassPrefix(pkg)
		}
		return prefix + n.Obj().Name() + "." + FieldOf(f).Name()
	}
	if c := ns.classOf(f.X); c != "" {
		return c + "." + FieldOf(f).Name()
	}
	return ""
}
