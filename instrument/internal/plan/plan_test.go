package plan

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument/internal/calls"
	"github.com/racepred/racepred/instrument/internal/edit"
	"github.com/racepred/racepred/instrument/internal/site"
)

// imports is shared: importing from source takes its time.
var imports = sync.OnceValue(func() types.Importer { return importer.ForCompiler(token.NewFileSet(), "source", nil) })

// decide plans the file with the given body of declarations.
func decide(t *testing.T, src string, conf func(*Source)) *Plan {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	pkg, err := (&types.Config{Importer: imports()}).Check("p", fset, []*ast.File{file}, info)
	require.NoError(t, err)
	s := &Source{Fset: fset, File: file, Bytes: []byte(src), Pkg: pkg, Info: info, Prefix: "racepred_", SitesVar: "sites", Whole: &Whole{unrecorded: calls.UnrecordedFuncs(pkg, info, file)}}
	if conf != nil {
		conf(s)
	}
	return Decide(s)
}

// TestOpaque checks which calls are announced.
func TestOpaque(t *testing.T) {
	const src = `package p
import ("bytes"; "context"; "errors"; "fmt"; "io"; "os"; "slices"; "sort"; "strings"; "sync"; "time")
type sealed interface { m(); Exported() }
type open interface { Exported() }
type T struct { mu sync.Mutex; w io.Writer; f func(); b bytes.Buffer; sb strings.Builder; items []int }
func own() {}
func asm()
//go:nosplit
func nosplit() { total++ }
var total int
func gen[E any](e E) {}
func f(t *T, s sealed, o open, cb func(), ctx context.Context, err error, l sync.Locker) {
	%s
}
var _ = []any{bytes.NewReader, errors.New, fmt.Sprint, os.Exit, sort.Ints, slices.Sort[[]int], time.Now}
`
	for _, c := range []struct {
		stmt string
		want string
	}{
		{"own(); gen(1); t.mu.Lock(); l.Unlock()", ""},
		{"_ = errors.New(err.Error()); _ = ctx.Err(); time.Sleep(1)", ""},
		{"asm()", "asm"},
		{"nosplit()", "nosplit"},
		{"os.Getenv(`x`)", "os.Getenv"},
		{"fmt.Sprint(1)", ""},
		{"fmt.Sprint(t)", "fmt.Sprint"},
		{"t.w.Write(nil)", "dynamic t.w.Write"},
		{"t.f()", "dynamic t.f"},
		{"cb()", "dynamic cb"},
		{"s.Exported()", ""},
		{"o.Exported()", "dynamic o.Exported"},
		{"g := func() {}; g()", ""},
		{"g := func() {}; g = cb; g()", "dynamic g"},
		{"func() { t.items = nil }()", ""},
		{"_ = strings.ToUpper(`x`)", ""},
		{"t.sb.WriteString(`x`)", "t.sb.WriteString"},
		{"t.b.WriteString(`x`)", "t.b.WriteString"},
		{"slices.Sort(t.items)", "slices.Sort"}, // what it writes is not known
		{"slices.Reverse(t.items)", ""},
		{"_ = slices.Contains(t.items, 1)", "slices.Contains"},
		{"sort.Ints(t.items)", "sort.Ints"},
		{"go os.Getenv(`x`)", ""},
		{"defer os.Getenv(`x`)", "deferred os.Getenv"},
		{"for t.items[0] > 0 && os.Getenv(`x`) == `` {}", "os.Getenv"},
	} {
		t.Run(c.stmt, func(t *testing.T) {
			plan := decide(t, strings.Replace(src, "%s", c.stmt, 1), nil)
			var got []string
			for _, o := range plan.Opaque {
				s := o.Callee
				if o.Dynamic {
					s = "dynamic " + s
				}
				if o.Deferred {
					s = "deferred " + s
				}
				got = append(got, s)
			}
			require.Equal(t, c.want, strings.Join(got, ", "))
		})
	}
	t.Run("recorded by the compiler", func(t *testing.T) {
		plan := decide(t, strings.Replace(src, "%s", "t.b.Len(); _ = slices.Contains(t.items, 1)", 1), func(s *Source) {
			s.Recorded = func(path string) bool { return path == "bytes" || path == "slices" }
		})
		require.Len(t, plan.Opaque, 1, "a generic function is compiled here, unrecorded")
		require.Equal(t, "slices.Contains", plan.Opaque[0].Callee)
	})
}

// TestAtomics shows which calls become those of a twin (D3).
func TestAtomics(t *testing.T) {
	const src = `package p
import "sync/atomic"
type counter struct{ atomic.Int64 }
func f(n *atomic.Int64, w *uint32, v *int64, s []int) {
	%s
}
var _ = atomic.AddInt32
`
	for _, c := range [][2]string{
		{"_ = s[atomic.LoadInt64(v)]", "_ = s[atomic.RacepredSeenLoadInt64(v)]"},
		{"if atomic.AddUint32(w, 1) > 2 {}", "if atomic.RacepredSeenAddUint32(w, 1) > 2 {}"},
		{"(atomic.StoreUint32)(w, 1)", "(atomic.RacepredSeenStoreUint32)(w, 1)"},
		{"defer atomic.StoreUint32(w, atomic.LoadUint32(w))", "defer atomic.RacepredSeenStoreUint32(w, atomic.RacepredSeenLoadUint32(w))"},
		{"func() { for !atomic.CompareAndSwapUint32(w, 0, 1) {} }()", "func() { for !atomic.RacepredSeenCompareAndSwapUint32(w, 0, 1) {} }()"},
		{"atomic.AddUint32(w, 1)", ""}, // (D1)
		{"_ = n.Load()", ""},
		{"g := atomic.LoadInt64; g(v)", ""},
	} {
		t.Run(c[0], func(t *testing.T) { requireEdits(t, src, c[0], c[1], RuleAtomic) })
	}
}

// requireEdits requires that the edits of one rule make want of code, which is put in place of %s in src; ""
// for no edit.
func requireEdits(t *testing.T, src, code, want string, rule Rule) {
	if want == "" {
		want = code
	}
	got := strings.Replace(src, "%s", code, 1)
	edits := slices.DeleteFunc(decide(t, got, nil).Edits, func(e Edit) bool { return e.Rule != rule })
	for _, e := range slices.Backward(edits) {
		got = got[:e.Off] + e.Text + got[e.Off+e.Del:]
	}
	require.Equal(t, strings.Replace(src, "%s", want, 1), got)
}

// TestDiscarded shows which results are thrown away (D1).
func TestDiscarded(t *testing.T) {
	const src = `package p
import "sync/atomic"
type counter struct{ atomic.Int64 }
type adder interface{ Add(int64) int64 }
func f(n *atomic.Int64, w *uint32, c counter, a adder, m map[string]*atomic.Uint32) {
	%s
}
var _ = atomic.AddInt32
`
	for _, c := range [][2]string{
		{"n.Add(1)", "n.RacepredAdd(1)"},
		{"(n.Add)(1)", "(n.RacepredAdd)(1)"},
		{"(*atomic.Int64).Add(n, 1)", "(*atomic.Int64).RacepredAdd(n, 1)"},
		{"c.Add(n.Load())", "c.RacepredAdd(n.Load())"},
		{"n.Add(n.Add(1))", "n.RacepredAdd(n.Add(1))"},
		{"atomic.AddUint32(w, 1)", "atomic.RacepredAddUint32(w, 1)"},
		{"atomic.OrUint32(w, 1)", "atomic.RacepredOrUint32(w, 1)"},
		{"n.And(1)", "n.RacepredAnd(1)"},
		{"defer n.Add(-1)", "defer n.RacepredAdd(-1)"},
		{"go n.Add(-1)", "go n.RacepredAdd(-1)"},
		{"m[``].Add(1)", "m[``].RacepredAdd(1)"},
		{"a.Add(1)", ""},
		{"_ = n.Add(1)", "_ = n.RacepredAdd(1)"},
		{"_, i := n.Add(1), n.Add(2); _ = i", "_, i := n.RacepredAdd(1), n.Add(2); _ = i"},
		{"if n.Add(1) > 2 {}", ""},
		{"n.Store(1)", ""},
		{"n.Swap(1)", ""},
		{"n.CompareAndSwap(1, 2)", ""},
		{"g := n.Add; g(1)", ""},
	} {
		t.Run(c[0], func(t *testing.T) { requireEdits(t, src, c[0], c[1], RuleDiscard) })
	}
}

// TestReplacements shows each rule's edit.
func TestReplacements(t *testing.T) {
	const head = `package p
import "os"
import "sync"
var _ = os.Args
type T struct { f, g int; p *T; a []int; m map[string]int; ch chan int; do func(int, error); fs []func(); emb }
type emb struct { *in }
type in struct { z int }
func (in) val() {}
func (in) num(int) int { return 0 }
var v int
func g() int { return 0 }
func two() (int, error) { return 0, nil }
func h() *T { return nil }
func no() {}
func yes(int) bool { return true }
func env2(bool) (string, string) { return "", "" }
func it(func(int) bool) {}
var pool sync.Pool
var given func(func())
var later func()
func env() (string, string) { return "", "" }
func name(int) string { return "" }
func made(any) (r *struct{ f int; w interface{ Write([]byte) (int, error) } }) { return }
func (in) pair(int, error) {}
func b() []byte { return nil }
func f(x *T) (res int) {
`
	for _, c := range []struct {
		name, stmt, want string
	}{
		{"R1", "_ = x.f", "_ = (*R(&x.f, &s[0]))"},
		{"R1 global", "_ = v", "_ = (*R(&v, &s[0]))"},
		{"R1 path", "_ = x.p.f", "_ = (*R(&(*R(&x.p, &s[0])).f, &s[1]))"},
		{"R2", "_ = x.f + g()", "_ = x.f + After(g(), R(&x.f, &s[0]))"},
		{"R2 keep", "_ = h().f + g()", "var t1 *T; _ = Keep(&t1, h()).f + After(g(), R(&t1.f, &s[0]))"},
		{"R2 keep length", "_ = x.a[len(x.a)-1] + g()", "var t1 int; _ = x.a[Keep(&t1, len((*R(&x.a, &s[2]))))-1] + After(g(), R(&(*R(&x.a, &s[0]))[t1-1], &s[1]))"},
		{"R2 keep converted", "_ = string(b()) + string(b())", "var t1 []byte; _ = string(Keep(&t1, b())) + string(LoadSlice(After(b(), ElementsRead(t1, &s[0])), &s[1]))"},
		{"R2 keep path", "_ = h().p.f + g()", "var t1 *T; _ = Keep(&t1, h()).p.f + After(g(), R(&(*R(&t1.p, &s[0])).f, &s[1]))"},
		{"R2 and", "two := func(int, bool) {}; two(x.f, x.g > 0 && g() > 1)", "two := func(int, bool) {}; two(x.f, After((*R(&x.g, &s[1])) > 0 && g() > 1, R(&x.f, &s[0])))"},
		{"R2 keep without a name", "_ = made(nil).f + g()", "var t1 *struct{ f int; w interface{ Write([]byte) (int, error) } }; _ = Keep(&t1, made(nil)).f + After(g(), R(&t1.f, &s[0]))"},
		{"R2 several", "x.p.in.pair(two())", "x.p.in.pair(Two(two()).After(R(&*(*R(&(*R(&x.p, &s[0])).in, &s[1])), &s[2])))"},
		{"R2 several late", "x.p.do(two())", "Opaque(&s[3]); x.p.do(Two(Two(two()).After(OpaqueHere(&s[2]))).After(R(&(*R(&x.p, &s[0])).do, &s[1])))"},
		{"R2 lazy", "_ = x.f > 0 && g() > 0", "_ = (*R(&x.f, &s[0])) > 0 && g() > 0"},
		{"R3", "_ = x.z", "_ = (*R(&(*R(&x.emb.in, &s[0])).z, &s[1]))"},
		{"R4", "x.p.in.val()", "(*R(&*(*R(&(*R(&x.p, &s[0])).in, &s[1])), &s[2])).val()"},
		{"R4 late", "_ = x.p.in.num(g())", "_ = x.p.in.num(After(g(), R(&*(*R(&(*R(&x.p, &s[0])).in, &s[1])), &s[2])))"},
		{"W1", "x.f = 1", "*W(&x.f, &s[0]) = 1"},
		{"W1 op", "x.f += 1", "*Modify(&x.f, 1, &s[0], &s[1]) += 1"},
		{"W1 inc", "v++", "*Modify(&v, 1, &s[0], &s[1])++"},
		{"W2", "x.f = g()", "x.f = After(g(), W(&x.f, &s[0]))"},
		{"W2 load", "x.f = x.g", "x.f = After((*R(&x.g, &s[0])), W(&x.f, &s[1]))"},
		{"W2 op", "x.f += g()", "x.f += After(g(), Modify(&x.f, 1, &s[0], &s[1]))"},
		{"W2 pair", "x.f, v = x.g, 1", "x.f, v = After(After((*R(&x.g, &s[0])), W(&x.f, &s[1])), W(&v, &s[2])), 1"},
		{"W3", "x.a[g()] = g()", "{ t1 := g(); x.a[t1] = After(g(), W(&(*R(&x.a, &s[0]))[t1], &s[1])) }"},
		{"W4", "_, v = 1, 2", "_, *W(&v, &s[0]) = 1, 2"},
		{"W4 tuple", "var err error; v, err = two(); _ = err", "var err error; v, err = two(); W(&v, &s[0]); _ = err"},
		{"W4 split", "x.f, _ = two()", "{ t1, _ := two(); x.f = After(t1, W(&x.f, &s[0])) }"},
		{"W6", "v, x.f = x.g, 1", "{ v = After((*R(&x.g, &s[0])), W(&v, &s[1])); *W(&x.f, &s[2]) = 1 }"},
		{"W6 swap", "x.a[0], x.a[1] = x.a[1], x.a[0]", "{ t1 := (*R(&x.a, &s[0])); t2 := (*R(&x.a[0], &s[1])); x.a[0] = After((*R(&x.a[1], &s[2])), W(&x.a[0], &s[3])); *W(&t1[1], &s[4]) = t2 }"},
		{"W6 call", "x.a[g()], x.p.f = g(), x.f", "{ t1 := g(); t2 := g(); t3 := (*R(&x.p, &s[0])); t4 := (*R(&x.f, &s[1])); *W(&(*R(&x.a, &s[2]))[t1], &s[3]) = t2; *W(&t3.f, &s[4]) = t4 }"},
		{"W6 embedded", "x.p, x.z = nil, 1", "{ t1 := (*R(&x.emb.in, &s[0])); *W(&x.p, &s[1]) = nil; *W(&t1.z, &s[2]) = 1 }"},
		{"W6 tuple", "var errs []error; x.f, errs[0] = two()", "var errs []error; { t1, t2 := two(); *W(&x.f, &s[0]) = t1; *W(&errs[0], &s[1]) = t2 }"},
		{"W6 not needed", "v, res = 1, 2", "*W(&v, &s[0]), res = 1, 2"},
		{"H1", "if v, _ = two(); g() > 0 {}", "if v, _ = two(); W(&v, &s[0]) != nil && (g() > 0) {}"},
		{"H2", "switch x.f, _ = two(); x.f {}", "{ { t1, _ := two(); x.f = After(t1, W(&x.f, &s[0])) }; switch ; (*R(&x.f, &s[1])) {} }"},
		{"H3", "for ; res < 3; x.f, x.p.f = 1, 2 {}", "{ t2, t3, t4 := false, false, false; for ; ;  { if t4 { { t1 := (*OnceR(&x.p, &s[0], &t2)); *OnceW(&x.f, &s[1], &t3) = 1; *W(&t1.f, &s[2]) = 2 } } else { t4 = true }; if !(res < 3) { break }; } }"},
		{"H3 no condition", "l: for ; ; x.f, x.p.f = 1, 2 { continue l }", "{ t2, t3, t4 := false, false, false; l: for ; ;  { if t4 { { t1 := (*OnceR(&x.p, &s[0], &t2)); *OnceW(&x.f, &s[1], &t3) = 1; *W(&t1.f, &s[2]) = 2 } } else { t4 = true };  continue l } }"},
		{"P1 shift", "_ = byte(1<<res) + byte(x.f)", "_ = byte(Now(byte(1<<res))) + byte((*R(&x.f, &s[0])))"},
		{"P2", "var w any; *w.(*T) = T{f: x.f}", "var w any; Try(func() { _ = T{f: x.f}; _ = &*w.(*T); _ = T{f: (*R(&x.f, &s[0]))}; W(&*w.(*T), &s[1]) }, &s[2]); *w.(*T) = T{f: x.f}"},
		{"P2 literal", "var w any; *w.(*T) = T{do: func(int, error) { v++ }, f: x.f}", "var w any; Try(func() { _ = T{do: (func(int, error))(nil), f: x.f}; _ = &*w.(*T); _ = T{do: (func(int, error))(nil), f: (*R(&x.f, &s[0]))}; W(&*w.(*T), &s[1]) }, &s[2]); *w.(*T) = T{do: func(int, error) { *Modify(&v, 1, &s[3], &s[4])++ }, f: x.f}"},
		{"N2", "for i := 0; ; { p := &i; if *p > 0 { continue } }", "for i := 0; ; { p := &i; if (*R(&*p, &s[0])) > 0 { R(&i, &s[1]); continue } ; R(&i, &s[2]) }"},
		{"N1", "for _, e := range x.a { _ = e }", "{ t1 := (*R(&x.a, &s[0])); for t2, e := range t1 { R(&t1[t2], &s[1]); _ = e } }"},
		{"B1", "_ = len(x.m) + cap(x.ch)", "_ = MapLen((*R(&x.m, &s[0])), &s[1]) + cap((*R(&x.ch, &s[2])))"},
		{"O4", "os.Getenv(`x`)", "Opaque(&s[0]); os.Getenv(`x`)"},
		{"O5", "_ = g() > 0 && os.Getenv(`x`) > ``", "_ = g() > 0 && (OpaqueT(&s[0]) && (os.Getenv(`x`) > ``))"},
		{"O5 loop", "for os.Getenv(`x`) > `` {}", "for (OpaqueT(&s[0]) && (os.Getenv(`x`) > ``)) {}"},
		{"O6", "defer os.Getenv(`x`)", "defer os.Getenv(`x`); defer Opaque(&s[0])"},
		{"O14", "os.Getenv(name(x.f))", "Opaque(&s[2]); os.Getenv(After(name((*R(&x.f, &s[0]))), OpaqueHere(&s[1])))"},
		{"O14 before", "_ = name(1) + os.Getenv(name(2)) + name(3)", "Opaque(&s[2]); _ = After(name(1), OpaqueHere(&s[0])) + os.Getenv(After(name(2), OpaqueHere(&s[1]))) + name(3)"},
		{"O14 several", "os.Setenv(env())", "Opaque(&s[1]); os.Setenv(Two(env()).After(OpaqueHere(&s[0])))"},
		{"O14 asked", "x.do(g(), nil)", "Opaque(&s[2]); x.do(After(After(g(), OpaqueHere(&s[1])), R(&x.do, &s[0])), nil)"},
		{"O14 header", "if h(); os.Getenv(`x`) > `` {}", "Opaque(&s[1]); if After(h(), OpaqueHere(&s[0])); os.Getenv(`x`) > `` {}"},
		{"O14 no result", "switch no(); os.Getenv(`x`) {}", "Opaque(&s[1]); switch func() { no(); OpaqueHere(&s[0]) }(); os.Getenv(`x`) {}"},
		{"O14 moved", "x.a[g()] = len(os.Getenv(name(1)))", "Opaque(&s[5]); { t1 := After(g(), OpaqueHere(&s[0])); x.a[t1] = After(len(os.Getenv(After(name(1), OpaqueHere(&s[4])))), W(&(*R(&x.a, &s[1]))[t1], &s[2])) }; OpaqueHere(&s[6])"},
		{"O14 and", "os.Setenv(env2(res > 0 && yes(g())))", "Opaque(&s[3]); os.Setenv(Two(env2(res > 0 && After(yes(After(g(), OpaqueHere(&s[0]))), OpaqueHere(&s[1])))).After(OpaqueHere(&s[2])))"},
		{"O14 inner", "os.Getenv(name(len(os.Getenv(`x`))))", "Opaque(&s[2]); os.Getenv(After(name(len(After(os.Getenv(`x`), OpaqueHere(&s[0])))), OpaqueHere(&s[1])))"},
		{"O14 pool", "os.Getenv(pool.Get().(string))", "Opaque(&s[1]); os.Getenv(After(pool.Get(), OpaqueHere(&s[0])).(string))"},
		{"O13 range", "var seq func(func(int) bool); seq = it; for range seq {}", "var seq func(func(int) bool); seq = it; for range CalleeNoted(seq, &s[0]) { Answered(&s[0]);}; Answered(&s[0])"},
		{"O6 asked", "defer later()", "defer CalleeNoted((*R(&later, &s[1])), &s[0])(); defer Answered(&s[0])"},
		{"O6 argument", "defer x.do(1, nil)", "defer (*R(&x.do, &s[0]))(1, nil); defer Opaque(&s[1])"},
		{"O6 method", "var w interface{ Write([]byte) (int, error) }; defer w.Write(nil)", "var w interface{ Write([]byte) (int, error) }; defer ReceiverNoted(w, &s[0]).Write(nil); defer Answered(&s[0])"},
		{"O6 literal", "defer func() { x.f = 1 }()", "defer func() { *W(&x.f, &s[0]) = 1 }()"},
		{"O6 result", "defer made(nil).w.Write(nil)", "defer ReceiverNoted((*R(&made(nil).w, &s[1])), &s[0]).Write(nil); defer Answered(&s[0])"},
		{"untouched", "a, b := g(), x; c := b; _, _ = a, c", "a, b := g(), x; c := b; _, _ = a, c"},
		{"untouched const", "const n = len([3]int{}); var a [n]int; _ = a[1]", "const n = len([3]int{}); var a [n]int; _ = a[1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := head + c.stmt + "\nreturn }\n"
			plan := decide(t, src, nil)
			require.Empty(t, plan.Misses)
			got := edit.Apply([]byte(src), 0, plan.Edits)
			got = strings.TrimSuffix(strings.TrimPrefix(got, head), "\nreturn }\n")
			got = abbreviated(got)
			require.Equal(t, c.want, got)
			for _, e := range plan.Edits {
				require.NotEmpty(t, e.Rule, "%q", e.Text)
			}
		})
	}
}

// TestMisses checks that what is not recorded is said.
func TestMisses(t *testing.T) {
	const head = `package p
type T struct { f int; p *T; a []int }
func two() (int, bool) { return 0, true }
func g() *T { return nil }
`
	for _, c := range []struct {
		decl string
		want Reason
	}{
		{"//go:nosplit\nfunc f(x *T) { x.f = 1 }", WhyNoSplit},
		{"func f(x *T) { L: for ; x.f > 0; x.f, _ = two() { goto L } }", WhyHeader},
		{"func f[S ~[]int | ~[4]int](s S) int { return s[0] }", WhyTypeParam},
		{"func f(x *T) { x.a = append(g().a, nil...) }", WhyAppendOverlap},
		{"func f(m map[int]*T) { goto l; l: for _, m[g().f] = range []*T{} { goto l } }", WhyHeader},
		{"func f() (res int) { h := func() { res++ }; go h(); { res := 1; return res } }", WhyShadowed},
		{"func f(x, y *T) (b bool) { goto L; L: b = g().p.f > g().f; return }", WhyPanicOrder},
	} {
		t.Run(c.decl, func(t *testing.T) {
			plan := decide(t, head+c.decl+"\n", nil)
			var whys []Reason
			for _, m := range plan.Misses {
				whys = append(whys, m.Why)
			}
			require.Contains(t, whys, c.want)
			if c.want != WhyNoSplit { // its callers announce it
				announced := func(s Site) bool { return s.Op == site.OpOpaque }
				require.True(t, slices.ContainsFunc(plan.Sites, announced), "not announced")
			}
		})
	}
}

// abbreviated is rewritten code as tests show it.
func abbreviated(code string) string {
	return strings.NewReplacer("racepred_runtime.Racepred", "", "racepred_", "", "&sites[", "&s[").Replace(code)
}

// TestAnnounced shows where accesses that are not recorded are announced. (instrument/O10)
func TestAnnounced(t *testing.T) {
	const head = "package p\ntype T struct { f int; m map[int]int; a []int }\nfunc two() (int, int) { return 0, 0 }\nfunc g() int { return 0 }\nfunc f(x *T) {\n"
	for stmt, want := range map[string]string{
		"L: for ; g() > 0; x.f, _ = two() { goto L }": "L: for ; OpaqueT(&s[1]) && (g() > 0); x.f, _ = Two(two()).After(OpaqueHere(&s[0])) { goto L }",
		"L: for ; ; x.f, _ = two() { goto L }":        "L: for ; ; x.f, _ = Two(two()).After(OpaqueHere(&s[0])) { Opaque(&s[1]); goto L }",
		"for x.a[g()] = range 3 {}":                   "Opaque(&s[1]); for x.a[g()] = range 3 { Opaque(&s[0]);}",
		"select { case x.a[g()] = <-c: default: }":    "Opaque(&s[2]); select { case x.a[g()] = <-c: Opaque(&s[1]); default: }",
	} {
		t.Run(stmt, func(t *testing.T) {
			src := head + "var c chan int; _ = c\n" + stmt + "\n}\n"
			plan := decide(t, src, nil)
			require.Len(t, plan.Misses, 1)
			got := strings.Split(edit.Apply([]byte(src), 0, plan.Edits), "\n")[6]
			got = abbreviated(got)
			require.Equal(t, want, got)
		})
	}
}
