package expr

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// Quiet reports whether evaluating e neither calls, receives nor records anything, and
// gives the same value before and after a call.
func (c *Code) Quiet(e ast.Expr) bool {
	if c.Hoisted[e] != "" {
		return true
	}
	if c.IsConstant(e) {
		return true
	}
	switch e := e.(type) {
	case *ast.FuncLit:
		return true
	case *ast.Ident:
		v, ok := c.Info.Uses[e].(*types.Var)
		return !ok || !c.IsShared(v) && !c.Locals.Changeable(v)
	case *ast.StarExpr:
		return false
	case *ast.SelectorExpr:
		if sel := c.Info.Selections[e]; sel == nil {
			_, isVar := c.Info.Uses[e.Sel].(*types.Var)
			return !isVar
		} else if sel.Kind() == types.MethodExpr {
			return true
		} else if sel.Indirect() || sel.Kind() == types.MethodVal {
			return false
		}
	case *ast.IndexExpr:
		if t := c.Info.TypeOf(e.X); !gotypes.IsArray(t) && !gotypes.IsString(t) && !c.IsFunc(e.X) {
			return false
		}
	case *ast.CallExpr:
		switch c.CallKind(e) {
		case gotypes.CallConversion:
		case gotypes.CallBuiltin:
			switch c.Builtin(e) {
			case "len", "cap", "min", "max", "real", "imag", "complex", "new", "make", "Sizeof", "Alignof", "Offsetof":
				if c.Builtin(e) == "len" || c.Builtin(e) == "cap" {
					if t := c.Info.TypeOf(e.Args[0]); !gotypes.IsSlice(t) && !gotypes.IsArray(t) && !gotypes.IsString(t) && !gotypes.IsByteString(t) && gotypes.ArrayPointer(t) == nil {
						return false // maps and channels
					}
				}
			default:
				return false
			}
		default:
			return false
		}
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			return false
		}
		if e.Op == token.AND {
			if _, ok := ast.Unparen(e.X).(*ast.CompositeLit); !ok {
				return !c.AddressLoads(e.X) && !c.HasPoint(e.X)
			}
		}
	}
	for _, x := range gotypes.Operands(e) {
		if !c.Quiet(x) {
			return false
		}
	}
	return true
}

// Pure reports whether e can be evaluated a second time at another place of the
// same statement, and whether its text can be put there.
func (c *Code) Pure(e ast.Expr) bool {
	if !c.Movable(e) || c.HasPoint(e) {
		return false
	}
	pure := true
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && c.Hoisted[x] != "" {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit, *ast.CompositeLit:
			pure = false
		case *ast.CallExpr:
			if c.CallKind(n) == gotypes.CallBuiltin {
				switch c.Builtin(n) {
				case "len", "cap", "min", "max", "real", "imag", "complex", "Sizeof", "Alignof", "Offsetof":
				default:
					pure = false
				}
			}
		}
		return pure
	})
	return pure
}

// AddressLoads reports whether computing the address of e reads memory that
// others could write: its address then depends on when it is computed.
func (c *Code) AddressLoads(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return false
	case *ast.ParenExpr:
		return c.AddressLoads(e.X)
	case *ast.StarExpr:
		return c.ValueLoads(e.X)
	case *ast.SelectorExpr:
		sel := c.Info.Selections[e]
		if sel == nil {
			return false
		}
		if len(sel.Index()) > 1 && sel.Indirect() {
			// One pointer at the front is x itself; any other is a load.
			return true
		}
		if gotypes.IsPointer(c.Info.TypeOf(e.X)) {
			return c.ValueLoads(e.X)
		}
		return c.AddressLoads(e.X)
	case *ast.IndexExpr:
		if gotypes.IsArray(c.Info.TypeOf(e.X)) {
			return c.AddressLoads(e.X) || c.ValueLoads(e.Index)
		}
		return c.ValueLoads(e.X) || c.ValueLoads(e.Index)
	}
	return c.ValueLoads(e)
}

// ValueLoads says the same of the value of e. The result of a call is fixed once it has returned,
// and so are its operands.
func (c *Code) ValueLoads(e ast.Expr) bool {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && c.CallKind(call) == gotypes.CallFunction {
		return false
	}
	return !c.Quiet(e)
}
