package flow

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// Path names a location from a variable on: Sel has "*" for a pointer that is followed, ".f" for a
// field, "[k]" for an element of a slice, "[*]" for the elements of a map or all of a slice, "[?]"
// for an unknown element, "#k" for an element of an array.
type Path struct {
	Root types.Object
	Sel  string
}

func (p Path) Valid() bool { return p.Root != nil }

// String is the path as one would write it in Go.
func (p Path) String() string {
	if p.Root == nil {
		return "?"
	}
	s := strings.NewReplacer("*.", ".", "[*]", "[...]", "[?]", "[...]").Replace(p.Sel)
	return p.Root.Name() + strings.TrimSuffix(s, "*")
}

// Add is the path that a further selector leads to.
func (p Path) Add(sel string) Path {
	if p.Root == nil {
		return p
	}
	return Path{p.Root, p.Sel + sel}
}

// Known reports whether the path denotes the same location at each use.
func (p Path) Known() bool { return p.Root != nil && !strings.Contains(p.Sel, "?") }

// Within reports whether the location q is part of the location p, or reached from it.
func (p Path) Within(q Path) bool {
	rest, ok := strings.CutPrefix(p.Sel, q.Sel)
	return p.Root == q.Root && ok && boundary(rest)
}

// boundary reports whether a selector may end before the rest of a longer one: not within a name.
func boundary(rest string) bool { return rest == "" || strings.ContainsRune(".*[", rune(rest[0])) }

// Overlaps reports whether accesses of p and q may be of the same memory. (F2)
func Overlaps(p, q Path) bool {
	if p.Root != q.Root || p.Root == nil {
		return false
	}
	if len(p.Sel) > len(q.Sel) {
		p, q = q, p
	}
	if rest, ok := strings.CutPrefix(q.Sel, p.Sel); ok && boundary(rest) {
		return !strings.ContainsAny(rest, "*[") && !strings.Contains(q.Sel, "?")
	}
	return allAndOne(p.Sel, q.Sel) || allAndOne(q.Sel, p.Sel)
}

// allAndOne reports whether all are the elements of a slice, and one is one of them.
func allAndOne(all, one string) bool {
	base, ok := strings.CutSuffix(all, "[*]")
	return ok && strings.HasPrefix(one, base+"[") && strings.HasSuffix(one, "]")
}

func deref(t types.Type) (types.Type, bool) {
	if t == nil {
		return nil, false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem(), true
	}
	return t, false
}

// PathOf is the location an expression denotes, not Valid if it has no name.
func PathOf(info *types.Info, e ast.Expr) Path {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := info.ObjectOf(e).(*types.Var); ok && e.Name != "_" {
			return Path{Root: v}
		}
	case *ast.StarExpr:
		return PathOf(info, e.X).Add("*")
	case *ast.SelectorExpr:
		s := info.Selections[e]
		if s == nil {
			if v, ok := info.Uses[e.Sel].(*types.Var); ok {
				return Path{Root: v}
			}
			return Path{}
		}
		if s.Kind() != types.FieldVal {
			return Path{}
		}
		p, _ := fields(PathOf(info, e.X), s.Recv(), s.Index())
		return p
	case *ast.IndexExpr:
		if !info.Types[e.X].IsValue() {
			return Path{}
		}
		p := PathOf(info, e.X)
		t, ptr := deref(info.TypeOf(e.X))
		if ptr {
			p = p.Add("*")
		}
		switch t.Underlying().(type) {
		case *types.Map:
			return p.Add("[*]")
		case *types.Slice:
			return p.Add("[" + indexText(info, e.Index) + "]")
		case *types.Array:
			return p.Add("#" + indexText(info, e.Index))
		}
	}
	return Path{}
}

func indexText(info *types.Info, e ast.Expr) string {
	if v := info.Types[e].Value; v != nil && v.Kind() == constant.Int {
		return v.ExactString()
	}
	return "?"
}

// fields follows fields by their indices from p, a location of type t.
func fields(p Path, t types.Type, index []int) (Path, types.Type) {
	for _, i := range index {
		elem, ptr := deref(t)
		if ptr {
			p = p.Add("*")
		}
		s, ok := elem.Underlying().(*types.Struct)
		if !ok || i >= s.NumFields() {
			return Path{}, nil
		}
		p, t = p.Add("."+s.Field(i).Name()), s.Field(i).Type()
	}
	return p, t
}

// Receiver is the location of a method's receiver in a call: the one that a pointer receiver points
// to, or the one that a value is copied from.
func Receiver(info *types.Info, sel *ast.SelectorExpr) Path {
	s := info.Selections[sel]
	if s == nil {
		return Path{}
	}
	p, t := PathOf(info, sel.X), s.Recv()
	if u, ok := ast.Unparen(sel.X).(*ast.UnaryExpr); ok && u.Op == token.AND {
		p, t = PathOf(info, u.X), info.TypeOf(u.X)
	}
	if s.Kind() == types.MethodVal {
		p, t = fields(p, t, s.Index()[:len(s.Index())-1])
	}
	if _, ptr := deref(t); ptr {
		p = p.Add("*")
	}
	return p
}

// Pointee is the location that a value of a reference type refers to. The selectors of a parameter
// with this value follow this path: for &x it is x, for p it is p*.
func Pointee(info *types.Info, e ast.Expr) Path {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
		return PathOf(info, u.X)
	}
	t := info.TypeOf(e)
	if t == nil {
		return Path{}
	}
	switch t.Underlying().(type) {
	case *types.Pointer:
		return PathOf(info, e).Add("*")
	case *types.Map, *types.Slice, *types.Chan:
		return PathOf(info, e)
	}
	return Path{}
}
