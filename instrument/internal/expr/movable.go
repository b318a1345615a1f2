package expr

import (
	"go/ast"
	"strings"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// Movable reports whether a node's text can be put on one line.
func (c *Code) Movable(n ast.Node) bool {
	return c.MovableBut(n, func(ast.Expr) bool { return false })
}

// MovableBut reports whether the text of n can be put on one line when some parts of it are
// replaced.
func (c *Code) MovableBut(n ast.Node, replaced func(e ast.Expr) bool) bool {
	if c.Tokens.Line(n.Pos()) == c.Tokens.Line(n.End()) {
		return true
	}
	movable := true
	var rest strings.Builder
	at := n.Pos()
	ast.Inspect(n, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && replaced(e) {
			rest.Write(c.Bytes[c.Tokens.Offset(at):c.Tokens.Offset(e.Pos())])
			at = e.End()
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit: // its line ends are semicolons
			movable = false
		case *ast.BasicLit:
			movable = movable && !strings.Contains(n.Value, "\n")
		}
		return movable
	})
	rest.Write(c.Bytes[c.Tokens.Offset(at):c.Tokens.Offset(n.End())])
	return movable && !strings.Contains(rest.String(), "//")
}

// StandsIn reports whether a variable replaces e in a text that is evaluated again: e has one, or
// is a call and will have one.
func (c *Code) StandsIn(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return c.Hoisted[e] != "" || ok && c.CallKind(call) == gotypes.CallFunction
}
