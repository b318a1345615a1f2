package lockset

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// visit goes through a function in a context: it notes its uses and acquisitions, and enters the
// functions that it calls.
func (p *Program) visit(ctx *Context) {
	fn := ctx.Fn
	list, ok := p.accesses[fn]
	if !ok {
		list = p.flow.names.accessesOf(fn)
		p.accesses[fn] = list
	}
	p.flow.run(fn, ctx.Entry, func(instr ssa.Instruction, s State) {
		for i := range list[instr] {
			if a := &list[instr][i]; !ctx.Alone && a.Pos.IsValid() && (a.base == nil || !p.owned(ctx, a.base, instr) && !p.prepares(fn, a.base, instr)) {
				u := Use{Access: a, State: s, Ctx: ctx, Waited: p.waited(instr)}
				if a.base != nil {
					u.Only = p.sharers(a.base, instr)
				}
				p.Uses = append(p.Uses, u)
			}
		}
		switch i := instr.(type) {
		case *ssa.RunDefers:
			before := s
			p.flow.deferred(fn, i, s, func(d *ssa.Defer, after State) {
				p.called(ctx, before, &d.Call, d)
				before = after
			})
		case *ssa.Defer:
		case *ssa.Go:
			if to := callee(&i.Call); to != nil && p.ours[to] {
				p.start(s, to, i)
			}
			for _, g := range p.handedTo(ctx, i.Call.Value) {
				p.start(s, g.fn, i)
			}
			for _, arg := range i.Call.Args {
				p.kept(ctx, arg, i)
			}
		case *ssa.Call:
			if op, lock := OpOf(&i.Call); (op == Lock || op == RLock) && !ctx.Alone && !p.owned(ctx, lock, i) {
				p.Acquires = append(p.Acquires, Acquire{
					Held:  Held{Key: PathOf(lock), Class: p.flow.names.classOf(lock), Write: op == Lock, Must: true, At: i.Pos()},
					State: s, Call: &i.Call, Instr: i, Ctx: ctx,
				})
			}
			p.called(ctx, s, &i.Call, i)
		case *ssa.MakeClosure, *ssa.DebugRef:
		default:
			for _, op := range instr.Operands(nil) {
				p.kept(ctx, *op, instr)
			}
		}
	})
}

// handedTo are the functions that a parameter may be in a context.
func (p *Program) handedTo(ctx *Context, v ssa.Value) (all []given) {
	for _, g := range ctx.given {
		if g.param == v {
			all = append(all, g)
		}
	}
	return all
}

// called enters the functions that a call runs.
func (p *Program) called(ctx *Context, s State, c *ssa.CallCommon, site ssa.Instruction) {
	to := callee(c)
	if to != nil && len(to.Blocks) == 0 && len(s.Held) > 0 && !ctx.Alone {
		if fn, ok := to.Object().(*types.Func); ok {
			p.Calls = append(p.Calls, OutCall{fn, s, site, ctx})
		}
	}
	p.asks(ctx, s, c, to, site)
	if to != nil && p.ours[to] {
		p.call(ctx, s, to, arguments(c), site, false)
	}
	for _, m := range p.implementations(c) { // (C7)
		perhaps := State{Any: s.Any, Held: slices.Clone(s.Held)}
		for i := range perhaps.Held {
			perhaps.Held[i].Must = false
		}
		p.call(ctx, perhaps, m, append([]ssa.Value{c.Value}, c.Args...), site, false)
	}
	for _, g := range p.handedTo(ctx, c.Value) {
		p.callGiven(ctx, s, g, site)
	}
	for i, arg := range arguments(c) {
		fn := functionOf(arg)
		if fn == nil || !p.ours[fn] {
			continue
		}
		switch {
		case to != nil && p.ours[to] && i < len(to.Params) && onlyCalled(to.Params[i]): // where it calls it
		case asynchronous(c):
			p.start(s, fn, site)
		case once(c):
			p.call(ctx, s, fn, nil, site, true)
		case atOnce(c):
			p.call(ctx, s, fn, nil, site, false)
		default:
			p.kept(ctx, arg, site)
		}
	}
}

// asks notes a call of a method whose caller may have to hold a lock of the receiver's.
func (p *Program) asks(ctx *Context, s State, c *ssa.CallCommon, to *ssa.Function, site ssa.Instruction) {
	if to == nil || ctx.Alone || to.Signature.Recv() == nil || len(arguments(c)) == 0 {
		return
	}
	fn, ok := to.Object().(*types.Func)
	if !ok || len(to.Blocks) > 0 && !p.NeedsLock(to) {
		return
	}
	if recv := arguments(c)[0]; p.owned(ctx, recv, site) || p.prepares(ctx.Fn, recv, site) || p.sharers(recv, site) != nil {
		return
	}
	p.Asks = append(p.Asks, Ask{Fn: fn, State: s, Site: site, Ctx: ctx, Waited: p.waited(site)})
}

// NeedsLock reports whether a function says, in its name or its comment, that its caller holds a
// lock. documented is less strict.
func (p *Program) NeedsLock(fn *ssa.Function) bool {
	d, ok := fn.Syntax().(*ast.FuncDecl)
	if !ok {
		return false
	}
	doc := strings.Join(strings.Fields(d.Doc.Text()), " ")
	return heldName.MatchString(fn.Name()) && !askName.MatchString(fn.Name()) || heldDoc.MatchString(doc) && !heldNot.MatchString(doc)
}

var (
	heldName = regexp.MustCompile(`(Locked|LockHeld|UnderLock|HoldingLock)$`)
	askName  = regexp.MustCompile(`^(?i:is|has|was|set|get|check|un)?(?i:un)?[Ll]ocked$`) // what it is about is locked, or is asked for
	heldDoc  = regexp.MustCompile(`(?i)\b(must|callers?|requires?|assumes?|expects?)\b[^.]*\b(hold|holds|held|holding|locked)\b`)
	heldNot  = regexp.MustCompile(`(?i)\bnot\b|n't\b|\bnever\b|\bwithout\b|\bor\b|\bunless\b|\bif\b`)
)

// kept enters a function whose value is kept somewhere.
func (p *Program) kept(ctx *Context, v ssa.Value, site ssa.Instruction) {
	fn := functionOf(v)
	if fn == nil || !p.ours[fn] || fn.Parent() == nil {
		return // that of a named function is known beforehand
	}
	c := p.enter(fn, Context{Site: site, Entry: State{Any: true}, within: fn})
	p.begins(p.outside, c)
	_ = ctx
}

// onlyCalled reports whether all uses of a function's value are calls of it.
func onlyCalled(v ssa.Value) bool {
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef:
		case ssa.CallInstruction:
			if use.Common().Value != v || slices.Contains(use.Common().Args, v) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// function names a function of another package: its package's path, the receiver's type, its name.
func function(c *ssa.CallCommon) (path, recv, name string) {
	fn := c.StaticCallee()
	if fn == nil {
		return "", "", ""
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return "", "", ""
	}
	if r := obj.Signature().Recv(); r != nil {
		if n := named(r.Type()); n != nil {
			recv = n.Obj().Name()
		}
	}
	return obj.Pkg().Path(), recv, obj.Name()
}

// asynchronous reports whether a function runs its argument in a goroutine of its own.
func asynchronous(c *ssa.CallCommon) bool {
	path, recv, name := function(c)
	switch path {
	case "time", "context":
		return name == "AfterFunc"
	case "sync":
		return recv == "WaitGroup" && name == "Go"
	case "golang.org/x/sync/errgroup":
		return name == "Go" || name == "TryGo"
	}
	return false
}

// once reports whether a function runs its argument once, before any caller goes on.
func once(c *ssa.CallCommon) bool {
	path, recv, name := function(c)
	return path == "sync" && (recv == "Once" && name == "Do" || name == "OnceFunc" || name == "OnceValue" || name == "OnceValues")
}

// atOnce reports whether a function of the library calls its argument before it returns, and does
// not keep it.
func atOnce(c *ssa.CallCommon) bool {
	path, recv, name := function(c)
	switch path {
	case "sort", "slices", "maps", "strings", "bytes", "path/filepath", "io/fs", "iter":
		return true
	case "sync":
		return recv == "Map" && name == "Range"
	}
	return false
}
