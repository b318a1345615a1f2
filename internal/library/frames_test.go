package library

import (
	"go/types"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// frame finds a function by its symbol name.
func (tc *toolchain) frame(symbol string) *types.Func {
	slash := strings.LastIndexByte(symbol, '/') + 1
	dot := strings.IndexByte(symbol[slash:], '.')
	path, name := symbol[:slash+dot], symbol[slash+dot+1:]
	for fn := range tc.decls {
		if fn.Pkg().Path() == path && strings.TrimPrefix(strings.Replace(fn.FullName(), "(*"+path+".", "(*", 1), path+".") == name {
			return fn
		}
	}
	return nil
}

func TestLockFrames(t *testing.T) {
	tc := source(t)
	for _, f := range lockFrames {
		require.NotNil(t, tc.frame(f), f)
		require.True(t, IsLock(f))
	}
	require.False(t, IsLock("sync.(*Once).Do"))
}

// TestAppendFrames: such a function takes a lock, or calls one that does. All that testing's calls
// and that take a lock are listed, and no others but what another release has.
func TestAppendFrames(t *testing.T) {
	tc := source(t)
	below := map[string]bool{}
	for _, f := range appendFrames {
		fn := tc.frame(f)
		require.NotNil(t, fn, f)
		locks := mentions(tc.decls[fn], "Lock")
		if fn.Pkg().Path() == "testing" {
			within := map[string]bool{}
			locks = tc.locks(fn, map[*types.Func]bool{}, within)
			delete(within, f)
			maps.Copy(below, within)
		}
		require.True(t, locks, f)
	}
	for _, g := range withinAppend {
		require.True(t, below[g] || tc.frame(g) == nil || slices.Contains(appendFrames[:], g), "%s takes no lock below any of testing's", g)
		delete(below, g)
	}
	require.Empty(t, below, "they take locks below one of testing's")
}

// locks says whether a function of package testing takes a lock or calls one that does, and notes
// those that do.
func (tc *toolchain) locks(fn *types.Func, seen map[*types.Func]bool, within map[string]bool) bool {
	if seen[fn] {
		return false
	}
	seen[fn] = true
	decl, info := tc.decls[fn], tc.infos[fn]
	found := mentions(decl.Body, "Lock") || mentions(decl.Body, "RLock")
	for id, obj := range info.Uses {
		callee, ok := obj.(*types.Func)
		if ok && callee.Pkg() == fn.Pkg() && tc.decls[callee] != nil && decl.Pos() <= id.Pos() && id.Pos() < decl.End() && tc.locks(callee, seen, within) {
			found = true
		}
	}
	if found {
		within[strings.Replace(fn.FullName(), "(*testing.", "testing.(*", 1)] = true
	}
	return found
}

// TestPackagesExist: each name is a package of the toolchain, and a package whose state is shared
// by goroutines that print is not recorded.
func TestPackagesExist(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	require.NoError(t, err)
	all := strings.Fields(string(out))
	for path, p := range Packages {
		require.Contains(t, all, path, "the toolchain has no such package")
		require.True(t, p.Unrecorded != "" || p.Runtime || p.Generic, path)
		require.False(t, p.Prints && p.Unrecorded == "", path)
	}
	require.True(t, OfPackage("internal/runtime/atomic").Runtime)
	require.Zero(t, OfPackage("regexp"))
}

func TestTypesExist(t *testing.T) {
	tc := source(t)
	for _, r := range typeRows {
		obj, ok := tc.packages[r.path].Types.Scope().Lookup(r.name).(*types.TypeName)
		require.True(t, ok, "%s.%s", r.path, r.name)
		require.Equal(t, r.facts&SafeMethods != 0, types.IsInterface(obj.Type()), r.name)
		if r.facts&Plain != 0 {
			require.True(t, valueOnly(obj.Type(), 0), r.name)
		}
	}
}
