package lockset

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/racepred/racepred/analyzer/internal/locker"
)

// Op is what a call does to a lock.
type Op uint8

// The operations.
const (
	None Op = iota
	Lock
	RLock
	TryLock
	TryRLock
	Unlock
	RUnlock
)

var opNames = map[string]Op{"Lock": Lock, "RLock": RLock, "TryLock": TryLock, "TryRLock": TryRLock, "Unlock": Unlock, "RUnlock": RUnlock}

// OpOf is the operation of a call on a lock, and the lock. A lock is a sync.Mutex, a sync.RWMutex,
// a sync.Locker, or of a type of another package that has both Lock and Unlock.
func OpOf(c *ssa.CallCommon) (Op, ssa.Value) {
	if c.IsInvoke() {
		op := opNames[c.Method.Name()]
		if op == None || c.Signature().Params().Len() > 0 || !locker.Is(c.Value.Type()) {
			return None, nil
		}
		return op, c.Value
	}
	if fn := c.StaticCallee(); fn != nil && len(fn.Blocks) > 0 { // one of this package, whose effect is known
		return None, nil
	}
	return byName(c)
}

// byName is OpOf by the name of the method alone, whatever its body does.
func byName(c *ssa.CallCommon) (Op, ssa.Value) {
	if c.IsInvoke() {
		return OpOf(c)
	}
	fn := c.StaticCallee()
	if fn == nil || len(c.Args) != 1 || fn.Signature.Recv() == nil {
		return None, nil
	}
	op := opNames[fn.Name()]
	if op == None || fn.Signature.Params().Len() > 0 || !locker.Is(c.Args[0].Type()) {
		return None, nil
	}
	return op, c.Args[0]
}

// ofSync reports whether a call is of a method of package sync.
func ofSync(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	return fn != nil && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "sync"
}

// callee is the function of the source that a call certainly runs, or a function value that does
// so; nil if it is not known.
func callee(c *ssa.CallCommon) *ssa.Function {
	if c.IsInvoke() {
		return nil
	}
	return source(c.StaticCallee())
}

// source is the function as it is written: that of an instance, the method of a bound one.
func source(fn *ssa.Function) *ssa.Function {
	if fn == nil {
		return nil
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if fn.Synthetic != "" && len(fn.FreeVars) == 1 { // x.f as a value
		if obj, ok := fn.Object().(*types.Func); ok {
			if m := fn.Prog.FuncValue(obj); m != nil {
				return m
			}
		}
	}
	return fn
}

// boundReceiver is what a method value x.f is bound to; nil if v is none.
func boundReceiver(v ssa.Value) ssa.Value {
	m, ok := v.(*ssa.MakeClosure)
	if !ok {
		return nil
	}
	if fn := m.Fn.(*ssa.Function); fn.Parent() == nil && len(m.Bindings) == 1 {
		return m.Bindings[0]
	}
	return nil
}

// arguments are the values of the parameters of callee(c), the receiver first.
func arguments(c *ssa.CallCommon) []ssa.Value {
	if r := boundReceiver(c.Value); r != nil {
		return append([]ssa.Value{r}, c.Args...)
	}
	return c.Args
}
