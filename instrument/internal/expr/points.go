package expr

import (
	"go/ast"
	"go/token"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// LastPoint finds the call or receive in e that ends last, not counting those
// inside of its own operands.
func (c *Code) LastPoint(e ast.Expr) (point ast.Expr, attach bool) {
	if c.Hoisted[e] != "" || c.IsConstant(e) {
		return nil, false
	}
	if c.AtOnce(e) {
		if p, _ := c.lastOperand(e); p == nil {
			return nil, false
		}
		return e, c.SingleValue(e)
	}
	switch e := e.(type) {
	case *ast.FuncLit:
		return nil, false
	case *ast.CallExpr:
		if c.CallKind(e) != gotypes.CallConversion {
			return e, c.SingleValue(e) || c.SeveralValues(e)
		}
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			return e, c.SingleValue(e)
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			if p, _ := c.lastOperand(e); p == nil {
				return nil, false
			}
			return e, c.Named(e)
		}
	}
	return c.lastOperand(e)
}

// lastOperand finds the last point among the operands of e.
func (c *Code) lastOperand(e ast.Expr) (point ast.Expr, attach bool) {
	parts := gotypes.Operands(e)
	for i := len(parts) - 1; i >= 0; i-- {
		if p, ok := c.LastPoint(parts[i]); p != nil {
			return p, ok
		}
	}
	return nil, false
}

// HasPoint reports whether evaluating e calls or receives.
func (c *Code) HasPoint(e ast.Expr) bool {
	p, _ := c.LastPoint(e)
	return p != nil
}

// AtOnce reports whether the compiler evaluates e into a temporary when its turn
// comes, although it is not a call: its loads do not wait for the calls that follow.
func (c *Code) AtOnce(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SliceExpr:
		return true
	case *ast.CompositeLit:
		return gotypes.IsMap(c.Info.TypeOf(e))
	case *ast.TypeAssertExpr:
		return e.Type != nil && !gotypes.PointerShaped(c.Info.TypeOf(e))
	case *ast.CallExpr:
		switch c.CallKind(e) {
		case gotypes.CallConversion:
			return gotypes.IsSlice(c.Info.TypeOf(e)) && gotypes.IsString(c.Info.TypeOf(e.Args[0]))
		case gotypes.CallBuiltin:
			switch c.Builtin(e) {
			case "append", "cap", "complex", "imag", "len", "make", "max", "min", "new", "real":
				return true
			}
		}
	}
	return false
}

// Early reports whether a part of e that reads memory which others could change is evaluated at
// once.
func (c *Code) Early(e ast.Expr) bool {
	if c.Hoisted[e] != "" || c.Quiet(e) {
		return false
	}
	if c.AtOnce(e) {
		return true
	}
	for _, x := range gotypes.Operands(e) {
		if c.Early(x) {
			return true
		}
	}
	return false
}

// Points lists the outermost points of e, and the outermost operands evaluated at once. ok is false
// if the program may not come to one of them, or if another part of e may be evaluated only once.
func (c *Code) Points(e ast.Expr) (points []ast.Expr, ok bool) {
	if c.IsConstant(e) || c.Hoisted[e] != "" {
		return nil, true
	}
	p, attach := c.LastPoint(e)
	switch {
	case p == nil && !c.Early(e):
		return nil, c.Pure(e)
	case p == e:
		return []ast.Expr{e}, attach
	case c.AtOnce(e):
		return []ast.Expr{e}, c.SingleValue(e)
	}
	for _, x := range gotypes.Operands(e) {
		ps, ok := c.Points(x)
		if !ok {
			return nil, false
		}
		points = append(points, ps...)
	}
	return points, true
}
