package library

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/funcname"
)

// TestComputes: neither the function nor any that it runs synchronizes, or calls an argument.
func TestComputes(t *testing.T) {
	tc := source(t)
	w := &walk{tc: tc, node: communicates, enter: func(fn *types.Func) (bool, error) {
		if fn.Pkg() == nil {
			return false, nil // error.Error
		}
		if i, abstract := ofInterface(fn); abstract {
			if !known(i) {
				return false, fmt.Errorf("calls %s", fn.FullName())
			}
			return false, nil
		}
		if p := OfPackage(fn.Pkg().Path()); p.Synchronizes || fn.Pkg().Path() == "runtime" {
			return false, fmt.Errorf("mentions %s", fn.FullName())
		}
		return true, nil
	}}
	for name, fn := range tc.with(t, Computes) {
		assert.NoError(t, w.from(fn), name)
		require.Nil(t, fn.Signature().Recv(), name)
		for p := range fn.Signature().Params().Variables() {
			_, calls := p.Type().Underlying().(*types.Signature)
			require.False(t, calls || types.IsInterface(p.Type()), name)
		}
	}
}

// notRecorded has the reasons why a function that a contained one mentions need not be recorded, by
// the mentioned function or by the one that mentions it.
var notRecorded = map[string]string{
	"internal/abi.NoEscape":          "it returns what it is given",
	"internal/godebug.Setting.Value": "settings are synchronized, and their users are counted",
	"math/rand/v2.NewChaCha8":        "what it initializes is new",
	"errors.As":                      "what it asks package abi are types, which are constant",
	"errors.Is":                      "as errors.As",
	"regexp.inputBytes.index":        "the seam tells what it reads (seam/E11)",
	"sort.Slice":                     "as errors.As",
	"sort.SliceIsSorted":             "as errors.As",
	"sort.SliceStable":               "as errors.As",
	"time.resetTimer":                "the runtime synchronizes timers, and keeps the order of what is done to one (seam/E3)",
	"time.stopTimer":                 "as time.resetTimer",
}

// noGoCode has the reasons why a function that is assembly, or linked from elsewhere, accesses no
// memory of its caller.
var noGoCode = map[string]string{
	"internal/godebug.registerMetric":     "settings are synchronized, and their users are counted",
	"internal/reflectlite.chanlen":        "package sort asks for the lengths of slices",
	"internal/reflectlite.maplen":         "package sort asks for the lengths of slices",
	"internal/reflectlite.resolveNameOff": "names of types are constant",
	"internal/reflectlite.resolveTypeOff": "as resolveNameOff",
	"internal/reflectlite.ifaceE2I":       "Value.Set writes the same once more",
	"internal/reflectlite.unsafe_New":     "what it returns is new",
	"internal/reflectlite.typedmemmove":   "package runtime records what it moves",
}

// contained looks for unrecorded code that a function may run.
func contained(tc *toolchain, name string, but func(fn *types.Func) bool) *walk {
	w := &walk{tc: tc}
	w.bodiless = func(fn *types.Func) error {
		if onlyValues(fn.Signature()) || noGoCode[fn.Pkg().Path()+"."+funcname.Of(fn)] != "" {
			return nil
		}
		return fmt.Errorf("%s has no Go code", fn.FullName())
	}
	w.enter = func(fn *types.Func) (bool, error) {
		if fn.Pkg() == nil {
			return false, nil
		}
		if i, abstract := ofInterface(fn); abstract {
			switch {
			case but(fn):
				return false, nil
			case !known(i):
				return false, fmt.Errorf("calls %s", fn.FullName())
			case i.Pkg() != nil && !i.Exported():
				return false, w.implementations(fn)
			}
			return false, nil
		}
		if mentioned := fn.Pkg().Path() + "." + funcname.Of(fn); notRecorded[mentioned] != "" {
			return false, nil
		}
		if tc.recorded(fn.Pkg().Path()) || generic(fn) {
			return true, nil
		}
		if notRecorded[name] != "" || Of(fn.Pkg().Path(), funcname.Of(fn)).Is(Harmless) || onlyValues(fn.Signature()) {
			return false, nil
		}
		return false, fmt.Errorf("mentions %s", fn.FullName())
	}
	return w
}

// TestContained: all code that the function runs is recorded, or accesses no memory of its caller.
func TestContained(t *testing.T) {
	tc := source(t)
	for name, fn := range tc.with(t, Contained) {
		if !readByHand(fn.Pkg().Path(), funcname.Of(fn)) {
			continue // TestShown
		}
		global := fn.Signature().Recv() == nil // of a generator whose source is the library's
		w := contained(tc, name, func(m *types.Func) bool {
			if fn.Pkg().Path() == "errors" && slices.Contains([]string{"Is", "As", "Unwrap"}, m.Name()) {
				return true // package runtime announces those of dependencies (runtimehooks/M2)
			}
			if fn.Pkg().Path() == "regexp" && m.FullName() == "(io.RuneReader).ReadRune" {
				return true // none of those that are listed is given one
			}
			if m.FullName() == "(io.StringWriter).WriteString" && slices.Contains([]string{"strings", "html"}, fn.Pkg().Path()) {
				return true // it is a Replacer's own
			}
			if m.Pkg().Path() == "internal/reflectlite" {
				return true // no other package has a Type
			}
			source := m.Pkg().Path() == "math/rand" || m.Pkg().Path() == "math/rand/v2"
			return source && (global || Of(fn.Pkg().Path(), funcname.Of(fn)).Is(OfSource))
		})
		err := w.from(fn)
		if err != nil && strings.HasPrefix(name, "sort.Slice") && strings.HasSuffix(err.Error(), "calls what Less holds") {
			err = nil // that is its second argument (instrument/O12)
		}
		assert.NoError(t, err, name)
		require.True(t, tc.recorded(fn.Pkg().Path()), name)
		require.False(t, generic(fn), name)
	}
}

// TestTold: nobody records the package, and its functions write a text to a file, or wait until the
// disk has it, which says nothing about other goroutines.
func TestTold(t *testing.T) {
	for name, fn := range source(t).with(t, Told) {
		require.NotEmpty(t, OfPackage(fn.Pkg().Path()).Unrecorded, name)
		if name != "os.File.Sync" {
			require.Contains(t, name, "File.Write")
			require.Equal(t, 1, fn.Signature().Params().Len(), name)
		}
	}
}

// TestCallsBack: the same, except for methods of the interface that is its first argument.
func TestCallsBack(t *testing.T) {
	tc := source(t)
	for name, fn := range tc.with(t, CallsBack) {
		first := fn.Signature().Params().At(0).Type()
		require.True(t, types.IsInterface(first), name)
		w := contained(tc, name, func(m *types.Func) bool {
			found, _, _ := types.LookupFieldOrMethod(first, false, fn.Pkg(), m.Name())
			return found == m
		})
		assert.NoError(t, w.from(fn), name)
		require.True(t, tc.recorded(fn.Pkg().Path()), name)
	}
}

// TestIterators: the returned function calls its argument, and does nothing else with it.
func TestIterators(t *testing.T) {
	tc := source(t)
	for name, fn := range tc.with(t, Iterator) {
		result, ok := fn.Signature().Results().At(0).Type().Underlying().(*types.Signature)
		require.True(t, ok, name)
		require.Equal(t, 1, result.Params().Len(), name)
		for p := range fn.Signature().Params().Variables() {
			_, calls := p.Type().Underlying().(*types.Signature)
			require.False(t, calls, name)
		}
		called := map[*ast.Ident]bool{}
		yields := 0
		w := &walk{tc: tc, enter: func(fn *types.Func) (bool, error) { return fn.Pkg() != nil, nil }, node: func(info *types.Info, n ast.Node) error {
			switch n := n.(type) {
			case *ast.CallExpr:
				if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok {
					called[id] = true
				}
			case *ast.Ident:
				if n.Name != "yield" || info.Uses[n] == nil {
					break
				}
				if yields++; !called[n] {
					return fmt.Errorf("keeps the body")
				}
			}
			return communicates(info, n)
		}}
		assert.NoError(t, w.from(fn), name)
		require.Positive(t, yields, name)
	}
}
