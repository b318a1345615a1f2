package syncmisuse

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// lockCopy finds copies of locks that go vet's copylocks does not see: it looks at values that are
// assigned, passed and returned, not at elements that are moved.
func lockCopy(c *checker) {
	info := c.pass.TypesInfo
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SendStmt:
				if l := lockIn(info.TypeOf(n.Value)); l != "" && !made(n.Value) {
					c.report(n, nil, nil, "the send copies %s, which is in what is sent", l)
				}
			case *ast.CallExpr:
				if what, elem := c.moves(n); elem != nil {
					if l := lockIn(elem); l != "" {
						c.report(n, nil, nil, "%s copies %s, which is in the elements", what, l)
					}
				}
			}
			return true
		})
	}
}

// moves is what copies elements, and their type.
func (c *checker) moves(e *ast.CallExpr) (what string, elem types.Type) {
	info := c.pass.TypesInfo
	if len(e.Args) == 0 {
		return "", nil
	}
	element := func(x ast.Expr) types.Type {
		t := info.TypeOf(x)
		if t == nil {
			return nil
		}
		switch t := t.Underlying().(type) {
		case *types.Slice:
			return t.Elem()
		case *types.Map:
			return t.Elem()
		}
		return nil
	}
	if info.Types[e.Fun].IsBuiltin() {
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		switch {
		case ok && id.Name == "copy":
			return "copy", element(e.Args[0])
		case ok && id.Name == "append" && e.Ellipsis.IsValid():
			return "append", element(e.Args[0])
		}
		return "", nil
	}
	fn := typeutil.StaticCallee(info, e)
	if fn == nil || fn.Pkg() == nil {
		return "", nil
	}
	switch fn.Pkg().Path() + "." + fn.Name() {
	case "slices.Clone", "slices.Concat", "slices.Insert", "slices.Delete", "slices.Reverse", "slices.SortFunc", "slices.SortStableFunc", "slices.Compact", "slices.CompactFunc",
		"slices.DeleteFunc", "maps.Clone", "maps.Copy":
		return fn.Pkg().Name() + "." + fn.Name(), element(e.Args[0])
	}
	return "", nil
}

// made reports whether an expression makes a new value.
func made(e ast.Expr) bool {
	switch ast.Unparen(e).(type) {
	case *ast.CompositeLit, *ast.CallExpr:
		return true
	}
	return false
}

// lockIn is the name of a type of package sync in a value of type t that must not be copied, "" if
// there is none.
func lockIn(t types.Type) string {
	for range 8 {
		if t == nil {
			return ""
		}
		if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
			switch n.Obj().Pkg().Path() {
			case "sync":
				if _, ok := n.Underlying().(*types.Struct); ok {
					return "a sync." + n.Obj().Name()
				}
			case "sync/atomic":
				return "an atomic." + n.Obj().Name()
			}
		}
		switch u := t.Underlying().(type) {
		case *types.Array:
			t = u.Elem()
		case *types.Struct:
			for i := range u.NumFields() {
				if l := lockIn(u.Field(i).Type()); l != "" {
					return l
				}
			}
			return ""
		default:
			return ""
		}
	}
	return ""
}
