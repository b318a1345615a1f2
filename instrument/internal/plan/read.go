package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/promoted"
	"github.com/racepred/racepred/instrument/internal/site"
)

// read records the load of e, which is addressable and shared.
//
// (R1)  Replace  x.f
//
//	with  (*runtime.RacepredR(&x.f, site))
//
// The call computes the address and records. The load itself stays where it
// was: the compiler does loads after the calls of the same expression.
//
// (R2) When a call or receive follows in the expression, the load comes after
// that, and so does its recording:
//
// Replace  x.p.f + g()
//
//	with  x.p.f + runtime.RacepredAfter(g(), runtime.RacepredR(&x.p.f, site))
//
// Where that cannot be written, R1 is right only if the call cannot change the address.
func (w *walker) read(e ast.Expr) {
	if w.covered(site.OpRead, e) {
		w.drop(site.OpRead, e)
		w.addr(e)
		return
	}
	if f, ok := w.facts.Thrown[e]; ok && !w.isPushed(e) { // (D2)
		w.dropFor(site.OpRead, e, f)
		w.addr(e)
		return
	}
	if w.marked(e) {
		w.accessed(site.OpRead, e)
		w.region.waiting = append(w.region.waiting, w.pointerAt(w.region.Mark.End(), site.OpRead, e))
		w.hoistedOnly(e)
		return
	}
	if w.later(e) {
		switch {
		case w.region.Attach && w.Pure(e) && !w.Early(e):
			w.accessed(site.OpRead, e)
			w.region.pending = append(w.region.pending, w.pointerAt(w.region.Last.End(), site.OpRead, e))
			w.hoistedOnly(e)
			return
		case w.readLate(e):
			return
		case w.AddressLoads(e):
			w.miss(e, WhyLateOperand)
			w.addr(e)
			return
		}
	}
	w.accessed(site.OpRead, e)
	r := w.recorder(site.OpRead, e)
	w.Insert(RuleRead, e.Pos(), "(*"+r.name+"(&")
	w.addr(e)
	w.Insert(RuleRead, e.End(), r.rest()+")")
}

// readLate is rule R2 for a load that cannot be evaluated twice. It says whether that was possible.
func (w *walker) readLate(e ast.Expr) bool {
	parts, end, ok := w.keepParts(e)
	if !ok {
		return false
	}
	w.accessed(site.OpRead, e)
	pending := w.pointerAt(w.region.Last.End(), site.OpRead, e)
	end()
	w.region.pending = append(w.region.pending, pending)
	w.keepOnly(e, parts)
	return true
}

// later reports whether a call or receive comes after e in e's region.
func (w *walker) later(e ast.Expr) bool {
	return w.region.Later(e)
}

// pointer is the text of a recording call on e, evaluated apart from e itself.
func (w *walker) pointer(op Op, e ast.Expr) string {
	text := w.copied(e, func(c *walker) { c.addr(e) })
	return w.recorder(op, e).on("&" + text)
}

// pointerAt is pointer for text that stands at another place, perhaps in another line.
func (w *walker) pointerAt(at token.Pos, op Op, e ast.Expr) string {
	return w.Placed(at, e, func() string { return w.pointer(op, e) })
}

// wrapPending visits e. If late reads wait for e, it records them after it.
func (w *walker) wrapPending(e ast.Expr, visit func()) {
	if w.region.Mark == e && len(w.region.waiting) > 0 {
		waiting := w.region.waiting
		w.region.waiting = nil
		w.wrapAfter(e, waiting, visit)
		return
	}
	if w.region.Last != e || len(w.region.pending) == 0 {
		visit()
		return
	}
	pending := w.region.pending
	w.region.pending = nil
	w.wrapAfter(e, pending, visit)
}

// wrapAfter visits e and records the late reads after it.
func (w *walker) wrapAfter(e ast.Expr, reads []string, visit func()) {
	before, between, after := w.Runtime+".RacepredAfter(", ", ", ")"
	if fn := w.SeveralFunc(e); fn != "" {
		before, between = w.Runtime+"."+fn+"(", ").After("
	}
	for range reads {
		w.Insert(RuleLate, e.Pos(), before)
	}
	visit()
	for _, p := range reads {
		w.Insert(RuleLate, e.End(), between+p+after)
	}
}

// addr visits an expression whose address is taken or that is assigned: the
// pointers on the way to it are loaded, its own value is not.
func (w *walker) addr(e ast.Expr) {
	if kept, ok := w.region.tried[e]; ok {
		delete(w.region.tried, e)
		w.keepOnly(e, kept)
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		w.addr(e.X)
	case *ast.Ident:
	case *ast.StarExpr:
		w.value(e.X)
	case *ast.SelectorExpr:
		sel := w.Info.Selections[e]
		if sel == nil {
			return
		}
		if name := w.Reached[e]; name != "" {
			w.Replace(RuleHoist, e.X, name)
			return
		}
		w.promote(e.X, sel, promoted.Addr)
	case *ast.IndexExpr:
		w.indexed(e)
	default:
		w.value(e)
	}
}

// base visits x in x.f: its value if it is a pointer or a temporary, else only its address.
func (w *walker) base(x ast.Expr) {
	if t := w.Info.TypeOf(x); gotypes.IsPointer(t) || w.Place(x) == expr.PlaceValue {
		w.value(x)
	} else {
		w.addr(x)
	}
}

// selector visits x.f or x.Method as a value.
func (w *walker) selector(e *ast.SelectorExpr) {
	sel := w.Info.Selections[e]
	if sel == nil {
		if w.Place(e) == expr.PlaceShared {
			w.read(e)
		}
		return
	}
	switch sel.Kind() {
	case types.FieldVal:
		switch w.Place(e) {
		case expr.PlaceShared:
			w.read(e)
		case expr.PlaceLocal:
			w.addr(e)
		default:
			w.value(e.X)
		}
	case types.MethodVal:
		w.receiver(e, sel)
	}
}

// index visits a[i] as a value.
func (w *walker) index(e *ast.IndexExpr) {
	t := w.Info.TypeOf(e.X)
	switch {
	case w.IsFunc(e.X): // an instantiation
		return
	case gotypes.IsByteString(t) && w.Quiet(e.X) && w.Pure(e.X) && w.Quiet(e.Index):
		w.value(e.X)
		w.Around(RuleRead, e.Index, w.Runtime+".RacepredIndex("+w.copied(e.X, func(c *walker) { c.hoistedOnly(e.X) })+", ", func() { w.value(e.Index) }, ", "+w.site(site.OpRead, e.Pos(), w.Written(e))+")")
	case gotypes.IsInterface(t):
		w.indexed(e)
	case gotypes.IsMap(t):
		w.nameSite(site.OpMap, e.X.Pos(), e.X)
		w.value(e.X)
		w.value(e.Index)
	case w.Place(e) == expr.PlaceShared:
		w.read(e)
	case w.Place(e) == expr.PlaceLocal:
		w.addr(e)
	default:
		w.value(e.X)
		w.value(e.Index)
	}
}

// indexed visits the operands of x[i], whose own value is not recorded here.
func (w *walker) indexed(e *ast.IndexExpr) {
	t := w.Info.TypeOf(e.X)
	if gotypes.IsInterface(t) { // a type parameter without a core type: nobody records it
		w.miss(e, WhyTypeParam)
	}
	if gotypes.MayBeArray(t) {
		w.addr(e.X)
	} else {
		w.value(e.X)
	}
	w.value(e.Index)
}
