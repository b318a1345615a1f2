package library

import (
	"go/ast"
	"go/types"
	"go/version"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/racepred/racepred/internal/funcname"
)

// toolchain is the toolchain's own source: import path -> package, function -> declaration.
type toolchain struct {
	packages map[string]*packages.Package
	decls    map[*types.Func]*ast.FuncDecl
	infos    map[*types.Func]*types.Info
	below    map[string]bool // runtime and all that it imports
}

var loaded = sync.OnceValues(func() (*toolchain, error) { return load("", nil) })

// load loads the whole library as the go command finds it in a directory, for the platform of env.
func load(dir string, env []string) (*toolchain, error) {
	tc := &toolchain{map[string]*packages.Package{}, map[*types.Func]*ast.FuncDecl{}, map[*types.Func]*types.Info{}, map[string]bool{}}
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedFiles | packages.NeedCompiledGoFiles |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo,
		Dir: dir,
		Env: env,
	}, "std")
	if err != nil {
		return nil, err
	}
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		tc.packages[p.PkgPath] = p
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok {
					if fn, ok := p.TypesInfo.Defs[d.Name].(*types.Func); ok {
						tc.decls[fn], tc.infos[fn] = d, p.TypesInfo
					}
				}
			}
		}
	})
	packages.Visit([]*packages.Package{tc.packages["runtime"]}, nil, func(p *packages.Package) { tc.below[p.PkgPath] = true })
	return tc, nil
}

func source(t *testing.T) *toolchain {
	t.Helper()
	tc, err := loaded()
	require.NoError(t, err)
	for path, p := range tc.packages {
		require.Empty(t, p.Errors, path)
	}
	return tc
}

// lookup finds a function or method by its name in the table, nil if there is none.
func (tc *toolchain) lookup(path, name string) *types.Func {
	p := tc.packages[path]
	if p == nil {
		return nil
	}
	recv, method, ok := strings.Cut(name, ".")
	obj := p.Types.Scope().Lookup(recv)
	if !ok {
		fn, _ := obj.(*types.Func)
		return fn
	}
	if obj, ok := obj.(*types.TypeName); ok {
		m, _, _ := types.LookupFieldOrMethod(obj.Type(), true, p.Types, method)
		if fn, ok := m.(*types.Func); ok && funcname.Of(fn) == name {
			return fn
		}
	}
	return nil
}

// sinceGo127 are functions of the tables that older toolchains do not have.
var sinceGo127 = []string{"math/rand/v2.Rand.N"}

// has says whether the toolchain is to have a function of the tables. What shown.go has, need not
// be there.
func (tc *toolchain) has(path, name string) bool {
	if tc.lookup(path, name) == nil && Of(path, name) == Contained && !readByHand(path, name) {
		return false
	}
	return version.Compare(runtime.Version(), "go1.27") >= 0 || !slices.Contains(sinceGo127, path+"."+name)
}

// reachable says whether code outside of the package can call a method: of an exported type, of a
// variable's, or promoted by one.
func (tc *toolchain) reachable(fn *types.Func) bool {
	if !fn.Exported() {
		return false
	}
	if fn.Signature().Recv() == nil {
		return true
	}
	scope := fn.Pkg().Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if _, isFunc := obj.(*types.Func); isFunc || !obj.Exported() {
			continue
		}
		m, _, _ := types.LookupFieldOrMethod(obj.Type(), true, fn.Pkg(), fn.Name())
		if m, ok := m.(*types.Func); ok && m.Origin() == fn {
			return true
		}
	}
	return false
}

// with lists the functions that have all of some facts, "path.Name" -> function.
func (tc *toolchain) with(t *testing.T, facts Facts) map[string]*types.Func {
	t.Helper()
	found := map[string]*types.Func{}
	for _, group := range rows() {
		for _, r := range group {
			for _, name := range strings.Fields(r.names) {
				if Of(r.path, name).Is(facts) && tc.has(r.path, name) {
					fn := tc.lookup(r.path, name)
					require.NotNil(t, fn, "%s.%s", r.path, name)
					found[r.path+"."+name] = fn
				}
			}
		}
	}
	require.NotEmpty(t, found)
	return found
}

func (tc *toolchain) recorded(path string) bool {
	p := OfPackage(path)
	return p.Unrecorded == "" && !p.Runtime && !tc.below[path]
}

// generic says whether a function is compiled where it is used.
func generic(fn *types.Func) bool {
	return fn.Signature().TypeParams().Len() > 0 || fn.Signature().RecvTypeParams().Len() > 0
}
