package plan

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument/counters"
	"github.com/racepred/racepred/instrument/internal/calls"
	"github.com/racepred/racepred/instrument/internal/helper"
	"github.com/racepred/racepred/instrument/internal/local"
)

// stubRuntime is what rewritten code needs of package runtime, and enough for helpers.go.txt.
const stubRuntime = `package runtime

import "unsafe"

type stubG struct{ _panic *int }

type racepredList[S any] struct{}

func RacepredList[S any](p *S, read, element, write *byte) (l racepredList[S]) { return l }

func getg() *stubG { return nil }

func RacepredSites(file, pkg string, base *byte, n int, table string) {}
func RacepredRead(p unsafe.Pointer, size uintptr, site *byte)         {}
func RacepredWrite(p unsafe.Pointer, size uintptr, site *byte)        {}
func RacepredR[T any](p *T, site *byte) *T                            { return p }
func RacepredW[T any](p *T, site *byte) *T                            { return p }
func RacepredModify[T any](p *T, op uint8, read, write *byte) *T      { return p }
func RacepredPushing[S ~[]E, E any](p *S) *S                          { return p }
func RacepredPushed[S ~[]E, E any](v S, l racepredList[S]) S          { return v }
func RacepredOpaque(site *byte)                                       {}
func RacepredAtomic(site *byte)                                       {}
func RacepredSections(site *byte)                                     {}
func RacepredTurn()                                                   {}
func RacepredUnitEnd()                                                {}
func RacepredGiven[T any](v T, site *byte) T                          { return v }
func RacepredCallee[F any](f F, site *byte) F                         { return f }
func RacepredReceiver[T any](v T, site *byte) T                       { return v }
func RacepredCalleeNoted[F any](f F, site *byte) F                    { return f }
func RacepredReceiverNoted[T any](v T, site *byte) T                  { return v }
func RacepredAnswered(site *byte) *byte                               { return nil }
func RacepredOpaqueHere(site *byte) *byte                             { return nil }
func RacepredPartly(pkg string)                                       {}
func RacepredChanLen(ch unsafe.Pointer) int                           { return 0 }
func RacepredWrapper[F any](to *F, wrapper, forward F, boxed bool)    { *to = wrapper }
func RacepredWrapped(pointer any)                                     {}
func Gosched()                                                        {}
`

// withRuntime imports the stub for package runtime, sync/atomic with what rule D1 calls, and other
// packages from their source.
type withRuntime struct{ runtime, atomic *types.Package }

func (i withRuntime) Import(path string) (*types.Package, error) {
	switch path {
	case "runtime":
		return i.runtime, nil
	case "sync/atomic":
		return i.atomic, nil
	}
	return imports().Import(path)
}

// stubbedAtomic is package sync/atomic with helper.Atomic.
func stubbedAtomic() (*types.Package, error) {
	dir, err := build.Import("sync/atomic", "", 0)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	more, err := parser.ParseFile(fset, "discarding.go", helper.Atomic(), parser.SkipObjectResolution)
	files := []*ast.File{more}
	for _, name := range dir.GoFiles {
		if err != nil {
			return nil, err
		}
		var f *ast.File
		f, err = parser.ParseFile(fset, filepath.Join(dir.Dir, name), nil, parser.SkipObjectResolution)
		files = append(files, f)
	}
	if err != nil {
		return nil, err
	}
	return (&types.Config{Importer: imports(), IgnoreFuncBodies: true}).Check("sync/atomic", fset, files, nil)
}

var stubbed = sync.OnceValues(func() (types.Importer, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, src := range []string{stubRuntime, string(helper.Runtime())} {
		f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	pkg, err := (&types.Config{Importer: imports()}).Check("runtime", fset, files, nil)
	if err != nil {
		return nil, err
	}
	atomic, err := stubbedAtomic()
	return withRuntime{pkg, atomic}, err
})

// check type-checks one file.
func check(fset *token.FileSet, f *ast.File) (*types.Package, *types.Info, error) {
	imp, err := stubbed()
	if err != nil {
		return nil, nil, err
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	pkg, err := (&types.Config{Importer: imp, GoVersion: "go1.25"}).Check("p", fset, []*ast.File{f}, info)
	return pkg, info, err
}

// FuzzDecide rewrites whatever type-checks: that must not fail, must give something that
// type-checks, too, and must leave every declaration in its line.
func FuzzDecide(f *testing.F) {
	_, err := stubbed()
	require.NoError(f, err)
	for _, pattern := range []string{"../../testdata/run/*.go.txt", "../../testdata/order/*.go.txt"} {
		names, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, name := range names {
			src, err := os.ReadFile(name)
			require.NoError(f, err)
			if !strings.Contains(string(src), `"runtime"`) { // the stub has only what rewritten code calls
				f.Add(string(src), true)
			}
		}
	}
	const head = "package p\ntype T struct { f int; p *T; a []int; m map[int]int; c chan int; e error; s string; i any; arr [3]int }\nvar g T\nfunc two() (int, error) { return 0, nil }\nfunc h(x *T, y T, fs ...func() int) (n int, err error) {\n"
	for _, body := range []string{
		"x.f, x.e = two(); return two()",
		"for x.f, x.e = two(); x.f < 3; x.f, x.e = two() { go func() { n++ }() }; return",
		"L: for i := 0; i < 3; i++ { defer func() { i += n }(); for range x.a { continue L } }; return x.f, x.e",
		"select { case x.a[0], _ = <-x.c: case g.c <- x.f + <-x.c: default: }; return len(x.m), err",
		"x.a[x.f], x.a[x.p.f] = x.a[x.p.f], x.a[x.f]; *x.p, y = y, *x; return x.m[x.f], nil",
		"switch x.f, x.e = two(); v := x.i.(type) { case int: n = v; case string: x.s = v[1:] }; return",
		"x.a = append(x.a[:1:2], x.p.a...); n = copy(x.a, x.arr[:]); clear(x.a); delete(x.m, n); return cap(x.c), x.e",
		"f := x.p.meth; defer f(); n += f() * (*T).meth(x); if fs != nil && fs[0]() > x.f || g.e != nil { x.arr = [3]int(x.a) }; return",
	} {
		f.Add(head+body+"\n}\nfunc (x *T) meth() int { return x.f }\n", false)
	}
	f.Fuzz(func(t *testing.T, src string, all bool) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || strings.Contains(src, "racepred") || strings.Contains(src, "//line") || strings.Contains(src, "/*line") || strings.Contains(src, `"C"`) {
			t.Skip()
		}
		pkg, info, err := check(fset, file)
		if err != nil || pkg.Scope().Lookup("byte") != nil {
			t.Skip()
		}
		s := &Source{
			Fset: fset, File: file, Bytes: []byte(src), Pkg: pkg, Info: info, Options: Options{All: all},
			Prefix: "racepred_", SitesVar: "sites", Whole: &Whole{unrecorded: calls.UnrecordedFuncs(pkg, info, file)},
		}
		if !all {
			s.Whole.escapes = local.FindEscapes(info, file)
		}
		plan := Decide(s)
		if plan.Empty() {
			return
		}
		got := Finish(s, plan, "p", "p.go", nil)
		s.Slots = counters.Slots(fset.File(file.FileStart), file, s.Bytes)
		template := Finish(s, Decide(s), "p", "p.go", nil)
		require.Equal(t, string(got), string(counters.Strip(template)), "slots change nothing else")
		for _, at := range s.Slots {
			require.Contains(t, string(template), counters.Slot(at), "each slot is somewhere")
		}
		after := token.NewFileSet()
		rewritten, err := parser.ParseFile(after, "p.go", got, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err, "%s", got)
		_, _, err = check(after, rewritten)
		require.NoError(t, err, "%s", got)
		skip := len(rewritten.Decls) - len(file.Decls) // the imports before them, the sites and the functions of wrappers after them
		first := 1 + len(plan.imports)
		require.Equal(t, first+2+2*len(plan.forwards), skip)
		for i, d := range file.Decls {
			require.Equal(t, fset.Position(d.Pos()).Line, after.Position(rewritten.Decls[i+first].Pos()).Line, "%s", got)
			require.Equal(t, fset.Position(d.End()).Line, after.Position(rewritten.Decls[i+first].End()).Line, "%s", got)
		}
	})
}
