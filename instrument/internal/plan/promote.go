package plan

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/internal/typeset"
)

// want says what a selector does with the embedded field it ends at.
type want uint8

const (
	wantAddr  want = iota // only its address: x.f, or a pointer method of an embedded struct
	wantLoad              // its value: a value method of an embedded struct, any method of an embedded pointer
	wantDeref             // it is a pointer, and what it points to is loaded: a value method of an embedded pointer
)

// promote visits x in x.f or x.Method, where the selector reaches what it
// names through embedded fields.
//
// (R3) A pointer among these fields is loaded on the way:
//
// Replace  x.f
//
//	with  (*runtime.RacepredR(&x.Embedded, site)).f
func (w *walker) promote(x ast.Expr, sel *types.Selection, want want) {
	fields := gotypes.Embedded(sel)
	if len(fields) == 0 && want == wantAddr {
		w.base(x)
		return
	}
	if len(fields) == 0 && want == wantLoad {
		w.value(x)
		return
	}
	at := w.Behind(x)
	if !gotypes.IsPointer(w.Info.TypeOf(x)) {
		at = w.Place(x)
	}
	var loads []hop
	path, unnamed := "", w.hidden(sel)
	for i, f := range fields {
		path += "." + f.Name()
		if !gotypes.IsPointer(f.Type()) && (i < len(fields)-1 || want != wantLoad) {
			continue
		}
		if at == expr.PlaceShared {
			loads = append(loads, hop{path: path, fields: sel.Index()[:i+1]})
			path = ""
		}
		at = expr.PlaceShared
	}
	if want == wantDeref && at == expr.PlaceShared {
		loads = append(loads, hop{path: path, fields: append(slices.Clip(sel.Index()[:len(fields)]), -1), deref: true})
	}
	surround := func(w *walker) { w.surround(x, loads) }
	if unnamed {
		surround = func(w *walker) { w.surroundHidden(x, loads) }
	}
	text := func() string { // the pointer in it
		return strings.TrimSuffix(strings.Replace(w.copied(x, func(c *walker) { surround(c) }), "(*", "", 1), ")")
	}
	switch {
	case len(loads) == 0:
		w.base(x)
	case unnamed && (typeset.IsParam(w.Info.TypeOf(x)) || !gotypes.IsPointer(w.Info.TypeOf(x)) && w.Place(x) == expr.PlaceValue):
		w.miss(x, WhyHiddenField)
		w.base(x)
	case w.marked(x):
		w.region.waiting = append(w.region.waiting, w.Placed(w.region.Mark.End(), x, text))
		w.hoistedOnly(x)
	case w.later(x) && w.region.Attach && w.Pure(x) && !w.Early(x): // (R2)
		w.region.pending = append(w.region.pending, w.Placed(w.region.Last.End(), x, text))
		w.hoistedOnly(x)
	case w.later(x) && (len(loads) > 1 || !gotypes.IsPointer(w.Info.TypeOf(x)) && w.AddressLoads(x) || gotypes.IsPointer(w.Info.TypeOf(x)) && w.ValueLoads(x)):
		w.miss(x, WhyLateOperand)
		w.base(x)
	default:
		surround(w)
	}
}

// hop is a load of an embedded field, or of what it points to: the names of the fields since the last load, and the
// numbers of those since the operand.
type hop struct {
	path   string
	fields []int
	deref  bool
}

// surround visits x and puts the loads around it.
func (w *walker) surround(x ast.Expr, loads []hop) {
	for i := len(loads) - 1; i >= 0; i-- {
		deref := ""
		if loads[i].deref {
			deref = "*"
		}
		w.Insert(RulePromoted, x.Pos(), "(*"+w.Runtime+".RacepredR(&"+deref)
	}
	w.base(x)
	name := w.Written(x)
	for _, l := range loads {
		name += l.path
		if l.deref {
			name = "*" + name
		}
		w.Insert(RulePromoted, x.End(), l.path+", "+w.site(OpRead, x.Pos(), name)+"))")
	}
}

// surroundHidden does that where this package may not name one of the fields. Package runtime finds them by their numbers
// in the description of x's type.
//
// Replace  p.f
//
//	with  (*runtime.RacepredReadField(p, site, 0)).f
func (w *walker) surroundHidden(x ast.Expr, loads []hop) {
	w.Insert(RulePromoted, x.Pos(), "(*")
	for range loads {
		w.Insert(RulePromoted, x.Pos(), w.Runtime+".RacepredReadField(")
	}
	if gotypes.IsPointer(w.Info.TypeOf(x)) {
		w.value(x)
	} else {
		w.Insert(RulePromoted, x.Pos(), "&")
		w.addr(x)
	}
	name := w.Written(x)
	for i, l := range loads {
		name += l.path
		if l.deref {
			name = "*" + name
		}
		text := ", " + w.site(OpRead, x.Pos(), name)
		for _, f := range l.fields {
			text += ", " + strconv.Itoa(f)
		}
		text += ")"
		if i == len(loads)-1 {
			text += ")"
		}
		w.Insert(RulePromoted, x.End(), text)
	}
}

// embeddedPointer visits x in x.f, whose selector passes through embedded pointers, and adds the fields up to the last of
// them, so that the text has its value.
func (w *walker) embeddedPointer(e *ast.SelectorExpr) {
	at := w.Behind(e.X)
	if !gotypes.IsPointer(w.Info.TypeOf(e.X)) {
		at = w.Place(e.X)
	}
	fields := gotypes.Embedded(w.Info.Selections[e])
	for !gotypes.IsPointer(fields[len(fields)-1].Type()) {
		fields = fields[:len(fields)-1]
	}
	var loads []hop
	path := ""
	for _, f := range fields {
		path += "." + f.Name()
		if !gotypes.IsPointer(f.Type()) {
			continue
		}
		if at == expr.PlaceShared {
			loads = append(loads, hop{path: path})
			path = ""
		}
		at = expr.PlaceShared
	}
	w.surround(e.X, loads)
	w.Insert(RulePromoted, e.X.End(), path)
}

// hidden says whether a selector passes through a field that this package may not name.
func (w *walker) hidden(sel *types.Selection) bool {
	return slices.ContainsFunc(gotypes.Embedded(sel), func(f *types.Var) bool { return !f.Exported() && f.Pkg() != w.Pkg })
}

// receiver visits x in x.Method, called or not.
//
// (R4) A value method called through a pointer loads what it points to:
//
// Replace  p.Method
//
//	with  (*runtime.RacepredR(&*p, site)).Method
func (w *walker) receiver(e *ast.SelectorExpr, sel *types.Selection) {
	before, after := w.dynamic(e.X, sel)
	w.Insert(RuleWrapper, e.X.Pos(), before)
	w.promote(e.X, sel, receives(sel))
	w.Insert(RuleWrapper, e.X.End(), after)
}

// receives says what a method selector does with what the method is called on.
func receives(sel *types.Selection) want {
	t := sel.Recv()
	if fields := gotypes.Embedded(sel); len(fields) > 0 {
		t = fields[len(fields)-1].Type()
	}
	f := sel.Obj().(*types.Func)
	switch {
	case types.IsInterface(f.Signature().Recv().Type()) || typeset.IsParam(t):
		return wantLoad
	case gotypes.PointerReceiver(sel):
		return wantAddr
	case gotypes.IsPointer(t):
		return wantDeref
	default:
		return wantLoad
	}
}
