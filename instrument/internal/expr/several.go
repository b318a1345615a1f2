package expr

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/gotypes"
)

// severalFuncs are the functions of package runtime that take all results of a call, by the number
// of results. Each returns a value with a method After, which takes the recording call and returns
// the results.
var severalFuncs = map[int]string{2: "RacepredTwo", 3: "RacepredThree", 4: "RacepredFour", 5: "RacepredFive"}

// SeveralFunc is the one for e, "" if e is not a call of a function with several results, or has
// too many.
func (c *Code) SeveralFunc(e ast.Expr) string {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || c.CallKind(call) != gotypes.CallFunction {
		return ""
	}
	t, ok := c.Info.TypeOf(e).(*types.Tuple)
	if !ok {
		return ""
	}
	return severalFuncs[t.Len()]
}

// SeveralValues reports whether something can be recorded right after e, a call with several
// results. (instrument/R2)
//
// Replace  x.f.m(g())
//
//	with  x.f.m(runtime.RacepredTwo(g()).After(runtime.RacepredR(&x.f, site)))
func (c *Code) SeveralValues(e ast.Expr) bool { return c.SeveralFunc(e) != "" }
