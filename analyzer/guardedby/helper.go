package guardedby

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/analyzer/internal/lockset"
)

// helpers are the methods that say that their callers hold a lock, and access variables that it
// guards. (G7)
type helpers struct {
	p     *lockset.Program
	needs map[*types.Func][]string // classes of locks
	order []*types.Func
	calls map[*types.Func][]*lockset.Ask
}

func newHelpers(p *lockset.Program) *helpers {
	h := &helpers{p: p, needs: map[*types.Func][]string{}, calls: map[*types.Func][]*lockset.Ask{}}
	for i := range p.Asks {
		a := &p.Asks[i]
		if h.calls[a.Fn] == nil {
			h.order = append(h.order, a.Fn)
		}
		h.calls[a.Fn] = append(h.calls[a.Fn], a)
	}
	return h
}

// guarded notes which methods access v of their receiver without its lock, and say that it is held.
func (h *helpers) guarded(v *variable, g *guard) {
	for _, s := range v.order {
		fn := s.Instr.Parent()
		param := s.Of()
		if param == nil || len(fn.Params) == 0 || param != fn.Params[0] || fn.Signature.Recv() == nil || s.standing(g.class) == guarded || !h.p.NeedsLock(fn) {
			continue
		}
		if obj, ok := fn.Object().(*types.Func); ok && !slices.Contains(h.needs[obj], g.class) {
			h.needs[obj] = append(h.needs[obj], g.class)
		}
	}
}

// findings are the calls of such methods without the lock. It also exports the facts for other
// packages.
func (h *helpers) findings(pass *analysis.Pass) (all []finding) {
	for _, fn := range h.order {
		classes := h.needs[fn]
		if fact := new(needs); fn.Pkg() != pass.Pkg && pass.ImportObjectFact(fn, fact) {
			classes = fact.Classes
		}
		for _, class := range classes {
			all = append(all, h.without(fn, class, fn.Pkg() != pass.Pkg)...)
		}
	}
	for fn, classes := range h.needs {
		if fn.Exported() {
			slices.Sort(classes)
			pass.ExportObjectFact(fn, &needs{classes})
		}
	}
	return all
}

// without are the calls of a method without the lock that it needs, if most hold it.
func (h *helpers) without(fn *types.Func, class string, foreign bool) (all []finding) {
	with, free := map[any]bool{}, map[any]bool{}
	for _, a := range h.calls[fn] {
		switch must, may := a.State.Has(class, false); {
		case must:
			with[a.Site] = true
		case !may && !a.Waited && len(a.Ctx.Roots) > 0:
			free[a.Site] = true
		}
	}
	if len(with) == 0 && !foreign || len(free) > 1 && len(with) < 4*len(free) {
		return nil
	}
	reported := map[any]bool{}
	for _, a := range h.calls[fn] {
		if !free[a.Site] || reported[a.Site] {
			continue
		}
		if _, may := a.State.Has(class, false); may || a.Waited || len(a.Ctx.Roots) == 0 {
			continue
		}
		reported[a.Site] = true
		f := finding{at: a.Site.Pos(), message: fmt.Sprintf("call of %s without %s, which its caller is to hold", fn.Name(), short(class))}
		f.related = append([]analysis.RelatedInformation{{Pos: fn.Pos(), Message: fn.Name() + " says so, and accesses what " + short(class) + " guards"}}, calls(a.Ctx)...)
		all = append(all, f)
	}
	return all
}
