package expr

import (
	"go/ast"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// Fresh reports whether s is a slice that no other goroutine has: a literal, nil, a
// conversion of nil, or made where it stands. In append the compiler treats these in special ways.
func (c *Code) Fresh(s ast.Expr) bool {
	s = ast.Unparen(s)
	switch x := s.(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		switch c.CallKind(x) {
		case gotypes.CallConversion:
			return c.Info.Types[x.Args[0]].IsNil()
		case gotypes.CallBuiltin:
			switch c.Builtin(x) {
			case "make":
				return true
			case "append":
				return c.Fresh(x.Args[0])
			}
		}
	}
	return c.Info.Types[s].IsNil()
}

// Converted reports whether s is a slice converted from a string, new as well.
func (c *Code) Converted(s ast.Expr) bool {
	call, ok := ast.Unparen(s).(*ast.CallExpr)
	return ok && c.CallKind(call) == gotypes.CallConversion && gotypes.IsString(c.Info.TypeOf(call.Args[0]))
}
