package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
)

// builder makes the blocks of one function.
type builder struct {
	p      *Package
	f      *Func
	cur    *Block // nil after a jump
	defers []*ast.CallExpr
	labels map[types.Object]*Block
	target []target
	label  types.Object // of the statement that comes next
	fresh  bool         // (F5)
}

// target is a statement that break and continue leave.
type target struct {
	label     types.Object
	brk, cont *Block
}

func (p *Package) build(f *Func) {
	b := &builder{p: p, f: f, labels: map[types.Object]*Block{}, fresh: p.perIteration(f.Body.Pos())}
	b.cur = b.block()
	f.Exit = &Block{}
	b.stmt(f.Body)
	if b.cur != nil {
		b.emit(&Event{Kind: Returns, Node: f.Body})
	}
	b.jump(f.Exit)
	b.cur = f.Exit
	for i := len(b.defers) - 1; i >= 0; i-- { // (F4)
		b.deferred(b.defers[i])
	}
	if f.Type.Results != nil {
		for _, field := range f.Type.Results.List {
			for _, name := range field.Names {
				if r := PathOf(p.Info, name); r.Valid() {
					b.emit(&Event{Kind: Read, Path: r, Node: field})
				}
			}
		}
	}
	f.Exit.index = len(f.Blocks)
	f.Blocks = append(f.Blocks, f.Exit)
	for _, blk := range f.Blocks {
		for i, e := range blk.Events {
			e.block, e.index = blk, i
		}
	}
	for _, e := range f.Exit.Events {
		e.Deferred = true
	}
}

// perIteration reports whether the variables of loops at pos are new in each iteration. (F5)
func (p *Package) perIteration(pos token.Pos) bool {
	for _, file := range p.pass.Files {
		if file.FileStart <= pos && pos < file.FileEnd {
			if v := p.Info.FileVersions[file]; v != "" {
				return version.Compare(v, "go1.22") >= 0
			}
		}
	}
	v := p.pass.Pkg.GoVersion()
	return v == "" || version.Compare(v, "go1.22") >= 0
}

func (b *builder) block() *Block {
	blk := &Block{index: len(b.f.Blocks)}
	b.f.Blocks = append(b.f.Blocks, blk)
	return blk
}

// emit adds an event to the current block.
func (b *builder) emit(e *Event) {
	if b.cur == nil {
		b.cur = b.block() // nothing leads here
	}
	b.cur.Events = append(b.cur.Events, e)
}

// jump ends the current block, if there is one.
func (b *builder) jump(to *Block) {
	if b.cur != nil {
		b.cur.Succs = append(b.cur.Succs, to)
	}
	b.cur = nil
}

// fork makes a block that the current one leads to.
func (b *builder) fork(from *Block) *Block {
	blk := b.block()
	if from != nil {
		from.Succs = append(from.Succs, blk)
	}
	return blk
}

func (b *builder) stmts(list []ast.Stmt) {
	for _, s := range list {
		b.stmt(s)
	}
}

func (b *builder) stmt(s ast.Stmt) {
	label := b.label
	b.label = nil
	switch s := s.(type) {
	case nil:
	case *ast.BlockStmt:
		b.stmts(s.List)
	case *ast.ExprStmt:
		b.read(s.X)
		if call, ok := ast.Unparen(s.X).(*ast.CallExpr); ok && b.p.neverReturns(call) {
			b.cur = nil
		}
	case *ast.SendStmt:
		b.read(s.Chan)
		b.read(s.Value)
		b.send(s)
	case *ast.IncDecStmt:
		b.read(s.X)
		b.write(s.X, s)
	case *ast.AssignStmt:
		b.assign(s)
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
			for _, spec := range d.Specs {
				vs := spec.(*ast.ValueSpec)
				for _, v := range vs.Values {
					b.read(v)
				}
				for _, n := range vs.Names {
					b.write(n, n)
				}
			}
		}
	case *ast.GoStmt:
		b.arguments(s.Call)
		b.spawn(&Spawn{Start: Go, Stmt: s}, s.Call.Fun, s.Call)
	case *ast.DeferStmt:
		b.arguments(s.Call)
		b.defers = append(b.defers, s.Call)
		for _, l := range b.p.unlocks(s.Call) {
			e := &Event{Kind: Defers, Path: l, Node: s}
			if _, name, of := b.p.method(s.Call); of != nil && locks[name] != 0 {
				e.Call = s.Call
			}
			b.emit(e)
		}
	case *ast.ReturnStmt:
		for _, r := range s.Results {
			b.read(r)
		}
		b.results(s)
		b.emit(&Event{Kind: Returns, Node: s})
		b.jump(b.f.Exit)
	case *ast.BranchStmt:
		b.branch(s)
	case *ast.LabeledStmt:
		obj := b.p.Info.Defs[s.Label]
		to := b.labeled(obj)
		b.jump(to)
		b.cur, b.label = to, obj
		b.stmt(s.Stmt)
	case *ast.IfStmt:
		b.stmt(s.Init)
		then, done := b.block(), b.block()
		other := done
		if s.Else != nil {
			other = b.block()
		}
		b.cond(s.Cond, then, other)
		b.cur = then
		b.stmt(s.Body)
		b.jump(done)
		if s.Else != nil {
			b.cur = other
			b.stmt(s.Else)
			b.jump(done)
		}
		b.cur = done
	case *ast.ForStmt:
		b.forLoop(s, label)
	case *ast.RangeStmt:
		b.rangeLoop(s, label)
	case *ast.SwitchStmt:
		b.stmt(s.Init)
		if s.Tag != nil {
			b.read(s.Tag)
		}
		b.clauses(s.Body, label, false)
	case *ast.TypeSwitchStmt:
		b.stmt(s.Init)
		b.stmt(s.Assign)
		b.clauses(s.Body, label, false)
	case *ast.SelectStmt:
		b.clauses(s.Body, label, true)
	}
}

// results are the writes of a return statement to named results; what returns the result itself
// writes nothing.
func (b *builder) results(s *ast.ReturnStmt) {
	if len(s.Results) == 0 || b.f.Type.Results == nil {
		return
	}
	i := 0
	for _, field := range b.f.Type.Results.List {
		for _, name := range field.Names {
			p := PathOf(b.p.Info, name)
			if p.Valid() && (i >= len(s.Results) || PathOf(b.p.Info, s.Results[i]) != p) {
				b.emit(&Event{Kind: Write, Path: p, Node: s})
			}
			i++
		}
	}
}

func (b *builder) labeled(obj types.Object) *Block {
	if b.labels[obj] == nil {
		b.labels[obj] = b.block()
	}
	return b.labels[obj]
}

func (b *builder) branch(s *ast.BranchStmt) {
	var label types.Object
	if s.Label != nil {
		label = b.p.Info.Uses[s.Label]
	}
	switch s.Tok {
	case token.GOTO:
		b.jump(b.labeled(label))
		return
	case token.FALLTHROUGH:
		return // clauses goes on with the next one
	}
	for i := len(b.target) - 1; i >= 0; i-- {
		t := b.target[i]
		if label != nil && t.label != label || s.Tok == token.CONTINUE && t.cont == nil {
			continue
		}
		if s.Tok == token.BREAK {
			b.jump(t.brk)
		} else {
			b.jump(t.cont)
		}
		return
	}
	b.cur = nil
}

func (b *builder) within(t target, body func()) {
	b.target = append(b.target, t)
	body()
	b.target = b.target[:len(b.target)-1]
}

func (b *builder) forLoop(s *ast.ForStmt, label types.Object) {
	b.stmt(s.Init)
	head, body, post, done := b.block(), b.block(), b.block(), b.block()
	if s.Cond != nil && b.waits(s.Body, s.Post) {
		b.read(s.Cond)
		b.jump(body)
	} else {
		b.jump(head)
	}
	b.cur = head
	if s.Cond != nil {
		b.cond(s.Cond, body, done)
	} else {
		b.jump(body)
	}
	b.cur = body
	b.within(target{label, done, post}, func() { b.stmt(s.Body) })
	b.jump(post)
	b.cur = post
	if init, ok := s.Init.(*ast.AssignStmt); ok && init.Tok == token.DEFINE && b.fresh {
		b.declare(init.Lhs...)
	}
	b.stmt(s.Post)
	b.jump(head)
	b.cur = done
}

// waits reports whether a loop with these statements waits for other goroutines, as in for range n {
// <-done }, or in one that sleeps between two looks. Such a loop is taken to run once at least: if it
// runs no time, there was no goroutine to wait for. (F6)
func (b *builder) waits(stmts ...ast.Stmt) bool {
	return slices.ContainsFunc(stmts, func(s ast.Stmt) bool { return s != nil && b.waitsIn(s) })
}

func (b *builder) waitsIn(s ast.Stmt) (found bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.SendStmt:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			_, name, of := b.p.method(n)
			found = found || of != nil && name == "Wait" && (typeName(of) == "sync.WaitGroup" || typeName(of) == "golang.org/x/sync/errgroup.Group")
			if fn := typeutil.StaticCallee(b.p.Info, n); fn != nil {
				found = found || fn.FullName() == "time.Sleep" || fn.FullName() == "runtime.Gosched"
			}
		}
		return !found
	})
	return found
}

func (b *builder) declare(vars ...ast.Expr) {
	for _, v := range vars {
		if v == nil {
			continue
		}
		if p := PathOf(b.p.Info, v); p.Valid() {
			b.emit(&Event{Kind: Declare, Path: p, Node: v})
		}
	}
}

func (b *builder) rangeLoop(s *ast.RangeStmt, label types.Object) {
	b.read(s.X)
	t, _ := deref(b.p.Info.TypeOf(s.X))
	var channel bool
	switch t.Underlying().(type) {
	case *types.Chan:
		channel = true
	case *types.Map:
		b.emit(&Event{Kind: Read, Path: PathOf(b.p.Info, s.X).Add("[*]"), Node: s.X})
	case *types.Slice:
		if s.Value != nil {
			b.emit(&Event{Kind: Read, Path: PathOf(b.p.Info, s.X).Add("[*]"), Node: s.X})
		}
	}
	if s.Tok == token.DEFINE && !b.fresh {
		b.declare(s.Key, s.Value)
	}
	head, body, done := b.block(), b.block(), b.block()
	if !channel && b.waits(s.Body) {
		b.jump(body)
	} else {
		b.jump(head)
	}
	head.Succs = []*Block{body, done}
	if channel {
		b.cur = head
		b.receive(s.X, s)
	}
	b.cur = body
	for _, v := range []ast.Expr{s.Key, s.Value} {
		if v == nil {
			continue
		}
		if s.Tok == token.DEFINE && !b.fresh {
			if p := PathOf(b.p.Info, v); p.Valid() {
				b.emit(&Event{Kind: Write, Path: p, Node: v})
			}
		} else {
			b.write(v, v)
		}
	}
	b.within(target{label, done, head}, func() { b.stmt(s.Body) })
	b.jump(head)
	b.cur = done
}

// clauses builds a switch or a select.
func (b *builder) clauses(body *ast.BlockStmt, label types.Object, isSelect bool) {
	head, done := b.cur, b.block()
	if head == nil {
		head = b.block()
	}
	isDefault := false
	var bodies []*Block
	for _, c := range body.List {
		if c, ok := c.(*ast.CaseClause); ok {
			b.cur = head
			for _, e := range c.List {
				if b.p.Info.Types[e].IsValue() {
					b.read(e)
				}
			}
			head = b.cur
		}
	}
	for range body.List {
		bodies = append(bodies, b.fork(head))
	}
	for i, c := range body.List {
		b.cur = bodies[i]
		var stmts []ast.Stmt
		switch c := c.(type) {
		case *ast.CaseClause:
			isDefault = isDefault || c.List == nil
			stmts = c.Body
		case *ast.CommClause:
			b.stmt(c.Comm)
			stmts = c.Body
		}
		b.within(target{label, done, nil}, func() { b.stmts(stmts) })
		if n := len(stmts); n > 0 && i+1 < len(bodies) {
			if br, ok := stmts[n-1].(*ast.BranchStmt); ok && br.Tok == token.FALLTHROUGH {
				b.jump(bodies[i+1])
			}
		}
		b.jump(done)
	}
	if !isDefault && !isSelect {
		head.Succs = append(head.Succs, done)
	}
	b.cur = done
}
