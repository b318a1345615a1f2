package flow

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// Effect is what a function does to a lock that its receiver or a parameter leads to.
type Effect struct {
	Param  int    // -1 is the receiver, 0 the first parameter
	Sel    string // from there, as of a Path
	Takes  Mode   // Shared, Exclusive: in this way it takes the lock as it found it
	Leaves Mode   // how it leaves the lock, 0 if as it found it
}

// Effects is the fact of what a function does to locks.
type Effects struct{ Locks []Effect }

func (*Effects) AFact() {}

func (e *Effects) String() string {
	var s []string
	for _, l := range e.Locks {
		s = append(s, fmt.Sprintf("%d%s takes %d leaves %d", l.Param, l.Sel, l.Takes, l.Leaves))
	}
	return strings.Join(s, ", ")
}

// LockEffect is an effect on a lock of the caller.
type LockEffect struct {
	Path
	Takes, Leaves Mode
}

// effectsOf finds what a function of the package does to locks.
func (p *Package) effectsOf(fn *types.Func) *Effects {
	if e, ok := p.effects[fn]; ok {
		return e
	}
	p.effects[fn] = &Effects{} // of a function that calls itself
	d := p.Decls[fn]
	if d == nil {
		return p.effects[fn]
	}
	params := parameters(p.Info, d)
	f := p.Func(d)
	if f == nil { // it is being built
		delete(p.effects, fn)
		return &Effects{}
	}
	takes := map[Path]Mode{}
	take := func(l Path, was, by Mode) {
		if was == AsFound {
			takes[l] |= by
		}
	}
	p.Before(f, func(e *Event, s State) {
		switch e.Kind {
		case Lock:
			take(e.Path, s.Of(e.Path), Exclusive)
		case RLock:
			take(e.Path, s.Of(e.Path), Shared)
		case Calls:
			for _, l := range p.EffectsOf(e) {
				if l.Takes != 0 {
					take(l.Path, s.Of(l.Path), l.Takes)
				}
			}
		}
	})
	end := p.AtExit(f)
	all := map[Path]bool{}
	for l := range takes {
		all[l] = true
	}
	for l := range end {
		all[l] = true
	}
	found := &Effects{}
	for l := range all {
		i, ok := params[l.Root]
		if !ok || !l.Known() || len(l.Sel) > 60 {
			continue
		}
		e := Effect{Param: i, Sel: l.Sel, Takes: takes[l], Leaves: end.Of(l)}
		if e.Leaves == AsFound || e.Takes != 0 && e.Leaves&^(AsFound|Free) == 0 {
			e.Leaves = 0
		}
		if e.Takes != 0 || e.Leaves != 0 {
			found.Locks = append(found.Locks, e)
		}
	}
	slices.SortFunc(found.Locks, func(a, b Effect) int {
		if a.Param != b.Param {
			return a.Param - b.Param
		}
		return strings.Compare(a.Sel, b.Sel)
	})
	p.effects[fn] = found
	return found
}

func parameters(info *types.Info, d *ast.FuncDecl) map[types.Object]int {
	params := map[types.Object]int{}
	if d.Recv != nil {
		for _, f := range d.Recv.List {
			for _, n := range f.Names {
				params[info.Defs[n]] = -1
			}
		}
	}
	i := 0
	for _, f := range d.Type.Params.List {
		for _, n := range f.Names {
			params[info.Defs[n]] = i
			i++
		}
		if len(f.Names) == 0 {
			i++
		}
	}
	return params
}

// EffectsOf is what a call does to the locks of its caller.
func (p *Package) EffectsOf(e *Event) []LockEffect {
	if e.Callee == nil || e.Call == nil || e.InPlace {
		return nil
	}
	fn := e.Callee.Origin()
	var effects *Effects
	if fn.Pkg() == p.pass.Pkg {
		effects = p.effectsOf(fn)
	} else if effects = new(Effects); !p.pass.ImportObjectFact(fn, effects) {
		return nil
	}
	var all []LockEffect
	for _, l := range effects.Locks {
		if path := p.argument(e.Call, l.Param, l.Sel); path.Valid() {
			all = append(all, LockEffect{path, l.Takes, l.Leaves})
		}
	}
	return all
}

// argument is the path in the caller of what sel leads to from a parameter.
func (p *Package) argument(call *ast.CallExpr, param int, sel string) Path {
	rest, ptr := strings.CutPrefix(sel, "*")
	if param < 0 {
		s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || p.Info.Selections[s] == nil || p.Info.Selections[s].Kind() != types.MethodVal || !ptr {
			return Path{}
		}
		return Receiver(p.Info, s).Add(rest)
	}
	if param >= len(call.Args) || !ptr {
		return Path{}
	}
	return Pointee(p.Info, call.Args[param]).Add(rest)
}
