package flow

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
)

// call evaluates the operands of a call and runs it.
func (b *builder) call(e *ast.CallExpr) {
	b.arguments(e)
	b.run(e)
}

// deferred runs a call whose operands have been evaluated.
func (b *builder) deferred(e *ast.CallExpr) { b.run(e) }

// arguments evaluates the function and the arguments of a call.
func (b *builder) arguments(e *ast.CallExpr) {
	switch fun := ast.Unparen(e.Fun).(type) {
	case *ast.FuncLit:
	case *ast.SelectorExpr:
		s := b.p.Info.Selections[fun]
		switch {
		case s == nil:
		case s.Kind() == types.MethodVal:
			b.receiver(fun, s)
		default:
			b.read(fun)
		}
	default:
		b.read(fun)
	}
	for _, a := range e.Args {
		lit, ok := ast.Unparen(a).(*ast.FuncLit)
		if !ok {
			b.read(a)
		} else if !b.takes(e) {
			b.detached(lit)
		}
	}
}

// takes reports whether run handles the function literals among a call's arguments.
func (b *builder) takes(e *ast.CallExpr) bool {
	return b.spawner(e) != nil || b.once(e).Valid() || b.inPlace(e)
}

// receiver evaluates the receiver of a method call.
func (b *builder) receiver(fun *ast.SelectorExpr, s *types.Selection) {
	fn, ok := s.Obj().(*types.Func)
	if !ok {
		return
	}
	recv := fn.Signature().Recv().Type()
	_, wantsPointer := deref(recv)
	_, isPointer := deref(s.Recv())
	if isPointer || types.IsInterface(s.Recv()) {
		b.read(fun.X)
		b.embedded(fun, s)
		return
	}
	b.operand(fun.X)
	b.embedded(fun, s)
	if !wantsPointer && !isSync(recv) {
		b.load(fun.X)
	}
}

// run emits the events of a call after its operands have been evaluated.
func (b *builder) run(e *ast.CallExpr) {
	info := b.p.Info
	fun := ast.Unparen(e.Fun)
	if lit, ok := fun.(*ast.FuncLit); ok { // (F3)
		b.place(lit)
		return
	}
	tv := info.Types[e.Fun]
	switch {
	case tv.IsType():
		return
	case tv.IsBuiltin():
		b.builtin(e)
		return
	}
	if s := b.spawner(e); s != nil {
		b.spawn(s, e.Args[len(e.Args)-1], nil)
		return
	}
	if once := b.once(e); once.Valid() {
		if lit := b.p.literal(e.Args[0]); lit != nil {
			b.place(lit, once)
		}
		b.emit(&Event{Kind: Release, Op: OpOnce, Path: once, Node: e})
		b.emit(&Event{Kind: Acquire, Op: OpOnce, Path: once, Node: e})
		return
	}
	if b.inPlace(e) {
		for _, a := range e.Args {
			if lit, ok := ast.Unparen(a).(*ast.FuncLit); ok {
				b.place(lit)
			}
		}
	}
	if id, ok := fun.(*ast.Ident); ok {
		if lit := b.p.literal(id); lit != nil { // (F3)
			b.place(lit)
			return
		}
	}
	if b.synchronizes(e) {
		return
	}
	b.contents(e)
	fn := typeutil.StaticCallee(info, e)
	b.emit(&Event{Kind: Calls, Callee: fn, Call: e, Node: e})
	if b.p.maySync(e, fn) { // (F1)
		b.emit(&Event{Kind: Release, Op: OpCall, Node: e})
		b.emit(&Event{Kind: Acquire, Op: OpCall, Node: e})
	}
}

func (b *builder) builtin(e *ast.CallExpr) {
	name := ""
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		return
	}
	if len(e.Args) == 0 {
		return
	}
	arg := e.Args[0]
	p := PathOf(b.p.Info, arg)
	isMap := false
	if t := b.p.Info.TypeOf(arg); t != nil {
		_, isMap = t.Underlying().(*types.Map)
	}
	access := func(k Kind, p Path) {
		if p.Valid() {
			b.emit(&Event{Kind: k, Path: p.Add("[*]"), Node: e})
		}
	}
	switch name {
	case "close":
		b.emit(&Event{Kind: Release, Op: OpChan, Path: p, Node: e})
	case "delete", "clear":
		access(Write, p)
	case "len":
		if isMap {
			access(Read, p)
		}
	case "append":
		if e.Ellipsis.IsValid() && len(e.Args) == 2 {
			access(Read, PathOf(b.p.Info, e.Args[1]))
		}
	case "copy":
		access(Write, p)
		access(Read, PathOf(b.p.Info, e.Args[1]))
	}
}

// place runs a literal where it stands, with locks that the call holds meanwhile. (F3)
func (b *builder) place(lit *ast.FuncLit, under ...Path) {
	f := b.p.Func(lit)
	if f == nil { // it is being built: it calls itself
		return
	}
	events := slices.Collect(f.Events)
	slices.SortStableFunc(events, func(a, b *Event) int { // without its branches, it runs as it is written
		if a.Deferred != b.Deferred || a.Node == nil || b.Node == nil {
			return 0
		}
		return int(a.when()) - int(b.when())
	})
	for _, e := range events {
		switch e.Kind {
		case Lock, RLock, Unlock, RUnlock, TryLock, Defers, Returns:
			continue
		}
		c := *e
		c.InPlace = true
		if p := e.Path.Root; p != nil && lit.Pos() <= p.Pos() && p.Pos() < lit.End() { // no other code knows it
			if e.Kind == Read || e.Kind == Write || e.Kind == Declare {
				continue
			}
			c.Path = Path{}
		}
		c.Under = append([]Path(nil), under...)
		for l := range b.p.HeldAt(f, e) {
			c.Under = append(c.Under, l)
		}
		b.emit(&c)
	}
	b.maybe(b.p.touches(lit), lit)
}

// maybe makes it unknown how locks are held.
func (b *builder) maybe(locks []Path, at ast.Node) {
	for _, l := range locks {
		b.emit(&Event{Kind: TryLock, Path: l, Node: at})
	}
}

// detached is for a literal of which it is not known when it runs: it may synchronize.
func (b *builder) detached(lit *ast.FuncLit) {
	b.maybe(b.p.touches(lit), lit)
	if b.p.syncsIn(lit.Body) {
		b.emit(&Event{Kind: Release, Op: OpCall, Node: lit})
		b.emit(&Event{Kind: Acquire, Op: OpCall, Node: lit})
	}
}

// send is an Acquire and a Release: the receiver comes after it, and it may have to wait for a
// receiver.
func (b *builder) send(s *ast.SendStmt) {
	p := PathOf(b.p.Info, s.Chan)
	b.emit(&Event{Kind: Release, Op: OpChan, Sends: true, Path: p, Node: s})
	b.emit(&Event{Kind: Acquire, Op: OpChan, Sends: true, Path: p, Node: s})
}

// receive is an Acquire and a Release, too: a send on a channel without a buffer waits for it.
func (b *builder) receive(ch ast.Expr, at ast.Node) {
	op := b.p.channel(ch)
	p := PathOf(b.p.Info, ch)
	if op == OpChan {
		b.emit(&Event{Kind: Release, Op: op, Path: p, Node: at, Sends: true})
	}
	b.emit(&Event{Kind: Acquire, Op: op, Path: p, Node: at})
}

// channel says what a receive waits for: no goroutine of the program sends on the channels of
// timers and contexts.
func (p *Package) channel(ch ast.Expr) Op {
	if t := p.Info.TypeOf(ch); t != nil {
		if c, ok := t.Underlying().(*types.Chan); ok && typeName(c.Elem()) == "time.Time" {
			return OpTimer
		}
	}
	switch e := ast.Unparen(ch).(type) {
	case *ast.CallExpr:
		switch fn, _ := typeutil.Callee(p.Info, e).(*types.Func); {
		case fn == nil || fn.Pkg() == nil:
		case fn.Pkg().Path() == "context" && fn.Name() == "Done":
			return OpCancel
		}
	}
	return OpChan
}

// spawn starts code beside the function.
func (b *builder) spawn(s *Spawn, fun ast.Expr, call *ast.CallExpr) {
	if s.Stmt == nil {
		s.Stmt = call
	}
	b.p.body(s, fun, call)
	b.emit(&Event{Kind: Spawns, Spawn: s, Node: s.Stmt})
	switch body := s.Body.(type) { // a lock may be given back by code that did not take it
	case *ast.FuncLit:
		b.maybe(b.p.touches(body), s.Stmt)
	case *ast.FuncDecl:
		if call != nil {
			b.maybe(b.p.unlocks(call), s.Stmt)
		}
	}
}

// body finds the code that a spawn runs, and the locations that its parameters refer to.
func (p *Package) body(s *Spawn, fun ast.Expr, call *ast.CallExpr) {
	s.Bound = map[*types.Var]Path{}
	bind := func(param types.Object, path Path) {
		if v, ok := param.(*types.Var); ok && path.Valid() {
			s.Bound[v] = path
		}
	}
	var ft *ast.FuncType
	if lit := p.literal(fun); lit != nil {
		s.Body, ft = lit, lit.Type
	} else {
		var fn *types.Func
		switch f := ast.Unparen(fun).(type) {
		case *ast.Ident:
			fn, _ = p.Info.Uses[f].(*types.Func)
		case *ast.SelectorExpr:
			fn, _ = p.Info.Uses[f.Sel].(*types.Func)
		}
		if fn == nil {
			return
		}
		decl := p.Decls[fn.Origin()]
		if decl == nil || decl.Body == nil {
			return
		}
		s.Body, ft = decl, decl.Type
		if sel, ok := ast.Unparen(fun).(*ast.SelectorExpr); ok && decl.Recv != nil && len(decl.Recv.List) == 1 && len(decl.Recv.List[0].Names) == 1 {
			name := decl.Recv.List[0].Names[0]
			if _, ptr := deref(p.Info.TypeOf(name)); ptr {
				bind(p.Info.Defs[name], Receiver(p.Info, sel))
			}
		}
	}
	if call == nil {
		return
	}
	i := 0
	for _, field := range ft.Params.List {
		for _, name := range field.Names {
			if i >= len(call.Args) {
				return
			}
			if _, variadic := field.Type.(*ast.Ellipsis); !variadic {
				bind(p.Info.Defs[name], Pointee(p.Info, call.Args[i]))
			}
			i++
		}
		if len(field.Names) == 0 {
			i++
		}
	}
}

// contents emits the accesses of a function of the library to its arguments.
func (b *builder) contents(e *ast.CallExpr) {
	info := b.p.Info
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
		if k, ok := unsafeMethod(info, sel); ok {
			if p := Receiver(info, sel); p.Valid() {
				b.emit(&Event{Kind: k, Path: p, Node: e})
			}
			return
		}
	}
	fn := typeutil.StaticCallee(info, e)
	if fn == nil || fn.Pkg() == nil {
		return
	}
	kind := Read
	switch fn.Pkg().Path() {
	case "fmt", "maps", "encoding/json", "log":
	case "sort", "slices":
		switch fn.Name() {
		case "Sort", "SortFunc", "SortStableFunc", "Slice", "SliceStable", "Stable", "Strings", "Ints", "Float64s", "Reverse":
			kind = Write
		}
	default:
		return
	}
	for _, a := range e.Args {
		t := info.TypeOf(a)
		if t == nil {
			continue
		}
		switch t.Underlying().(type) {
		case *types.Map, *types.Slice:
			if p := PathOf(info, a); p.Valid() {
				b.emit(&Event{Kind: kind, Path: p.Add("[*]"), Node: e})
			}
		}
	}
}

// unsafeMethod reports whether a method of a type of the library reads or writes its receiver. It
// is false unless the type is known not to synchronize.
func unsafeMethod(info *types.Info, sel *ast.SelectorExpr) (Kind, bool) {
	fn, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Signature().Recv() == nil {
		return 0, false
	}
	switch typeName(fn.Signature().Recv().Type()) {
	case "bytes.Buffer", "strings.Builder":
		switch fn.Name() {
		case "String", "Len", "Bytes", "Cap", "Available":
			return Read, true
		}
		return Write, true
	}
	return 0, false
}

// typeName is "path.Name" of a named type or a pointer to one.
func typeName(t types.Type) string {
	t, _ = derefNamed(t)
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		return n.Obj().Pkg().Path() + "." + n.Obj().Name()
	}
	return ""
}

func derefNamed(t types.Type) (types.Type, bool) {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem(), true
	}
	return t, false
}
