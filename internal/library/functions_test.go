package library

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/funcname"
)

// TestFunctionsExist: each name is a function or method of the toolchain that other packages can
// call, and is listed once for each of its facts. (F1)
func TestFunctionsExist(t *testing.T) {
	tc := source(t)
	seen, groups := map[string]Facts{}, rows()
	for i, group := range groups {
		for _, r := range group {
			require.NotZero(t, r.facts, "%s: %s", r.path, r.names)
			for _, name := range strings.Fields(r.names) {
				if !tc.has(r.path, name) {
					continue
				}
				fn := tc.lookup(r.path, name)
				if assert.NotNil(t, fn, "%s.%s", r.path, name) {
					assert.True(t, tc.reachable(fn) || i == len(groups)-1, "%s.%s", r.path, name) // shown has methods that only interfaces lead to
				}
				require.Zero(t, seen[r.path+"."+name]&r.facts, "%s.%s is listed twice", r.path, name)
				seen[r.path+"."+name] |= r.facts
			}
		}
	}
	require.Zero(t, Of("strings", "NoSuchFunction"))
	require.Zero(t, Of("nosuchpackage", "Index"))
	require.True(t, Of("strings", "Index").Is(Harmless|Computes))
}

// shared are the packages whose values are made to be shared: accesses by their harmless functions
// are synchronized, or recorded.
var shared = []string{"context", "sync", "sync/atomic", "testing"}

// leavesAlone has the reasons why a harmless function, mostly of package runtime, does not access
// its arguments' memory.
var leavesAlone = map[string]string{
	"runtime.AddCleanup": "it stays as it is", "runtime.KeepAlive": "it stays as it is", "runtime.SetFinalizer": "it stays as it is",
	"runtime.CallersFrames": "Next reads it", "runtime.SetCgoTraceback": "it is C's",
	"runtime.Func.Entry": "it does not change", "runtime.Func.FileLine": "it does not change", "runtime.Func.Name": "it does not change",
	"runtime.TypeAssertionError.Error": "it does not change", "runtime.TypeAssertionError.RuntimeError": "it does not change",
	"runtime.PanicNilError.Error": "it does not change", "runtime.PanicNilError.RuntimeError": "it does not change",
	"runtime.Pinner.Pin": "what it holds nobody sees", "runtime.Pinner.Unpin": "what it holds nobody sees",
	"time.AfterFunc": "the function runs on a goroutine of its own", "weak.Make": "it stays as it is",
}

// TestHarmless: no argument leads to memory of the caller, except for functions (see
// instrument/O12), and the function runs no method of an argument. (instrument/O9)
func TestHarmless(t *testing.T) {
	tc := source(t)
	for name, fn := range tc.with(t, Harmless) {
		if slices.Contains(shared, fn.Pkg().Path()) || leavesAlone[name] != "" {
			continue
		}
		if fn.Pkg().Path() == "runtime" {
			assert.True(t, onlyValues(fn.Signature()), name)
			continue
		}
		if !generic(fn) {
			assert.True(t, onlyValues(fn.Signature()), name)
		}
		for p := range fn.Signature().Params().Variables() {
			assert.True(t, harmlessParam(p.Type()), "%s: %s", name, p.Name())
		}
		w := &walk{tc: tc, enter: func(callee *types.Func) (bool, error) {
			return callee.Pkg() == fn.Pkg() && callee.Signature().Recv() == nil, nil
		}}
		if readsFiles[name] == "" {
			assert.NoError(t, w.from(fn), name)
		}
	}
}

// readsFiles are the harmless functions whose source does not show all that they call.
var readsFiles = map[string]string{
	"time.LoadLocation": "it reads a file that does not change, by itself or as package time/tzdata registers",
}

// harmlessParam says whether a parameter of a generic function leads only to a map, which the
// runtime records, to functions, and to values without methods for it.
func harmlessParam(t types.Type) bool {
	switch t := t.(type) {
	case *types.TypeParam:
		return true
	case *types.Slice: // of a variadic parameter
		return harmlessParam(t.Elem())
	}
	switch t.Underlying().(type) {
	case *types.Map, *types.Signature:
		return true
	}
	return valueOnly(t, 0)
}

// TestFills: memory that the arguments lead to has only values in it, and leads to no other memory.
func TestFills(t *testing.T) {
	for name, fn := range source(t).with(t, Fills) {
		require.False(t, Of(fn.Pkg().Path(), funcname.Of(fn)).Is(Harmless), name)
		require.Nil(t, fn.Signature().Recv(), name)
		for p := range fn.Signature().Params().Variables() {
			in := p.Type()
			if list, ok := in.Underlying().(interface{ Elem() types.Type }); ok { // a slice, a pointer
				in = list.Elem()
			}
			require.True(t, valueOnly(in, 0), name)
		}
	}
}

// TestLater: the function has a function among its parameters.
func TestLater(t *testing.T) {
	for name, fn := range source(t).with(t, Later) {
		require.True(t, Of(fn.Pkg().Path(), funcname.Of(fn)).Is(Harmless), name)
		given := false
		for p := range fn.Signature().Params().Variables() {
			_, function := p.Type().Underlying().(*types.Signature)
			given = given || function || name == "runtime.SetFinalizer"
		}
		require.True(t, given, name)
	}
}

// TestLockMethods: they belong to a type that is a sync.Locker, and take or give back that lock.
func TestLockMethods(t *testing.T) {
	tc := source(t)
	locker := tc.packages["sync"].Types.Scope().Lookup("Locker").Type().Underlying().(*types.Interface)
	for facts, names := range map[Facts][]string{Locks: {"Lock", "TryLock"}, RLocks: {"RLock", "TryRLock"}, Unlocks: {"Unlock", "RUnlock"}} {
		for name, fn := range tc.with(t, facts) {
			require.Contains(t, names, fn.Name(), name)
			require.True(t, types.Implements(fn.Signature().Recv().Type(), locker), name)
		}
	}
}

// TestGroupMethods: they are all methods of a WaitGroup.
func TestGroupMethods(t *testing.T) {
	tc := source(t)
	found := tc.with(t, OfGroup)
	for name := range found {
		require.Regexp(t, `^sync\.WaitGroup\.`, name)
	}
	group := tc.packages["sync"].Types.Scope().Lookup("WaitGroup").Type().(*types.Named)
	require.Len(t, found, group.NumMethods())
}

// TestCommutes: they change an integer by an argument, and the result depends on nothing else.
func TestCommutes(t *testing.T) {
	found := source(t).with(t, Commutes)
	for name, fn := range found {
		params := fn.Signature().Params()
		require.Contains(t, []string{"delta", "mask"}, params.At(params.Len()-1).Name(), name)
		require.Equal(t, "sync/atomic", fn.Pkg().Path(), name)
	}
	require.Len(t, found, 30, "Add, And and Or of five types, as functions and as methods")
}

// TestElements: they are generic, and their first argument is a slice. Reverse is the one that
// writes all elements.
func TestElements(t *testing.T) {
	tc := source(t)
	for _, facts := range []Facts{ReadsElements, WritesElements, SortsElements} {
		for name, fn := range tc.with(t, facts) {
			require.True(t, generic(fn), name)
			p, ok := fn.Signature().Params().At(0).Type().(*types.TypeParam)
			require.True(t, ok, name)
			_, ok = p.Constraint().Underlying().(*types.Interface).EmbeddedType(0).(*types.Union).Term(0).Type().(*types.Slice)
			require.True(t, ok, name)
			require.Equal(t, facts == SortsElements, strings.HasPrefix(fn.Name(), "Sort"), name)
			require.Equal(t, facts == WritesElements, fn.Name() == "Reverse", name)
		}
	}
}

// TestSources: the functions take, make and call a source, as the packages of random numbers define
// it.
func TestSources(t *testing.T) {
	tc := source(t)
	for name, fn := range tc.with(t, TakesSource) {
		require.Equal(t, "Source", fn.Signature().Params().At(0).Type().(*types.Named).Obj().Name(), name)
		require.Contains(t, fn.Signature().Results().At(0).Type().String(), ".Rand", name)
	}
	for name, fn := range tc.with(t, IsSource) {
		m, _, _ := types.LookupFieldOrMethod(fn.Signature().Results().At(0).Type(), true, fn.Pkg(), "Uint64")
		n, _, _ := types.LookupFieldOrMethod(fn.Signature().Results().At(0).Type(), true, fn.Pkg(), "Int63")
		require.True(t, m != nil || n != nil, name)
	}
	asked := tc.with(t, OfSource)
	for _, path := range []string{"math/rand", "math/rand/v2"} {
		rand := tc.packages[path].Types.Scope().Lookup("Rand").Type()
		for m := range types.NewMethodSet(types.NewPointer(rand)).Methods() {
			if fn := m.Obj().(*types.Func); fn.Exported() {
				require.NotNil(t, asked[path+"."+funcname.Of(fn)], "%s", fn.FullName())
			}
		}
	}
	for name, fn := range tc.with(t, FromPool) {
		pool := fn.Signature().Recv().Type().(*types.Pointer).Elem().(*types.Named)
		require.NotZero(t, OfType(pool.Obj().Pkg().Path(), pool.Obj().Name())&Made, name)
		f, _, _ := types.LookupFieldOrMethod(pool, true, fn.Pkg(), "New")
		require.IsType(t, &types.Signature{}, f.Type(), name)
	}
}

// TestPrinters: the arguments are where the table says. (instrument/O11)
func TestPrinters(t *testing.T) {
	tc := source(t)
	for _, r := range printers {
		for _, name := range strings.Fields(r.names) {
			fn := tc.lookup(r.path, name)
			require.NotNil(t, fn, "%s.%s", r.path, name)
			require.True(t, tc.reachable(fn), "%s.%s", r.path, name)
			sig, p := fn.Signature(), r.printer
			first := sig.Params().At(p.From)
			require.Equal(t, p.Format, first.Name() == "format" && first.Type() == types.Typ[types.String], name)
			if p.ToWriter {
				require.Equal(t, "io.Writer", sig.Params().At(p.From-1).Type().String(), name)
			}
			require.Equal(t, p.Pairs, r.path == "log/slog", name)
			require.Equal(t, p.Attribute, sig.Results().Len() == 1 && sig.Results().At(0).Type().String() == "log/slog.Attr", name)
			require.True(t, sig.Variadic() || p.Attribute, name)
			how, ok := Prints(r.path, name)
			require.True(t, ok)
			require.Equal(t, p, how)
		}
	}
}

// mentions says whether a body mentions a method or field of that name.
func mentions(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		found = found || ok && sel.Sel.Name == name
		return true
	})
	return found
}

// TestWhatAPatternWouldTake: functions that have a name or a package in common with others, and not
// the fact.
func TestWhatAPatternWouldTake(t *testing.T) {
	for _, c := range []struct {
		path, name string
		not        Facts
		why        string
	}{
		{"errors", "AsType", Harmless, "it calls the methods of errors"},
		{"sync", "RWMutex.RLocker", KeepsNothing, "it returns the lock"},
		{"slices", "BinarySearchFunc", KeepsNothing, "it gives its target to the function"},
		{"math/rand/v2", "ChaCha8.Seed", Contained, "nobody records internal/chacha8rand"},
		{"time", "Timer.Reset", Harmless, "the timer is its caller's"},
		{"strings", "Map", Computes, "it calls what it is given"},
	} {
		require.NotNil(t, source(t).lookup(c.path, c.name), "%s.%s", c.path, c.name)
		require.Zero(t, Of(c.path, c.name)&c.not, "%s.%s: %s", c.path, c.name, c.why)
	}
}
