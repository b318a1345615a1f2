package lockset

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/racepred/racepred/analyzer/internal/locker"
)

// Context is one way in which a function is called: the locks that are held, and the parameters
// that no other goroutine knows.
//
//	(C1) An exported function is called by others with no lock, a goroutine begins with none, and a
//	     function of the package is called with what its callers hold.
//	(C2) A function literal that is called where it stands, or deferred, or given to a function that
//	     calls it, runs with the locks there. For a literal that is kept, and for functions whose
//	     values are taken, the locks are unknown.
//	(C3) If a function's name (Locked) or comment ("mu must be held") says that it needs a lock, its
//	     locks are unknown. So are those of the methods of a type whose comment says so ("not safe
//	     for concurrent use").
//	(C4) An exported function that the package itself calls with a lock held, always, is taken to
//	     need it.
//	(C5) Initialization (functions init, and unexported ones whose names begin with init or setup),
//	     what a sync.Once runs, and the methods of a builder (a type whose name ends so, without a
//	     lock of its own) are not concurrent with anything.
//	(C6) A goroutine that a function starts and waits for may have the locks of that function, and
//	     what a timer runs those of the one that sets it.
//	(C7) A method that an interface may lead to may have been called with the locks there.
//	(C9) A lock that a function gives back without having taken it may be its caller's.
//	(C10) A channel with room for one value that a function sends to, and receives from later, is a
//	      lock that is held in between. It guards nothing by itself.
//	(C8) If a function has a method Lock, RLock or TryLock as a value, its locks are unknown.
type Context struct {
	Fn     *ssa.Function
	Entry  State
	From   *Context        // the first caller; nil of the roots
	Site   ssa.Instruction // the call
	Alone  bool            // (C5)
	Roots  []*Root         // the goroutines that run it
	owned  []ssa.Value     // parameters, here and in the functions around, that no other goroutine has
	within *ssa.Function   // the innermost function literal around that runs in a goroutine of its own
	given  []given         // functions that parameters are

	callees []*Context
}

// given is a parameter whose value is a known function, with the context in which the value was
// made.
type given struct {
	param  ssa.Value
	fn     *ssa.Function
	owned  []ssa.Value
	within *ssa.Function
}

// Root is the beginning of goroutines that run code of the package.
type Root struct {
	Go   ssa.Instruction // the go statement, or the call that starts the goroutine; nil: a caller from elsewhere, of which there may be many at once
	Loop bool            // the statement is in a loop
	Main bool            // the function main
}

// Concurrent reports whether code that a runs may run at the same time as code that b runs. With
// shared, all goroutines have the same object.
func (a *Root) Concurrent(b *Root, shared bool) bool {
	switch {
	case a != b:
		return true
	case a.Go == nil:
		return !a.Main
	}
	return shared && a.Loop
}

// Use is an access in a context.
type Use struct {
	*Access
	State  State
	Ctx    *Context
	Waited bool              // behind a wait for another goroutine
	Only   []ssa.Instruction // the starts of the goroutines that have the object, too; nil if any may have it
}

// Apart reports whether the goroutines of u and o have different objects. (O4)
func (u *Use) Apart(o *Use) bool { return u.notOf(o) || o.notOf(u) }

func (u *Use) notOf(o *Use) bool {
	return u.Only != nil && !slices.ContainsFunc(o.Ctx.Roots, func(r *Root) bool { return slices.Contains(u.Only, r.Go) })
}

// Acquire is a lock that is acquired in a context, while others are held.
type Acquire struct {
	Held
	State State // before
	Call  *ssa.CallCommon
	Instr ssa.Instruction
	Ctx   *Context
}

// OutCall is a call of another package's function while locks are held.
type OutCall struct {
	Fn    *types.Func
	State State
	Site  ssa.Instruction
	Ctx   *Context
}

// Ask is a call of a function whose caller may have to hold a lock: of another package, or one that
// says so (NeedsLock).
type Ask struct {
	Fn     *types.Func
	State  State
	Site   ssa.Instruction
	Ctx    *Context
	Waited bool
}

const maxContexts = 12 // of a function; what comes after them is called with any locks

// enter is the context of a call. It is made when it is new.
func (p *Program) enter(fn *ssa.Function, c Context) *Context {
	if len(fn.Blocks) == 0 || p.inTest(fn) || p.generated(fn) {
		return nil
	}
	if p.documented(fn) || locksByValue(fn) { // (C3, C8)
		c.Entry.Any = true
	}
	c.Fn = fn
	c.Alone = c.Alone || initializes(fn)
	for _, class := range p.gives[fn] { // (C9)
		if _, may := c.Entry.Has(class, false); !may {
			c.Entry.Held = append(slices.Clip(c.Entry.Held), Held{Key: Path{Steps: class}, Class: class, Write: true})
		}
	}
	sortHeld(c.Entry.Held)
	c.Entry.released = nil
	key := func() string {
		var b strings.Builder
		b.WriteString(c.Entry.string())
		for _, o := range c.owned {
			b.WriteString(name(o) + " ")
		}
		for _, g := range c.given {
			b.WriteString(name(g.param) + "=" + g.fn.String() + " ")
			for _, o := range g.owned {
				b.WriteString(name(o) + " ")
			}
		}
		if c.within != nil {
			b.WriteString("within " + c.within.String())
		}
		if c.Alone {
			b.WriteString("alone")
		}
		return b.String()
	}
	known := p.contexts[fn]
	k := key()
	if known[k] == nil && len(known) >= maxContexts {
		c.Entry, c.owned, c.given = State{Any: true}, nil, nil
		k = key()
	}
	ctx := known[k]
	if ctx == nil {
		ctx = &c
		if known == nil {
			known = map[string]*Context{}
			p.contexts[fn] = known
		}
		known[k] = ctx
		p.Contexts = append(p.Contexts, ctx)
		p.work = append(p.work, ctx)
	}
	if c.From != nil && !slices.Contains(c.From.callees, ctx) {
		c.From.callees = append(c.From.callees, ctx)
	}
	return ctx
}

// call enters a function of the package that is called, with what the caller holds.
func (p *Program) call(from *Context, s State, fn *ssa.Function, args []ssa.Value, site ssa.Instruction, alone bool) {
	c := Context{From: from, Site: site, Alone: from.Alone || alone, Entry: State{Any: s.Any}}
	if fn.Parent() != nil { // a literal: the locks keep their names
		c.Entry.Held, c.owned, c.within = slices.Clone(s.Held), from.owned, from.within
	}
	if fn.Parent() != nil {
		c.given = from.given
	}
	for i, arg := range args {
		if arg == nil || i >= len(fn.Params) {
			continue
		}
		if p.owned(from, arg, site) {
			c.owned = append(slices.Clip(c.owned), fn.Params[i])
		}
		if f := functionOf(arg); p.ours[f] {
			c.given = append(slices.Clip(c.given), given{fn.Params[i], f, from.owned, from.within})
		}
		for _, g := range p.handedTo(from, arg) {
			c.given = append(slices.Clip(c.given), given{fn.Params[i], g.fn, g.owned, g.within})
		}
	}
	if fn.Parent() == nil {
		for _, h := range s.Held {
			if h.Key, h.Class = renamed(h, fn, args); h.Class != "" || h.Key.Root != nil {
				c.Entry.Held = append(c.Entry.Held, h)
			}
		}
	}
	p.enter(fn, c)
}

// renamed is the callee's name of a lock of the caller.
func renamed(h Held, fn *ssa.Function, args []ssa.Value) (Path, string) {
	if _, ok := h.Key.Root.(*ssa.Global); ok {
		return h.Key, h.Class
	}
	for i, arg := range args {
		if arg == nil || i >= len(fn.Params) {
			continue
		}
		if rest, ok := h.Key.under(PathOf(arg)); ok && h.Key.Root != nil {
			return Path{fn.Params[i], rest}, h.Class
		}
	}
	return Path{Steps: h.Class}, h.Class
}

// callGiven enters a function that the caller has as a parameter.
func (p *Program) callGiven(from *Context, s State, g given, site ssa.Instruction) {
	c := Context{From: from, Site: site, Alone: from.Alone, Entry: State{Any: s.Any, Held: slices.Clone(s.Held)}}
	if g.fn.Parent() != nil {
		c.owned, c.within = g.owned, g.within
	}
	p.enter(g.fn, c)
}

// start enters the function that a goroutine runs. (C6)
func (p *Program) start(s State, fn *ssa.Function, site ssa.Instruction) {
	c := Context{Site: site, within: fn}
	if _, isGo := site.(*ssa.Go); len(s.Held) > 0 && fn.Parent() != nil && (!isGo || waitsAfter(site)) {
		for _, h := range s.Held {
			h.Must = false
			c.Entry.Held = append(c.Entry.Held, h)
		}
	}
	c.Entry.Any = s.Any && fn.Parent() != nil
	ctx := p.enter(fn, c)
	if ctx == nil {
		return
	}
	root := p.goroutines[site]
	if root == nil {
		root = &Root{Go: site, Loop: reaches(site.Block(), site.Block())}
		p.goroutines[site] = root
	}
	p.begins(root, ctx)
}

func (p *Program) begins(r *Root, ctx *Context) {
	if ctx != nil && !slices.Contains(p.first[r], ctx) {
		p.first[r] = append(p.first[r], ctx)
	}
}

// locksByValue reports whether a function, or one around it, has a method that locks as a value.
// (C8)
func locksByValue(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				m, ok := instr.(*ssa.MakeClosure)
				if !ok || boundReceiver(m) == nil {
					continue
				}
				if obj := m.Fn.(*ssa.Function).Object(); obj != nil {
					switch opNames[obj.Name()] {
					case Lock, RLock, TryLock, TryRLock:
						if !onlyCalled(m) {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// initializes reports whether the name of a function, or of its receiver's type, says that it runs
// before other goroutines have the object. A builder with a lock of its own does not count: several
// goroutines use it.
func initializes(fn *ssa.Function) bool {
	if recv := fn.Signature.Recv(); recv != nil {
		if n := named(recv.Type()); n != nil && strings.HasSuffix(strings.ToLower(n.Obj().Name()), "builder") && !hasLock(n) {
			return true
		}
	}
	return fn.Parent() == nil && initial.MatchString(fn.Name())
}

var initial = regexp.MustCompile(`^(init|setup)([^a-z]|$)`)

func hasLock(n *types.Named) bool {
	st, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if locker.Is(f.Type()) || locker.Is(types.NewPointer(f.Type())) {
			return true
		}
	}
	return false
}

// seed enters the functions that may be called from outside of the package. (C1)
func (p *Program) seed(fn *ssa.Function) {
	c := Context{}
	switch {
	case fn.Parent() != nil:
		return // its parent enters it
	case fn.Name() == "init" || strings.HasPrefix(fn.Name(), "init#"):
		p.enter(fn, c)
		return
	case p.Pkg.Name() == "main" && fn.Name() == "main" && fn.Signature.Recv() == nil:
		p.begins(p.main, p.enter(fn, c))
		return
	case !ast.IsExported(fn.Name()) && p.callers[fn].sites > 0 && !p.taken[fn]:
		return
	case !ast.IsExported(fn.Name()), orders(fn), p.taken[fn]:
		c.Entry.Any = true // (C2)
	default:
		for _, class := range p.callers[fn].holds { // (C4)
			c.Entry.Held = append(c.Entry.Held, Held{Key: Path{Steps: class}, Class: class, Write: true})
		}
	}
	p.begins(p.outside, p.enter(fn, c))
}

// orders reports whether a function is a method by which package sort or container/heap asks for
// the order of elements, under whatever locks they are called with.
func orders(fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	if recv == nil || !ordering[fn.Name()] {
		return false
	}
	for _, name := range []string{"Len", "Less", "Swap"} {
		obj, _, _ := types.LookupFieldOrMethod(recv.Type(), true, fn.Pkg.Pkg, name)
		if _, ok := obj.(*types.Func); !ok {
			return false
		}
	}
	return true
}

var ordering = map[string]bool{"Len": true, "Less": true, "Swap": true, "Push": true, "Pop": true}
