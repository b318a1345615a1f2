package plan

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
)

// leaveOut is rule P3: the operands stay as they are, so that they panic as before. Parts that are
// evaluated by themselves are visited: calls, receives, && and ||, operands that are evaluated at
// once, and function literals.
func (w *walker) leaveOut(values, targets []ast.Expr) {
	for _, e := range slices.Concat(values, targets) {
		if e == nil || gotypes.IsBlank(e) || w.IsConstant(e) || w.Info.Types[e].IsBuiltin() || w.StaticFunc(e) {
			continue
		}
		if !w.Quiet(e) {
			w.miss(e, WhyPanicOrder)
		}
		parts := map[ast.Expr]string{}
		w.ownParts(e, parts)
		w.asItIs(e, parts)
	}
}

// ownParts finds the outermost parts of e that are evaluated by themselves. Maps, which the runtime
// records, get their names.
func (w *walker) ownParts(e ast.Expr, parts map[ast.Expr]string) {
	if w.Hoisted[e] != "" || w.IsConstant(e) {
		return
	}
	own := w.AtOnce(e)
	switch x := e.(type) {
	case *ast.FuncLit:
		own = true
	case *ast.CallExpr:
		own = own || w.CallKind(x) != gotypes.CallConversion
	case *ast.UnaryExpr:
		own = own || x.Op == token.ARROW
	case *ast.BinaryExpr:
		own = own || x.Op == token.LAND || x.Op == token.LOR
	case *ast.IndexExpr:
		if gotypes.IsMap(w.Info.TypeOf(x.X)) {
			w.nameSite(site.OpMap, x.X.Pos(), x.X)
		}
	}
	if own {
		parts[e] = ""
		return
	}
	for _, x := range gotypes.Operands(e) {
		w.ownParts(x, parts)
	}
}
