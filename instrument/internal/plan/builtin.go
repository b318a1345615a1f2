package plan

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/site"
	"github.com/racepred/racepred/internal/typeset"
)

// builtinCall visits the call of a built-in function (rules B of doc.go).
func (w *walker) builtinCall(e *ast.CallExpr) {
	switch name := w.Builtin(e); name {
	case "len", "cap":
		w.length(e, name)
	case "append":
		w.appendCall(e)
	case "copy":
		w.copyCall(e)
	case "clear":
		w.clearCall(e)
	case "close":
		w.nameSite(site.OpClose, e.Pos(), e.Args[0])
		w.eval(e.Args...)
	case "delete":
		w.nameSite(site.OpMap, e.Args[0].Pos(), e.Args[0])
		w.eval(e.Args...)
	case "String":
		w.viewed(e, true, func() { w.values(e.Args) })
	case "Sizeof", "Alignof", "Offsetof":
		// Their operands are never evaluated.
	default:
		w.values(e.Args)
	}
}

// values visits operands in the region at hand; eval opens one for them.
func (w *walker) values(es []ast.Expr) {
	for _, e := range es {
		w.value(e)
	}
}

// length visits len(x) and cap(x).
//
// (B1) len of a channel or a map is recorded as an observation:
//
// Replace  len(ch)
//
//	with  runtime.RacepredLen(ch)
//
// Replace  len(m)
//
//	with  runtime.RacepredMapLen(m, site)
func (w *walker) length(e *ast.CallExpr, name string) {
	x := e.Args[0]
	t := w.Info.TypeOf(x)
	switch typeset.Core(t).(type) {
	case *types.Array:
		w.addr(x) // no load of the elements
		return
	case *types.Pointer:
		w.value(x)
		return
	case *types.Interface: // a type parameter for types that have nothing in common but this
		if gotypes.MayBeArray(t) {
			w.miss(e, WhyTypeParam)
			w.addr(x)
			return
		}
		if gotypes.MayBeMap(t) {
			w.miss(e, WhyTypeParam)
		}
	case *types.Chan:
		if name == "len" { // cap never changes
			w.Replace(RuleBuiltin, e.Fun, w.Runtime+".RacepredLen")
		}
	case *types.Map:
		w.Replace(RuleBuiltin, e.Fun, w.Runtime+".RacepredMapLen") // maps have no cap
		w.value(x)
		w.Insert(RuleBuiltin, x.End(), ", "+w.site(site.OpRead, x.Pos(), w.Written(e)))
		return
	}
	w.value(x)
}

// appendCall visits append(s, x, ...).
//
// (B2) Elements that append puts into spare capacity are writes to memory that others may
// share. They are recorded when the call has returned:
//
// Replace  append(s, x, y)
//
//	with  runtime.RacepredAppended(append(s, x, y), 2, site)
//
// Replace  append(s, xs...)
//
//	with  runtime.RacepredGrown(append(s, runtime.RacepredLoadSlice(xs, site)...), len(s), site)
//
// and, if s cannot be evaluated twice,
//
//	with  runtime.RacepredAppend(site, s, runtime.RacepredLoadSlice(xs, site)...)
func (w *walker) appendCall(e *ast.CallExpr) {
	s, rest := e.Args[0], e.Args[1:]
	visit := func() {
		if n := len(rest); n > 0 && w.region.sliceLate {
			w.hoistedOnly(s)
			for _, x := range rest[:n-1] {
				w.value(x)
			}
			w.withLoads(rest[n-1], []ast.Expr{s})
			return
		}
		w.value(s)
		for _, x := range rest {
			if _, tried := w.region.tried[x]; tried {
				w.value(x)
			} else if e.Ellipsis.IsValid() && gotypes.IsByteString(w.Info.TypeOf(x)) {
				w.loadsBytes(x)
			} else if e.Ellipsis.IsValid() && gotypes.IsSlice(w.Info.TypeOf(x)) && !w.Fresh(x) && !w.Owned(x) {
				w.Around(RuleBuiltin, x, w.Runtime+".RacepredLoadSlice(", func() { w.value(x) }, ", "+w.site(site.OpRead, x.Pos(), w.Written(x)+"[:]")+")")
			} else {
				w.value(x)
			}
		}
	}
	if len(rest) == 0 || w.Fresh(s) || w.Owned(s) || w.appendsPushed(e) {
		visit()
		return
	}
	if !gotypes.IsSlice(w.Info.TypeOf(s)) {
		w.miss(e, WhyTypeParam)
		visit()
		return
	}
	what := w.Written(s) + "[len:]"
	if !e.Ellipsis.IsValid() {
		w.Around(RuleBuiltin, e, w.Runtime+".RacepredAppended(", visit, ", "+strconv.Itoa(len(rest))+", "+w.site(site.OpWrite, e.Pos(), what)+")")
		return
	}
	if !w.Pure(s) || !gotypes.Universe(w.Pkg, e, "len") || w.HasPoint(rest[0]) && w.Early(s) {
		w.appendOnce(e, what, visit)
		return
	}
	w.Around(RuleBuiltin, e, w.Runtime+".RacepredGrown(", visit, ", len("+w.Written(s)+"), "+w.site(site.OpWrite, e.Pos(), what)+")")
}

// appendOnce visits append(s, xs...) where s can only be evaluated once.
func (w *walker) appendOnce(e *ast.CallExpr, what string, visit func()) {
	fn, xs := "RacepredAppend", w.Info.TypeOf(e.Args[1])
	switch {
	case gotypes.IsString(xs):
		fn = "RacepredAppendString"
	case !gotypes.IsSlice(xs): // nil, or of a type parameter
		w.miss(e, WhyAppendOverlap)
		visit()
		return
	}
	w.Replace(RuleBuiltin, e.Fun, w.Runtime+"."+fn)
	w.Insert(RuleBuiltin, e.Args[0].Pos(), w.site(site.OpWrite, e.Pos(), what)+", ")
	visit()
	if fn == "RacepredAppendString" { // only the builtin takes a string for its variadic parameter
		w.Exchange(RuleBuiltin, e.Ellipsis, e.Ellipsis+token.Pos(len("...")), "")
	}
}

// copyCall visits copy(dst, src).
//
// (B3) Replace  copy(dst, src)
//
//	with  runtime.RacepredCopy(dst, src, site, site)
func (w *walker) copyCall(e *ast.CallExpr) {
	dst, src := e.Args[0], e.Args[1]
	dt, st := w.Info.TypeOf(dst), w.Info.TypeOf(src)
	if !gotypes.IsSlice(dt) || !gotypes.IsSlice(st) && !gotypes.IsString(st) && !gotypes.IsByteString(st) {
		w.miss(e, WhyTypeParam)
		w.eval(e.Args...)
		return
	}
	if w.Owned(dst) && (gotypes.IsString(st) || w.Owned(src)) {
		w.eval(dst, src)
		return
	}
	fn := "RacepredCopy"
	switch {
	case gotypes.IsString(st):
		fn = "RacepredCopyString"
	case gotypes.IsByteString(st):
		fn = "RacepredCopyBytes"
	}
	w.Replace(RuleBuiltin, e.Fun, w.Runtime+"."+fn)
	w.eval(dst, src)
	sites := ", " + w.site(site.OpWrite, dst.Pos(), w.Written(dst)+"[:]")
	if !gotypes.IsString(st) {
		sites += ", " + w.site(site.OpRead, src.Pos(), w.Written(src)+"[:]")
	}
	w.Insert(RuleBuiltin, src.End(), sites)
}

// clearCall visits clear(x). The runtime records that of a map.
//
// (B4) Replace  clear(s)
//
//	with  clear(runtime.RacepredStoreSlice(s, site))
func (w *walker) clearCall(e *ast.CallExpr) {
	x := e.Args[0]
	t := w.Info.TypeOf(x)
	if !gotypes.IsSlice(t) {
		w.nameSite(site.OpMap, x.Pos(), x)
		w.eval(x)
		return
	}
	if w.Owned(x) {
		w.eval(x)
		return
	}
	w.Around(RuleBuiltin, x, w.Runtime+".RacepredStoreSlice(", func() { w.eval(x) }, ", "+w.site(site.OpWrite, x.Pos(), w.Written(x)+"[:]")+")")
}

// deferredClear visits defer clear(s), whose writes are done when it runs.
//
// Replace  defer clear(s)
//
//	with  defer runtime.RacepredClear(s, site)
func (w *walker) deferredClear(e *ast.CallExpr) {
	x := e.Args[0]
	w.Replace(RuleBuiltin, e.Fun, w.Runtime+".RacepredClear")
	w.eval(x)
	w.Insert(RuleBuiltin, x.End(), ", "+w.site(site.OpWrite, x.Pos(), w.Written(x)+"[:]"))
}

// loadsBytes visits a value of a type parameter that is a string or a slice of bytes. Its bytes are
// read if it is a slice.
func (w *walker) loadsBytes(x ast.Expr) {
	w.Around(RuleBuiltin, x, w.Runtime+".RacepredLoadBytes(", func() { w.value(x) }, ", "+w.site(site.OpRead, x.Pos(), w.Written(x)+"[:]")+")")
}
