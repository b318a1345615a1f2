package plan

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/racepred/racepred/instrument/internal/gotypes"
	"github.com/racepred/racepred/instrument/internal/hazard"
	"github.com/racepred/racepred/instrument/internal/site"
)

// returnStmt visits return x, y.
//
// (W5) Named results that a closure shares are written by it:
//
// Replace  return g()
//
//	with  return runtime.RacepredAfter(g(), runtime.RacepredW(&err, site))
//
// and a return without operands reads the results:
//
// Replace  return
//
//	with  runtime.RacepredR(&err, site); return
//
// If the function defers calls, the read is deferred as well, before all others.
func (w *walker) returnStmt(s *ast.ReturnStmt) {
	if w.whole.thrown[s] {
		for _, e := range s.Results { // (D2)
			w.discarded(e)
			w.unread(e)
		}
	}
	if len(s.Results) == 0 {
		w.bareReturn(s)
		return
	}
	writes := w.sharedResults(s)
	if len(writes) == 0 {
		defer w.enter(s.Results...)()
		w.inOrder(func(h *hazard.Hazards) { w.resultsInOrder(h, s) }, s.Results, nil, false, func() {
			for _, e := range s.Results {
				w.value(e)
			}
		})
		return
	}
	names := gotypes.ResultNames(w.Fn)
	if len(s.Results) != len(names) {
		w.returnCall(s, writes)
		return
	}
	carrier := slices.Index(names, writes[0])
	for i, e := range s.Results {
		if !w.Quiet(e) {
			carrier = i
		}
	}
	if i := slices.Index(writes, names[carrier]); i > 0 {
		writes[0], writes[i] = writes[i], writes[0] // its own first
	}
	defer w.enter(s.Results...)()
	for i, e := range s.Results {
		if i != carrier {
			w.value(e)
			continue
		}
		w.afterResult(e, names[i], writes)
	}
}

// resultsInOrder collects the hazards of results. The compiler assigns them one by one (ascompatee
// of package walk). It first evaluates those that could see an earlier assignment.
func (w *walker) resultsInOrder(h *hazard.Hazards, s *ast.ReturnStmt) {
	names := gotypes.ResultNames(w.Fn)
	visible := false
	for i, e := range s.Results {
		if h.Rank = 100 + i; visible {
			h.Rank = i
		}
		h.Value(e, nil)
		visible = visible || gotypes.HasDefer(w.Fn)
		if i < len(names) {
			v, ok := w.Info.Defs[names[i]].(*types.Var)
			visible = visible || ok && w.InMemory(v)
		}
	}
}

// sharedResults are the named results that return assigns and others could see.
func (w *walker) sharedResults(s *ast.ReturnStmt) []*ast.Ident {
	names := gotypes.ResultNames(w.Fn)
	var shared []*ast.Ident
	for i, id := range names {
		v, ok := w.Info.Defs[id].(*types.Var)
		if !ok || !w.IsShared(v) {
			continue
		}
		// The compiler leaves `return x` alone where x is that result itself (go.dev/issue/4014),
		// so nothing is written.
		if len(s.Results) == len(names) {
			if same, ok := ast.Unparen(s.Results[i]).(*ast.Ident); ok && w.Info.Uses[same] == v {
				continue
			}
		}
		_, visible := w.Pkg.Scope().Innermost(s.Pos()).LookupParent(id.Name, s.Pos())
		if visible != v {
			w.miss(s, WhyShadowed)
			continue
		}
		shared = append(shared, id)
	}
	return shared
}

// returnCall visits return f(), where f has several results.
//
// Replace  return f()
//
//	with  { t1, t2 := f(); return t1, runtime.RacepredAfter(t2, runtime.RacepredW(&err, site)) }
func (w *walker) returnCall(s *ast.ReturnStmt, writes []*ast.Ident) {
	if w.stmt == nil || !w.stmt.listed {
		for _, id := range writes {
			w.miss(id, WhyHeader)
		}
		w.eval(s.Results...)
		return
	}
	var temps []string
	for range gotypes.ResultNames(w.Fn) {
		temps = append(temps, w.Temp())
	}
	results := slices.Clone(temps)
	last := len(results) - 1
	for _, id := range writes {
		results[last] = w.Call("RacepredAfter", results[last], w.Call("RacepredW", "&"+id.Name, w.site(site.OpWrite, s.Pos(), id.Name)))
	}
	w.Exchange(RuleResult, s.Pos(), s.Pos()+token.Pos(len("return")), "{ "+strings.Join(temps, ", ")+" :=")
	w.eval(s.Results...)
	w.Insert(RuleResult, s.End(), "; return "+strings.Join(results, ", ")+" }")
}

func (w *walker) bareReturn(s *ast.ReturnStmt) {
	if w.stmt == nil || !w.stmt.listed || gotypes.HasDefer(w.Fn) {
		return
	}
	for _, id := range gotypes.ResultNames(w.Fn) {
		if v, ok := w.Info.Defs[id].(*types.Var); ok && w.IsShared(v) {
			w.stmt.gap.Fill(RuleResult, w.Call("RacepredR", "&"+id.Name, w.site(site.OpRead, s.Pos(), id.Name))+"; ")
		}
	}
}

// deferredResults records the read of the results when a function that defers calls returns.
//
// Replace  func f() (err error) { defer wrap(&err); ... }
//
//	with  func f() (err error) { defer runtime.RacepredResult(&err, site); defer wrap(&err); ... }
func (w *walker) deferredResults(body *ast.BlockStmt) {
	if !gotypes.HasDefer(w.Fn) {
		return
	}
	for _, id := range gotypes.ResultNames(w.Fn) {
		if v, ok := w.Info.Defs[id].(*types.Var); ok && id.Name != "_" && w.IsShared(v) {
			w.Insert(RuleResult, body.Lbrace+1, " defer "+w.Call("RacepredResult", "&"+id.Name, w.site(site.OpRead, body.Rbrace, id.Name))+";")
		}
	}
}

func (w *walker) afterResult(e ast.Expr, own *ast.Ident, writes []*ast.Ident) {
	fn := "RacepredAfter"
	if tv := w.Info.Types[e]; tv.IsNil() || !w.Typed(e) && !types.IsInterface(w.Info.TypeOf(own)) {
		if writes[0] != own {
			for _, id := range writes {
				w.miss(id, WhyUntyped)
			}
			w.value(e)
			return
		}
		fn = "RacepredAfterT"
	}
	for i := range writes {
		if i < len(writes)-1 {
			w.Insert(RuleResult, e.Pos(), w.Runtime+".RacepredAfter(")
		} else {
			w.Insert(RuleResult, e.Pos(), w.Runtime+"."+fn+"(")
		}
	}
	w.value(e)
	for _, id := range writes {
		w.Insert(RuleResult, e.End(), ", "+w.Call("RacepredW", "&"+id.Name, w.site(site.OpWrite, e.Pos(), id.Name))+")")
	}
}
