package plan

import (
	"go/ast"
	"go/types"
	"strconv"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
	"github.com/racepred/racepred/internal/typeset"
)

// conversion visits a conversion. The conversion of a slice reads its elements. The runtime would
// record that where it makes a string of them, but for string(b) == s, m[string(b)] and the like
// the compiler does not call the runtime.
//
// (B6) Replace  string(b)
//
//	with  string(runtime.RacepredLoadSlice(b, site))
//
// Replace  [4]int(s)
//
//	with  [4]int(runtime.RacepredLoadFirst(s, 4, site))
func (w *walker) conversion(e *ast.CallExpr) {
	arg, to := e.Args[0], w.Info.TypeOf(e)
	from := w.Info.TypeOf(arg)
	first, known := w.elements(e, to)
	if !known {
		w.miss(e, WhyTypeParam)
	}
	switch {
	case w.copies || from == nil:
		w.value(arg)
	case !gotypes.IsSlice(from) && !gotypes.IsByteString(from) || !gotypes.IsString(to) && first == "" && !gotypes.IsByteString(from):
		w.value(arg)
	case w.later(e):
		w.convertedLater(arg, first)
	case gotypes.IsByteString(from):
		w.loadsBytes(arg)
	case gotypes.IsString(to):
		w.accessesSlice(arg, loadsSlice)
	case first != "":
		w.Around(RuleBuiltin, arg, w.Runtime+".RacepredLoadFirst(", func() { w.value(arg) },
			", "+first+", "+w.site(site.OpRead, arg.Pos(), w.Written(arg)+"[:]")+")")
	default:
		w.value(arg)
	}
}

// elements is the text of how many elements of a slice its conversion to an array reads; "" if it is
// no array, or cannot be said.
func (w *walker) elements(conversion *ast.CallExpr, to types.Type) (text string, known bool) {
	array, ok := typeset.Core(to).(*types.Array)
	if !ok {
		return "", true
	}
	name, ok := ast.Unparen(conversion.Fun).(*ast.Ident)
	switch {
	case !ok || !typeset.IsParam(to):
		return strconv.FormatInt(array.Len(), 10), true
	case !gotypes.Universe(w.Pkg, conversion, "len") || !gotypes.Universe(w.Pkg, conversion, "new"):
		return "", false
	}
	return "len(*new(" + name.Name + "))", true
}

// convertedLater visits the operand of a conversion that reads elements, if a call follows: the
// read comes after the call (R2). If it makes an array, first is how many.
func (w *walker) convertedLater(arg ast.Expr, first string) {
	visit := func() { w.hoistedOnly(arg) }
	if !w.region.Attach || !w.Pure(arg) || w.Early(arg) {
		parts, end, ok := w.keepParts(arg)
		if !ok {
			w.miss(arg, WhyLateOperand)
			w.value(arg)
			return
		}
		visit = func() { end(); w.keepOnly(arg, parts) }
	}
	w.region.pending = append(w.region.pending, w.Placed(w.region.Last.End(), arg, func() string {
		text := w.copied(arg, func(c *walker) { c.value(arg) })
		ref := w.site(site.OpRead, arg.Pos(), w.Written(arg)+"[:]")
		switch {
		case gotypes.IsByteString(w.Info.TypeOf(arg)):
			return w.Call("RacepredBytesRead", text, ref)
		case first != "":
			return w.Call("RacepredElementsRead", w.Call("RacepredFirst", text, first), ref)
		}
		return w.Call("RacepredElementsRead", text, ref)
	}))
	visit()
}
