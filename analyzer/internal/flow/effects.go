package flow

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// Effect is what a function does to a lock that its receiver or a parameter leads to.
type Effect struct {
	Param  int    // -1 is the receiver, 0 the first parameter
	Sel    string // from there, as of a Path
	Takes  Mode   // Shared, Exclusive: in this way it takes the lock as it found it
	Leaves Mode   // how it leaves the lock, 0 if as it found it
}

// Effects is the fact of what a function does to locks.
type Effects struct {
	Locks []Effect

	variables []LockEffect // on package variables; not exported to other packages
}

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
	d := p.Decls[fn]
	if d == nil {
		return &Effects{}
	}
	p.effects[fn] = &Effects{} // of a function that calls itself
	params := parameters(p.Info, d)
	f := p.Func(d)
	if f == nil { // it is being built
		delete(p.effects, fn)
		return &Effects{}
	}
	takes := map[Path]Mode{}
	chosen := p.chosen(d, params)
	take := func(e *Event, l Path, was, by Mode) {
		if was == AsFound && !chosen(e.Node) {
			takes[l] |= by
		}
	}
	p.Before(f, func(e *Event, s State) {
		switch e.Kind {
		case Lock:
			take(e, e.Path, s.Of(e.Path), Exclusive)
		case RLock:
			take(e, e.Path, s.Of(e.Path), Shared)
		case Calls:
			for _, l := range p.EffectsOf(e) {
				if l.Takes != 0 {
					take(e, l.Path, s.Of(l.Path), l.Takes)
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
		if !l.Known() || len(l.Sel) > 60 || strings.HasSuffix(l.Sel, "!") {
			continue
		}
		i, ok := params[l.Root]
		e := Effect{Param: i, Sel: l.Sel, Takes: takes[l], Leaves: end.Of(l)}
		if e.Leaves == AsFound || e.Takes != 0 && e.Leaves&^(AsFound|Free) == 0 {
			e.Leaves = 0
		}
		switch {
		case e.Takes == 0 && e.Leaves == 0:
		case !ok && l.Root.Parent() == p.pass.Pkg.Scope():
			found.variables = append(found.variables, LockEffect{l, e.Takes, e.Leaves})
		case ok:
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

// chosen returns a function that reports whether a node runs for some arguments only, because an if
// or a switch around it looks at a parameter: the caller knows which.
func (p *Package) chosen(d *ast.FuncDecl, params map[types.Object]int) func(ast.Node) bool {
	type span struct{ from, to token.Pos }
	var spans []span
	looks := func(e ast.Node) (found bool) {
		if e == nil {
			return false
		}
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				i, isParam := params[p.Info.Uses[id]]
				found = found || isParam && i >= 0
			}
			return !found
		})
		return found
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			for _, s := range n.List {
				if s, ok := s.(*ast.IfStmt); ok && looks(s.Cond) && ends(s.Body) {
					spans = append(spans, span{s.End(), n.End()})
				}
			}
		case *ast.IfStmt:
			if looks(n.Cond) {
				spans = append(spans, span{n.Body.Pos(), n.End()})
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && looks(n.Tag) {
				spans = append(spans, span{n.Body.Pos(), n.End()})
			}
		case *ast.CaseClause:
			if slices.ContainsFunc(n.List, func(e ast.Expr) bool { return looks(e) }) {
				spans = append(spans, span{n.Pos(), n.End()})
			}
		}
		return true
	})
	return func(n ast.Node) bool {
		return n != nil && slices.ContainsFunc(spans, func(s span) bool { return s.from <= n.Pos() && n.Pos() < s.to })
	}
}

// ends reports whether a block ends with a return.
func ends(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	_, ok := b.List[len(b.List)-1].(*ast.ReturnStmt)
	return ok
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

// EffectsOf are the effects of a call on the locks of its caller.
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
	all := slices.Clone(effects.variables)
	for _, l := range effects.Locks {
		if path := p.argument(e.Call, l.Param, l.Sel); path.Valid() {
			all = append(all, LockEffect{path, l.Takes, l.Leaves})
		}
	}
	return all
}

// argument is the caller's path of the location to which sel leads from a parameter.
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

// touches are the locks that a literal leaves in another state than it found them.
func (p *Package) touches(lit *ast.FuncLit) (all []Path) {
	f := p.Func(lit)
	if f == nil {
		return nil
	}
	taken := map[Path]bool{} // as found
	given := map[Path]bool{}
	p.Before(f, func(e *Event, s State) {
		switch e.Kind {
		case Lock, RLock:
			taken[e.Path] = taken[e.Path] || s.Of(e.Path) == AsFound
		case Unlock, RUnlock, TryLock:
			given[e.Path] = given[e.Path] || s.Of(e.Path)&AsFound != 0
		}
	})
	end := p.AtExit(f)
	for l := range given {
		if given[l] {
			all = append(all, l)
		}
	}
	for l := range taken {
		if taken[l] && !given[l] && end.Of(l)&^(Free|AsFound) != 0 {
			all = append(all, l)
		}
	}
	return slices.DeleteFunc(all, func(l Path) bool { return lit.Pos() <= l.Root.Pos() && l.Root.Pos() < lit.End() })
}

// unlocks are the locks that a deferred call may give back.
func (p *Package) unlocks(call *ast.CallExpr) []Path {
	if lit := p.literal(call.Fun); lit != nil {
		return p.touches(lit)
	}
	recv, name, of := p.method(call)
	if of != nil && (name == "Unlock" || name == "RUnlock") && recv.Valid() {
		return []Path{recv}
	}
	var all []Path
	for _, l := range p.EffectsOf(&Event{Call: call, Callee: typeutil.StaticCallee(p.Info, call)}) {
		if l.Leaves != 0 {
			all = append(all, l.Path)
		}
	}
	return all
}
