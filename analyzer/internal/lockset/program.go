// Package lockset finds which locks are held where: the SSA form of a package -> its accesses and
// acquisitions, each with the locks held, in each way that its function is called.
//
// Like Blackshear et al., RacerD (OOPSLA 2018), it leaves out values that no other goroutine has
// yet (fresh ones, those that were received), code that is not concurrent, and all that is not
// known.
package lockset

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/racepred/racepred/analyzer/internal/concurrent"
	"github.com/racepred/racepred/analyzer/internal/locker"
)

// Analyzer is required by the checks. Its result is a *Program, nil for a package without
// concurrency of its own.
var Analyzer = &analysis.Analyzer{
	Name:       "racepredlocks",
	Doc:        "find which locks are held where",
	Run:        run,
	Requires:   []*analysis.Analyzer{concurrent.Analyzer},
	ResultType: reflect.TypeFor[*Program](),
	FactTypes:  []analysis.Fact{new(Effect), new(Fresh)},
}

// Program is a package with the locks of its functions.
type Program struct {
	Pkg      *types.Package
	Fset     *token.FileSet
	Contexts []*Context
	Uses     []Use     // of fields and variables that others may know, in code that may be concurrent
	Acquires []Acquire // of locks
	Calls    []OutCall // of other packages, with locks held
	Asks     []Ask     // calls of functions that may need the caller's locks, from code that may be concurrent

	funcs      []*ssa.Function
	effects    map[*ssa.Function]*Effect
	imported   func(*types.Func) *Effect
	fresh      *freshness
	documents  map[*ssa.Function]bool
	unsafe     map[types.Object]bool                 // types that say that one goroutine at a time may use them
	spawns     map[*ssa.Function][][]ssa.Instruction // for each parameter, what starts goroutines that get it
	gives      map[*ssa.Function][]string            // classes of locks that it gives back without having taken them
	taken      map[*ssa.Function]bool                // its value is kept somewhere
	callers    map[*ssa.Function]callers
	methods    map[string][]*ssa.Function
	contexts   map[*ssa.Function]map[string]*Context
	work       []*Context
	goroutines map[ssa.Instruction]*Root
	first      map[*Root][]*Context
	outside    *Root
	main       *Root
	flow       flow
	accesses   map[*ssa.Function]map[ssa.Instruction][]Access
	starters   map[*ssa.Function][]ssa.CallInstruction // what may start a goroutine in it
	ours       map[*ssa.Function]bool
	waitLoops  map[*ssa.BasicBlock]bool // whether it is the head of a loop that waits
}

// callers describes the calls of a function in its package.
type callers struct {
	sites int
	holds []string // classes of locks that all of them hold
}

func run(pass *analysis.Pass) (any, error) {
	pkg := pass.ResultOf[concurrent.Analyzer].(*concurrent.Package)
	if pkg == nil {
		return (*Program)(nil), nil
	}
	p := &Program{
		Pkg: pass.Pkg, Fset: pass.Fset, funcs: pkg.Funcs,
		effects: map[*ssa.Function]*Effect{}, callers: map[*ssa.Function]callers{}, taken: map[*ssa.Function]bool{},
		methods: map[string][]*ssa.Function{}, contexts: map[*ssa.Function]map[string]*Context{}, goroutines: map[ssa.Instruction]*Root{},
		first: map[*Root][]*Context{}, outside: &Root{}, main: &Root{Main: true}, accesses: map[*ssa.Function]map[ssa.Instruction][]Access{}, ours: map[*ssa.Function]bool{}, waitLoops: map[*ssa.BasicBlock]bool{}, documents: map[*ssa.Function]bool{},
	}
	p.imported = func(fn *types.Func) *Effect {
		e := new(Effect)
		if fn.Pkg() == nil || fn.Pkg() == pass.Pkg || !pass.ImportObjectFact(fn, e) {
			return nil
		}
		return e
	}
	p.flow = flow{names: newNames(pass.Pkg), effect: p.effect}
	p.flow.semaphores = p.findSemaphores(pkg.Func("init"))
	for _, fn := range p.funcs {
		p.ours[fn] = true
		if fn.Signature.Recv() != nil && !p.inTest(fn) {
			p.methods[fn.Name()] = append(p.methods[fn.Name()], fn)
		}
	}
	p.unsafe = locker.Unsafe(pass.TypesInfo, pass.Files)
	p.findEffects()
	for fn, e := range p.effects {
		if obj, ok := fn.Object().(*types.Func); ok && obj.Exported() && fn.Parent() == nil {
			pass.ExportObjectFact(obj, e)
		}
	}
	p.fresh = newFreshness(p.funcs, func(fn *types.Func) bool {
		return fn.Pkg() != nil && fn.Pkg() != pass.Pkg && pass.ImportObjectFact(fn, new(Fresh))
	})
	for fn := range p.fresh.returns {
		if obj, ok := fn.Object().(*types.Func); ok && obj.Exported() && fn.Parent() == nil && pointer(obj.Signature().Results().At(0).Type()) {
			pass.ExportObjectFact(obj, new(Fresh))
		}
	}
	p.scan()
	p.findGiven()
	p.findSpawns()
	p.findCallers()
	for _, fn := range p.funcs {
		p.seed(fn)
	}
	for len(p.work) > 0 {
		ctx := p.work[0]
		p.work = p.work[1:]
		p.visit(ctx)
	}
	p.findRoots()
	atomic := p.flow.names.addressed(p.funcs)
	p.Uses = slices.DeleteFunc(p.Uses, func(u Use) bool { return atomic[u.Var] })
	return p, nil
}

func pointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// effect is the effect of a call of a function of the source.
func (p *Program) effect(c *ssa.CallCommon) *Effect {
	fn := callee(c)
	if fn == nil {
		return nil
	}
	if e := p.effects[fn]; e != nil {
		return e
	}
	if obj, ok := fn.Object().(*types.Func); ok && len(fn.Blocks) == 0 {
		return p.imported(obj)
	}
	return nil
}

// findEffects goes from the functions that lock to their callers.
func (p *Program) findEffects() {
	for range 3 {
		changed := false
		for _, fn := range p.funcs {
			out, some := State{}, false
			p.flow.run(fn, State{}, func(instr ssa.Instruction, s State) {
				if _, ok := instr.(*ssa.Return); ok {
					if some {
						s = join(out, s)
					}
					out, some = s, true
				}
			})
			if len(out.Held) == 0 && len(out.released) == 0 {
				continue
			}
			e := effectOf(fn, out)
			if len(e.Changes) > 0 && !reflect.DeepEqual(e, p.effects[fn]) {
				p.effects[fn], changed = e, true
			}
		}
		if !changed {
			return
		}
	}
}

// scan finds the functions whose values are kept.
func (p *Program) scan() {
	for _, fn := range p.funcs {
		if p.inTest(fn) {
			continue
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				switch instr.(type) {
				case ssa.CallInstruction, *ssa.DebugRef:
					continue
				}
				for _, op := range instr.Operands(nil) {
					if f := functionOf(*op); f != nil && f.Parent() == nil {
						if m, ok := instr.(*ssa.MakeClosure); ok && m.Fn == *op {
							continue
						}
						p.taken[f] = true
					}
				}
			}
		}
	}
}

// findGiven finds the locks that functions give back without having taken them. (C9)
func (p *Program) findGiven() {
	p.gives = map[*ssa.Function][]string{}
	for _, fn := range p.funcs {
		if fn.Parent() != nil {
			continue
		}
		p.flow.run(fn, State{}, func(instr ssa.Instruction, s State) {
			call, ok := instr.(*ssa.Call)
			if !ok {
				return
			}
			op, lock := byName(&call.Call)
			if op != Unlock && op != RUnlock {
				return
			}
			key, class := PathOf(lock), p.flow.names.classOf(lock)
			if class == "" || slices.Contains(p.gives[fn], class) || slices.ContainsFunc(s.Held, func(h Held) bool { return h.Key == key || h.Class == class }) {
				return
			}
			p.gives[fn] = append(p.gives[fn], class)
		})
	}
}

// functionOf is the function of the source that a value is; nil if it is not known.
func functionOf(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.Function:
		return source(v)
	case *ssa.MakeClosure:
		return source(v.Fn.(*ssa.Function))
	case *ssa.ChangeType:
		return functionOf(v.X)
	case *ssa.MakeInterface:
		return functionOf(v.X)
	}
	return nil
}

// findSpawns finds which parameters of functions get into goroutines.
func (p *Program) findSpawns() {
	p.spawns, p.starters = map[*ssa.Function][][]ssa.Instruction{}, map[*ssa.Function][]ssa.CallInstruction{}
	for range 3 {
		for _, fn := range p.funcs {
			p.starters[fn] = p.starters[fn][:0]
			for _, b := range fn.Blocks {
				for _, instr := range b.Instrs {
					if c, ok := instr.(ssa.CallInstruction); ok && p.starts(c) {
						p.starters[fn] = append(p.starters[fn], c)
					}
				}
			}
			for i, param := range fn.Params {
				for _, c := range p.starters[fn] {
					for _, by := range p.publishes(c, param) {
						if p.spawns[fn] == nil {
							p.spawns[fn] = make([][]ssa.Instruction, len(fn.Params))
						}
						if !slices.Contains(p.spawns[fn][i], by) {
							p.spawns[fn][i] = append(p.spawns[fn][i], by)
						}
					}
				}
			}
		}
	}
}

// starts reports whether a call may start a goroutine that gets one of its arguments.
func (p *Program) starts(c ssa.CallInstruction) bool {
	if _, isGo := c.(*ssa.Go); isGo {
		return true
	}
	return asynchronous(c.Common()) || p.spawns[callee(c.Common())] != nil
}

// publishes are the starts of the goroutines that get an object by an instruction: the instruction
// itself, or the starts in the function that it calls.
func (p *Program) publishes(c ssa.CallInstruction, object ssa.Value) []ssa.Instruction {
	_, isGo := c.(*ssa.Go)
	common := c.Common()
	to := callee(common)
	has := func(v ssa.Value) bool {
		if PathOf(v) == (Path{Root: object}) { // not what it has, like a channel
			return true
		}
		if m, ok := v.(*ssa.MakeClosure); ok {
			for _, b := range m.Bindings {
				if cell := cellOf(b); PathOf(b) == (Path{Root: object}) || cell != nil && onlyStore(cell) != nil && PathOf(onlyStore(cell)) == (Path{Root: object}) {
					return true
				}
			}
		}
		return false
	}
	if isGo && has(common.Value) {
		return []ssa.Instruction{c}
	}
	for i, arg := range arguments(common) {
		switch {
		case !has(arg):
		case isGo, asynchronous(common) && functionOf(arg) != nil:
			return []ssa.Instruction{c}
		case to != nil && i < len(p.spawns[to]) && p.spawns[to][i] != nil:
			return p.spawns[to][i]
		}
	}
	return nil
}

// findCallers finds the locks that all callers of a function in the package hold.
func (p *Program) findCallers() {
	for range 3 {
		next := map[*ssa.Function]callers{}
		add := func(fn *ssa.Function, s State) {
			var held []string
			for _, h := range s.Held {
				if h.Must && h.Class != "" && !h.Chan {
					held = append(held, h.Class)
				}
			}
			c, seen := next[fn]
			if seen {
				held = slices.DeleteFunc(held, func(class string) bool { return !slices.Contains(c.holds, class) })
			}
			next[fn] = callers{c.sites + 1, held}
		}
		for _, fn := range p.funcs {
			if p.inTest(fn) {
				continue
			}
			entry := State{}
			for _, class := range p.callers[fn].holds {
				entry.Held = append(entry.Held, Held{Key: Path{Steps: class}, Class: class, Write: true, Must: true})
			}
			p.flow.run(fn, entry, func(instr ssa.Instruction, s State) {
				c, ok := instr.(ssa.CallInstruction)
				if !ok {
					return
				}
				if _, isGo := instr.(*ssa.Go); isGo {
					s = State{}
				}
				if to := callee(c.Common()); to != nil && p.ours[to] {
					add(to, s)
				}
				for _, m := range p.implementations(c.Common()) {
					add(m, s)
				}
			})
		}
		p.callers = next
	}
}

// implementations are the methods of the package that a call through an interface may run.
func (p *Program) implementations(c *ssa.CallCommon) (all []*ssa.Function) {
	if !c.IsInvoke() {
		return nil
	}
	iface, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	for _, m := range p.methods[c.Method.Name()] {
		if types.Implements(m.Signature.Recv().Type(), iface) {
			all = append(all, m)
		}
	}
	return all
}

// findRoots finds which goroutines run each context.
func (p *Program) findRoots() {
	roots := []*Root{p.outside, p.main}
	for _, ctx := range p.Contexts { // in a fixed order
		if r := p.goroutines[ctx.Site]; r != nil && ctx.Site != nil && !slices.Contains(roots, r) {
			roots = append(roots, r)
		}
	}
	for _, r := range roots {
		seen := map[*Context]bool{}
		work := slices.Clone(p.first[r])
		for len(work) > 0 {
			ctx := work[0]
			work = work[1:]
			if seen[ctx] {
				continue
			}
			seen[ctx] = true
			ctx.Roots = append(ctx.Roots, r)
			work = append(work, ctx.callees...)
		}
	}
}

// Taken is a lock that a function acquires by itself or through what it calls.
type Taken struct {
	Class string
	Write bool
}

// TakenBy finds the locks that each declared function of the package acquires, without those of
// goroutines that it starts. imported has them for other packages' functions.
func (p *Program) TakenBy(imported func(*types.Func) []Taken) map[*types.Func][]Taken {
	all := map[*ssa.Function]map[Taken]bool{}
	for range 6 {
		changed := false
		for _, fn := range p.funcs {
			if p.inTest(fn) {
				continue
			}
			set := all[fn]
			if set == nil {
				set = map[Taken]bool{}
				all[fn] = set
			}
			before := len(set)
			for _, b := range fn.Blocks {
				for _, instr := range b.Instrs {
					p.takes(set, instr, all, imported)
				}
			}
			changed = changed || len(set) > before
		}
		if !changed {
			break
		}
	}
	by := map[*types.Func][]Taken{}
	for fn, set := range all {
		obj, ok := fn.Object().(*types.Func)
		if !ok || fn.Parent() != nil || len(set) == 0 || len(set) > maxTaken {
			continue
		}
		for t := range set {
			by[obj] = append(by[obj], t)
		}
		slices.SortFunc(by[obj], func(a, b Taken) int { return strings.Compare(a.Class, b.Class) })
	}
	return by
}

const maxTaken = 40 // by one function; one that takes more runs half of the program

func (p *Program) takes(set map[Taken]bool, instr ssa.Instruction, all map[*ssa.Function]map[Taken]bool, imported func(*types.Func) []Taken) {
	c, ok := instr.(ssa.CallInstruction)
	if !ok {
		return
	}
	if _, isGo := instr.(*ssa.Go); isGo {
		return
	}
	if op, lock := OpOf(c.Common()); op == Lock || op == RLock {
		if class := p.flow.names.classOf(lock); class != "" {
			set[Taken{class, op == Lock}] = true
		}
		return
	}
	to := callee(c.Common())
	if to == nil {
		return
	}
	for t := range all[to] {
		set[t] = true
	}
	if obj, ok := to.Object().(*types.Func); ok && len(to.Blocks) == 0 {
		for _, t := range imported(obj) {
			set[t] = true
		}
	}
}

func (p *Program) inTest(fn *ssa.Function) bool {
	return strings.HasSuffix(p.Fset.Position(fn.Pos()).Filename, "_test.go")
}

// generated reports whether the file of a function has no lines of its own.
func (p *Program) generated(fn *ssa.Function) bool { return !fn.Pos().IsValid() && fn.Synthetic == "" }

// documented reports whether a function says that its caller has the lock, or that no other
// goroutine may use the object. (C3)
func (p *Program) documented(fn *ssa.Function) bool {
	says, known := p.documents[fn]
	if !known {
		d, ok := fn.Syntax().(*ast.FuncDecl)
		says = ok && locker.Documented(d)
		if recv := fn.Signature.Recv(); recv != nil && named(recv.Type()) != nil {
			of := named(recv.Type()).Obj()
			says = says || locker.Named(of.Name()) || p.unsafe[of]
		}
		p.documents[fn] = says
	}
	return says
}
