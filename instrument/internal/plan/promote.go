package plan

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/instrument/internal/expr"
	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/promoted"
	"github.com/racepred/racepred/instrument/internal/site"
	"github.com/racepred/racepred/internal/typeset"
)

// promote visits x in x.f or x.Method, where the selector reaches the field
// or the method through embedded fields.
//
// (R3) A pointer among these fields is loaded on the way:
//
// Replace  x.f
//
//	with  (*runtime.RacepredR(&x.Embedded, site)).f
func (w *walker) promote(x ast.Expr, sel *types.Selection, want promoted.Want) {
	fields := gotypes.Embedded(sel)
	if len(fields) == 0 && want == promoted.Addr {
		w.base(x)
		return
	}
	if len(fields) == 0 && want == promoted.Load {
		w.value(x)
		return
	}
	loads, unnamed := w.hops(x, sel, want), w.hidden(sel)
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

// hops are the loads on the way to what a selector of x names.
func (w *walker) hops(x ast.Expr, sel *types.Selection, want promoted.Want) []promoted.Hop {
	at := w.Behind(x)
	if !gotypes.IsPointer(w.Info.TypeOf(x)) {
		at = w.Place(x)
	}
	return promoted.Hops(sel, want, at == expr.PlaceShared)
}

// loadsEmbedded reports whether promote makes of x in x.Method a text that loads the last embedded
// field.
func (w *walker) loadsEmbedded(x ast.Expr, sel *types.Selection) bool {
	want := promoted.Receives(sel)
	return want == promoted.Load && len(w.hops(x, sel, want)) > 0 && !w.hidden(sel) && !w.marked(x) && !w.later(x)
}

// surround visits x and puts the loads around it.
func (w *walker) surround(x ast.Expr, loads []promoted.Hop) {
	for i := len(loads) - 1; i >= 0; i-- {
		deref := ""
		if loads[i].Deref {
			deref = "*"
		}
		w.Insert(RulePromoted, x.Pos(), "(*"+w.Runtime+".RacepredR(&"+deref)
	}
	w.base(x)
	name := w.Written(x)
	for _, l := range loads {
		name += l.Path
		if l.Deref {
			name = "*" + name
		}
		w.Insert(RulePromoted, x.End(), l.Path+", "+w.site(site.OpRead, x.Pos(), name)+"))")
	}
}

// surroundHidden is surround for fields that this package may not name. Package runtime finds them
// by their numbers in the description of x's type.
//
// Replace  p.f
//
//	with  (*runtime.RacepredReadField(p, site, 0)).f
func (w *walker) surroundHidden(x ast.Expr, loads []promoted.Hop) {
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
		name += l.Path
		if l.Deref {
			name = "*" + name
		}
		text := ", " + w.site(site.OpRead, x.Pos(), name)
		for _, f := range l.Fields {
			text += ", " + strconv.Itoa(f)
		}
		text += ")"
		if i == len(loads)-1 {
			text += ")"
		}
		w.Insert(RulePromoted, x.End(), text)
	}
}

// embeddedPointer visits x in x.f, whose selector passes through embedded pointers, and adds the
// fields up to the last of these pointers: the text is that pointer.
func (w *walker) embeddedPointer(e *ast.SelectorExpr) {
	at := w.Behind(e.X)
	if !gotypes.IsPointer(w.Info.TypeOf(e.X)) {
		at = w.Place(e.X)
	}
	fields := gotypes.Embedded(w.Info.Selections[e])
	for !gotypes.IsPointer(fields[len(fields)-1].Type()) {
		fields = fields[:len(fields)-1]
	}
	var loads []promoted.Hop
	path := ""
	for _, f := range fields {
		path += "." + f.Name()
		if !gotypes.IsPointer(f.Type()) {
			continue
		}
		if at == expr.PlaceShared {
			loads = append(loads, promoted.Hop{Path: path})
			path = ""
		}
		at = expr.PlaceShared
	}
	w.surround(e.X, loads)
	w.Insert(RulePromoted, e.X.End(), path)
}

// hidden reports whether a selector passes through a field that this package may not name.
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
	before, after := w.askReceiver(e, sel)
	if before == "" {
		before, after = w.dynamic(e.X, sel)
	}
	w.Insert(RuleWrapper, e.X.Pos(), before)
	w.promote(e.X, sel, promoted.Receives(sel))
	w.Insert(RuleWrapper, e.X.End(), after)
}
