package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Kind is what an event does.
type Kind uint8

const (
	Read Kind = iota
	Write
	Declare // Path.Root is another variable from here on (F5)
	Lock    // of Path, exclusively
	RLock
	Unlock
	RUnlock
	TryLock // Path may be held from here on, or not
	Acquire // may come after what another goroutine did before a Release
	Release
	Spawns // a goroutine, or a test that runs beside others
	Calls
	Defers  // gives back the lock Path when the function ends
	Returns // goes on with what is deferred
)

// Op is how an Acquire or a Release does it.
type Op uint8

const (
	OpCall   Op = iota // by something inside of a call
	OpChan             // Path is a channel
	OpGroup            // Path is a sync.WaitGroup or an errgroup.Group
	OpTimer            // a receive that no goroutine of the program sends
	OpCancel           // a receive from Context.Done
	OpAtomic           // Path is what is accessed
	OpMutex            // Path is the lock
	OpCond
	OpOnce  // Path is a sync.Once
	OpQuiet // the wait of package synctest, until every other goroutine waits or has ended
)

// Event is one thing that a function does.
type Event struct {
	Kind     Kind
	Op       Op
	Sends    bool // of a Release by OpChan: a send, not a close
	InPlace  bool // of a literal that runs in place
	Deferred bool
	Path     Path
	Node     ast.Node // where it is
	Callee   *types.Func
	Call     *ast.CallExpr
	Spawn    *Spawn
	Under    []Path // locks that are held beyond those of the function: of a literal in place, of a sync.Once

	block *Block
	index int
}

// when is the place in the source at which an event happens: a call comes after what it is given.
func (e *Event) when() token.Pos {
	if call, ok := e.Node.(*ast.CallExpr); ok && (e.Kind == Acquire || e.Kind == Release || e.Kind == Calls) {
		return call.End()
	}
	return e.Node.Pos()
}

// Block is a run of events without a branch in between.
type Block struct {
	Events []*Event
	Succs  []*Block

	index int
}

// Func is the body of a function.
type Func struct {
	Node   ast.Node // *ast.FuncDecl or *ast.FuncLit
	Type   *ast.FuncType
	Body   *ast.BlockStmt
	Blocks []*Block // the first is the entry
	Exit   *Block   // where every return leads: what is deferred

	states []State // at the beginning of each block, once asked
}

// Start is how other code starts to run.
type Start uint8

const (
	Go       Start = iota // by a go statement
	Group                 // by the method Go of a group, whose Wait waits for it
	Timer                 // by time.AfterFunc
	Parallel              // by Run of a test, as a subtest that calls Parallel
)

// Spawn is code that starts to run at the same time as the function.
type Spawn struct {
	Start Start
	Stmt  ast.Node
	Body  ast.Node            // *ast.FuncLit or *ast.FuncDecl, nil if not known
	Group Path                // of Start Group
	Bound map[*types.Var]Path // what the parameters of reference types refer to
}

// Outside is the path of a location of the body in the function that starts it. It is not Valid if
// only the body knows the location.
func (s *Spawn) Outside(p Path) Path {
	v, ok := p.Root.(*types.Var)
	if !ok {
		return Path{}
	}
	if to, ok := s.Bound[v]; ok {
		_, pointer := v.Type().Underlying().(*types.Pointer)
		if rest, found := strings.CutPrefix(p.Sel, "*"); pointer && found {
			return to.Add(rest)
		}
		if !pointer && strings.HasPrefix(p.Sel, "[") {
			return to.Add(p.Sel)
		}
		return Path{}
	}
	if s.Body.Pos() <= v.Pos() && v.Pos() < s.Body.End() {
		return Path{}
	}
	return p
}

// Events yields all events of a function, block by block.
func (f *Func) Events(yield func(*Event) bool) {
	for _, b := range f.Blocks {
		for _, e := range b.Events {
			if !yield(e) {
				return
			}
		}
	}
}

// After calls visit for the events that may run after e. Where visit returns false, that way ends.
func (f *Func) After(e *Event, visit func(*Event) bool) {
	f.from(e.block, e.index+1, visit)
}

// FromEntry does the same from the beginning of the function.
func (f *Func) FromEntry(visit func(*Event) bool) {
	f.from(f.Blocks[0], 0, visit)
}

func (f *Func) from(b *Block, i int, visit func(*Event) bool) {
	run := func(events []*Event) bool {
		for _, e := range events {
			if !visit(e) {
				return false
			}
		}
		return true
	}
	seen := make([]bool, len(f.Blocks))
	var queue []*Block
	follow := func(b *Block) {
		for _, s := range b.Succs {
			if !seen[s.index] {
				seen[s.index] = true
				queue = append(queue, s)
			}
		}
	}
	if i == 0 {
		seen[b.index] = true
	}
	if run(b.Events[i:]) {
		follow(b)
	}
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		if run(b.Events) {
			follow(b)
		}
	}
}

// Reaches reports whether e may run after a without an event on the way for which stop holds.
func (f *Func) Reaches(a, e *Event, stop func(*Event) bool) (found bool) {
	visit := func(x *Event) bool {
		found = found || x == e
		return !found && !stop(x)
	}
	if a == nil {
		f.FromEntry(visit)
	} else {
		f.After(a, visit)
	}
	return found
}
