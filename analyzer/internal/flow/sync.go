package flow

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/racepred/racepred/analyzer/internal/locker"
	"github.com/racepred/racepred/internal/typeset"
)

// locks are the methods that take or give back a lock.
var locks = map[string]Kind{"Lock": Lock, "RLock": RLock, "Unlock": Unlock, "RUnlock": RUnlock, "TryLock": TryLock, "TryRLock": TryLock}

// IsLock reports whether a type is one of package sync's locks, or sync.Locker.
func IsLock(t types.Type) bool {
	switch typeName(t) {
	case "sync.Mutex", "sync.RWMutex", "sync.Locker":
		return true
	}
	return false
}

// OfSync reports whether a call is a method of a sync.Mutex or a sync.RWMutex. A sync.Locker may be
// what RLocker returns.
func (p *Package) OfSync(e *ast.CallExpr) bool {
	if e == nil {
		return false
	}
	_, _, of := p.method(e)
	return of != nil && IsLock(of) && typeName(of) != "sync.Locker"
}

// isSync reports whether a type belongs to a package whose values synchronize.
func isSync(t types.Type) bool {
	name := typeName(t)
	return strings.HasPrefix(name, "sync.") || strings.HasPrefix(name, "sync/atomic.")
}

// method is the receiver of a call of a method, its name, and the type that declares it.
func (p *Package) method(e *ast.CallExpr) (recv Path, name string, of types.Type) {
	sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	fn, ok := p.Info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Signature().Recv() == nil {
		return
	}
	return Receiver(p.Info, sel), fn.Name(), fn.Signature().Recv().Type()
}

// synchronizes emits the events of a call of a synchronizing function of the library, and reports
// whether the call is one.
func (b *builder) synchronizes(e *ast.CallExpr) bool {
	recv, name, of := b.p.method(e)
	if of == nil {
		return b.atomic(e)
	}
	if k, ok := locks[name]; ok && (IsLock(of) || len(e.Args) == 0 && locker.Is(of)) {
		if !recv.Valid() { // it is not known which lock it is
			b.emit(&Event{Kind: Release, Op: OpCall, Node: e})
			b.emit(&Event{Kind: Acquire, Op: OpCall, Node: e})
			return true
		}
		if k == Unlock || k == RUnlock {
			b.emit(&Event{Kind: Release, Op: OpMutex, Path: recv, Node: e})
		}
		b.emit(&Event{Kind: k, Path: recv, Node: e, Call: e})
		if k != Unlock && k != RUnlock {
			b.emit(&Event{Kind: Acquire, Op: OpMutex, Path: recv, Node: e})
		}
		return true
	}
	switch typeName(of) + "." + name {
	case "sync.WaitGroup.Wait", "golang.org/x/sync/errgroup.Group.Wait":
		b.emit(&Event{Kind: Acquire, Op: OpGroup, Path: recv, Node: e, Call: e})
	case "sync.WaitGroup.Done":
		b.emit(&Event{Kind: Release, Op: OpGroup, Path: recv, Node: e, Call: e})
	case "sync.WaitGroup.Add":
		b.emit(&Event{Kind: Calls, Path: recv, Node: e, Call: e, Callee: typeutil.StaticCallee(b.p.Info, e)})
	case "sync.Cond.Wait":
		b.emit(&Event{Kind: Acquire, Op: OpCond, Path: recv, Node: e, Call: e})
	case "sync.Cond.Signal", "sync.Cond.Broadcast":
		b.emit(&Event{Kind: Release, Op: OpCond, Path: recv, Node: e, Call: e})
	default:
		if !strings.HasPrefix(typeName(of), "sync/atomic.") {
			return false
		}
		b.emit(&Event{Kind: Release, Op: OpAtomic, Path: recv, Node: e})
		b.emit(&Event{Kind: Acquire, Op: OpAtomic, Path: recv, Node: e})
	}
	return true
}

// atomic emits a call of a function of sync/atomic, or of synctest's Wait.
func (b *builder) atomic(e *ast.CallExpr) bool {
	fn := typeutil.StaticCallee(b.p.Info, e)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	if fn.Name() == "Wait" && strings.HasSuffix(fn.Pkg().Path(), "/synctest") {
		b.emit(&Event{Kind: Acquire, Op: OpQuiet, Node: e})
		return true
	}
	if fn.Pkg().Path() != "sync/atomic" || len(e.Args) == 0 {
		return false
	}
	p := Pointee(b.p.Info, e.Args[0])
	b.emit(&Event{Kind: Release, Op: OpAtomic, Path: p, Node: e, Call: e})
	b.emit(&Event{Kind: Acquire, Op: OpAtomic, Path: p, Node: e, Call: e})
	return true
}

// spawner is the code that a call starts, nil if it is known to start none.
func (b *builder) spawner(e *ast.CallExpr) *Spawn {
	if len(e.Args) == 0 {
		return nil
	}
	last := e.Args[len(e.Args)-1]
	recv, name, of := b.p.method(e)
	if of == nil {
		if fn := typeutil.StaticCallee(b.p.Info, e); fn != nil && fn.Pkg() != nil && fn.FullName() == "time.AfterFunc" {
			return &Spawn{Start: Timer, Stmt: e}
		}
		return nil
	}
	switch {
	case name == "Go" && len(e.Args) == 1 && typeset.IsFunc(b.p.Info.TypeOf(last)):
		if obj, _, _ := types.LookupFieldOrMethod(of, true, nil, "Wait"); obj != nil {
			return &Spawn{Start: Group, Stmt: e, Group: recv}
		}
	case name == "Run" && typeName(of) == "testing.T":
		if lit, ok := ast.Unparen(last).(*ast.FuncLit); ok && b.p.CallsParallel(lit) != nil {
			return &Spawn{Start: Parallel, Stmt: e}
		}
	}
	return nil
}

// CallsParallel is the call of Parallel among the statements of a test.
func (p *Package) CallsParallel(lit *ast.FuncLit) *ast.CallExpr {
	for _, s := range lit.Body.List {
		if s, ok := s.(*ast.ExprStmt); ok {
			if call, ok := s.X.(*ast.CallExpr); ok {
				if _, name, of := p.method(call); name == "Parallel" && typeName(of) == "testing.T" {
					return call
				}
			}
		}
	}
	return nil
}

// once is the sync.Once whose Do a call is.
func (b *builder) once(e *ast.CallExpr) Path {
	recv, name, of := b.p.method(e)
	if name == "Do" && len(e.Args) == 1 && typeName(of) == "sync.Once" {
		return recv
	}
	return Path{}
}

// inPlace reports whether a call runs the literals it is given before it returns, and on the same
// goroutine.
func (b *builder) inPlace(e *ast.CallExpr) bool {
	if _, name, of := b.p.method(e); name == "Run" && typeName(of) == "testing.T" {
		return true
	}
	fn := typeutil.StaticCallee(b.p.Info, e)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() {
	case "sort", "slices", "maps", "strings", "bytes", "path/filepath", "io/fs", "go/ast":
		return true
	}
	return false
}

// named matches the names of functions that count as synchronizing, whatever their bodies do.
var named = regexp.MustCompile(`(?i)wait|close|shutdown|stop|done|join|signal|notify|broadcast|send|recv|receive|publish|cancel|finish|flush|sync|lock|eventually|poll|acquire|release|drain|serve|quit|kill`)

// quiet are packages whose functions order nothing between goroutines on which a program may rely.
var quiet = map[string]bool{"fmt": true, "log": true, "log/slog": true, "errors": true, "strings": true, "bytes": true, "strconv": true, "sort": true, "slices": true, "maps": true,
	"math": true, "math/rand": true, "math/rand/v2": true, "time": true, "unicode": true, "unicode/utf8": true, "os": true, "path": true, "path/filepath": true, "reflect": true,
	"encoding/json": true, "regexp": true, "runtime": true, "encoding/binary": true, "encoding/hex": true, "encoding/base64": true, "unsafe": true}

// maySync reports whether a call may synchronize with another goroutine. (F1)
func (p *Package) maySync(e *ast.CallExpr, fn *types.Func) bool {
	if fn == nil {
		m, ok := typeutil.Callee(p.Info, e).(*types.Func)
		if !ok {
			return true // the value of a function
		}
		switch {
		case m.Pkg() == nil: // error
			return false
		case m.Pkg().Path() == "testing", m.Pkg().Path() == "reflect", m.Pkg().Path() == "fmt", m.Pkg().Path() == "context":
			return false
		}
		return true
	}
	fn = fn.Origin()
	if fn.Pkg() == nil {
		return false
	}
	if quiet[fn.Pkg().Path()] {
		return false
	}
	if fn.Pkg().Path() == "testing" {
		return fn.Name() == "RunParallel"
	}
	if fn.Pkg().Path() == "context" {
		return fn.Name() == "AfterFunc"
	}
	return named.MatchString(fn.Name()) || p.syncs(fn) || slices.ContainsFunc(e.Args, p.syncingValue)
}

// syncingValue reports whether an argument is a function that synchronizes, which may be called
// then.
func (p *Package) syncingValue(arg ast.Expr) bool {
	if lit := p.literal(arg); lit != nil {
		syncs, known := p.syncingLits[lit]
		if !known {
			p.syncingLits[lit] = false // a literal that gives itself away: what else it does decides
			syncs = p.syncsIn(lit.Body)
			p.syncingLits[lit] = syncs
		}
		return syncs
	}
	var id *ast.Ident
	switch x := ast.Unparen(arg).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return false
	}
	fn, ok := p.Info.Uses[id].(*types.Func)
	return ok && (p.syncs(fn) || fn.Signature().Recv() != nil && isSync(fn.Signature().Recv().Type()))
}
