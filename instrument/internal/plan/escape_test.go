package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument/internal/local"
	"github.com/racepred/racepred/instrument/internal/site"
)

// recorded lists the reads and writes that a plan records, "r expr" and "w expr".
func recorded(plan *Plan) string {
	var got []string
	for _, s := range plan.Sites {
		switch s.Op {
		case site.OpRead:
			got = append(got, "r "+s.Expr)
		case site.OpWrite:
			got = append(got, "w "+s.Expr)
		}
	}
	return strings.Join(got, ", ")
}

// TestLocal checks what counts as local to a goroutine.
func TestLocal(t *testing.T) {
	const head = `package p
import ("encoding/binary"; "fmt"; "slices"; "sort"; "strconv"; "strings"; "sync")
type T struct { x int; p *T; a []int; arr [4]int; in struct{ y int }; E }
type E struct { z int }
type I interface { M() }
type L []int
func (t *T) M() {}
func (t *T) set(v int) { _ = v }
func (t *T) keep() { global = t }
func (t T) val() int { return 0 }
func (e *E) inner() {}
func (l *L) push(v int) { _ = v }
func use(p *T, s []int, f func()) { f() }
func keeps(p *T) { global = p }
func passes(p *T) { keeps(p) }
func starts(f func()) { go f() }
func walks(p *T) { for p != nil { p = p.p } }
func same(p *T) *T { return p }
func asm(p *T)
func vary(ps ...*T) {}
func opens(p *T) { func() { global = p }() }
func gen[X any](p *T, x X) {}
func genKeeps[X any](p *T, x X) { any(p).(I).M() }
var global *T
var ch chan *T
var _ = []any{fmt.Sprint, slices.Sort[[]int], sort.Ints, strconv.Itoa, strings.ToUpper, sync.NewCond, binary.LittleEndian}
func upTo(n int) func(func(int) bool) { return func(y func(int) bool) { for i := range n { if !y(i) { return } } } }
func abroad(n int) func(func(int) bool) { return func(y func(int) bool) { go y(n) } }
func three(y func(int) bool) { _ = y(1) && passed(y) }
func passed(y func(int) bool) bool { return y(2) }
func two(y func(int) bool) { go y(1); kept = y }
func either(n int) func(func(int) bool) { if n > 0 { return two }; return func(y func(int) bool) { } }
var kept func(int) bool
func f(arg *T, n int) {
`
	for _, c := range []struct{ name, body, want string }{
		// (L1)
		{"new struct", "p := &T{}; p.x = 1; _ = p.x; *p = T{}; p.in.y++; p.z = 2; p.arr[n] = 1", ""},
		{"new", "p := new(T); p.x = 1; q := p; q.x = 2; var r *T; r = q; r.x++", ""},
		{"slice", "s := make([]int, n); s[0] = 1; s = append(s, 1, s[0]); for _, v := range s { _ = v }; t := s[1:]; t[0]++; copy(s, t); clear(s)", ""},
		{"bytes", "b := []byte(`x`); b[0] = 1; _ = string(b)", ""},
		{"parts are the object", "p := &T{}; q := &p.x; *q = 1; e := &p.E; e.z = 1; s := p.arr[:]; s[0] = 1", ""},
		{"what it points to is not", "p := &T{p: arg}; p.p.x = 1; p.a[0] = 1", "w p.p.x, w p.a[0]"},
		{"argument", "arg.x = 1; p := arg; p.x = 2", "w arg.x, w p.x"},
		{"maybe another", "p := &T{}; if n > 0 { p = arg }; p.x = 1", "w p.x"},
		{"maybe loaded", "p := &T{}; for p != nil { p.x = 1; p = p.p }", "w p.x, r p.p"},
		{"stored", "p := &T{}; global = p; p.x = 1", "w global, w p.x"},
		{"stored later", "p := &T{}; p.x = 1; q := p; arg.p = q", "w p.x, w arg.p"},
		{"in a new object", "p := &T{}; q := &T{p: p}; p.x = 1; q.x = 1", "w p.x"},
		{"in a slice", "p := &T{}; s := []*T{p}; p.x = 1; s[0].x = 1", "w p.x, w s[0].x"},
		{"appended", "p := &T{}; var s []*T; s = append(s, p); p.x = 1", "w p.x"},
		{"in a map", "p := &T{}; m := map[int]*T{}; m[1] = p; p.x = 1", "w p.x"},
		{"key of a map", "p := &T{}; m := map[*T]int{}; m[p] = 1; p.x = 1", "w p.x"},
		{"sent", "p := &T{}; ch <- p; p.x = 1", "r ch, w p.x"},
		{"selected", "p := &T{}; select { case ch <- p: default: }; p.x = 1", "r ch, w p.x"},
		{"interface", "p := &T{}; var i I = p; _ = i; p.x = 1", "w p.x"},
		{"interface by conversion", "p := &T{}; _ = I(p); p.x = 1", "w p.x"},
		{"panic", "p := &T{}; p.x = 1; panic(p)", "w p.x"},
		{"go argument", "p := &T{}; go keeps(p); p.x = 1", "w p.x"},
		{"go method", "p := &T{}; go p.set(1); p.x = 1", "w p.x"},
		{"go value", "p := &T{}; go p.val(); p.x = 1", "r *p, w p.x"},
		{"deferred", "p := &T{}; defer p.set(1); p.x = 1", ""},
		{"received", "p := <-ch; p.x = 1", "r ch, w p.x"},
		{"several", "p, q := &T{}, arg; p.x, q.x = 1, 2", "w q.x"},
		{"tuple", "i := any(n); p, _ := i.(*T); p.x = 1", "w p.x"},
		{"type switch", "i := any(arg); switch p := i.(type) { case *T: p.x = 1 }", "w p.x"},
		{"compared", "p := &T{}; if p == arg || p != nil { p.x = 1 }", ""},
		// (L2)
		{"address", "var v T; p := &v; p.x = 1; v.x = 2; v.in.y = 3", ""},
		{"address kept", "var v T; p := &v; arg.p = p; p.x = 1; v.x = 2", "w arg.p, w p.x, w v.x"},
		{"array", "var v [4]int; s := v[:]; s[0] = 1; v[1] = 2", ""},
		{"pointer method", "var v T; v.set(1); v.x = 1; v.inner(); v.keep()", "w v.x"},
		{"pointer method only used", "var v T; v.set(1); v.x = 1; v.inner()", ""},
		{"method value", "var v T; f := v.set; f(1); v.x = 1", "w v.x"},
		{"pointer to pointer", "p := &T{}; pp := &p; *pp = arg; p.x = 1", "w p.x"},
		{"slice with methods", "var l L; l.push(1); l[0] = 1", "w l[0]"},
		// (L3)
		{"used", "p, s := &T{}, make([]int, 1); use(p, s, func() { p.x = 1 }); p.x = 2; s[0] = 1", ""},
		{"kept", "p := &T{}; keeps(p); p.x = 1", "w p.x"},
		{"passed on", "p := &T{}; passes(p); p.x = 1", "w p.x"},
		{"kept in a literal", "p := &T{}; opens(p); p.x = 1", "w p.x"},
		{"walked", "p := &T{}; walks(p); p.x = 1", ""},
		{"returned", "p := &T{}; q := same(p); q.x = 2; p.x = 1", "w q.x, w p.x"},
		{"no body", "p := &T{}; asm(p); p.x = 1", "w p.x"},
		{"variadic", "p := &T{}; vary(p); p.x = 1", "w p.x"},
		{"variadic slice", "s := []*T{nil}; vary(s...); s[0] = nil", ""},
		{"generic", "p := &T{}; gen(p, 1); gen[int](p, 1); p.x = 1", ""},
		{"generic kept", "p := &T{}; genKeeps(p, 1); p.x = 1", "w p.x"},
		{"method expression", "p := &T{}; (*T).keep(p); p.x = 1", "w p.x"},
		{"func value", "g := keeps; p := &T{}; g(p); p.x = 1", "w p.x"},
		{"unknown", "p := &T{}; fmt.Println(p); p.x = 1", "w p.x"},
		{"sorted", "s := make([]int, n); sort.Ints(s); sort.Slice(s, func(i, j int) bool { return s[i] < s[j] }); s[0] = 1; slices.Sort(s)", ""},
		{"library append", "b := make([]byte, 0, 9); b = strconv.AppendInt(b, 1, 10); b[0] = 1; binary.LittleEndian.PutUint16(b, 1)", "r binary.LittleEndian"},
		// (L4)
		{"literal", "v := 0; inc := func() { v++ }; inc(); v = 2", ""},
		{"literal passed", "v := 0; use(nil, nil, func() { v++ }); v = 2", ""},
		{"literal deferred", "v := 0; g := func() { v++ }; defer g(); v = 2", ""},
		{"literal for the library", "v := 0; sort.Slice(nil, func(i, j int) bool { v++; return false }); v = 2", ""},
		{"once", "v := 0; var o sync.Once; o.Do(func() { v++ }); v = 2", ""},
		{"literal started", "v := 0; starts(func() { v++ }); v = 2", "r v, w v, w v"},
		{"literal of go", "v := 0; go func() { v++ }(); v = 2", "r v, w v, w v"},
		{"literal stored", "v := 0; g := func() { v++ }; h := []func(){g}; h[0](); v = 2", "r v, w v, w v"},
		{"literal in a literal", "v := 0; g := func() { v++ }; go func() { g() }(); v = 2", "r v, w v, w v"},
		{"object in a literal", "p := &T{}; go func() { p.x = 1 }(); p.x = 2", "w p.x, w p.x"},
		{"object in a local literal", "p := &T{}; g := func() { p.x = 1 }; g(); p.x = 2", ""},
		{"recursive literal", "v := 0; var g func(); g = func() { v++; if v < n { g() } }; g()", ""},
		{"literal returned", "v := 0; mk := func() func() { return func() { v++ } }; mk(); v = 2", "r v, w v, w v"},
		{"loop over a function", "p := &T{}; for range (func(yield func() bool) { yield() }) { p.x = 1 }", ""},
		{"loop over a function that starts it", "p := &T{}; for range (func(yield func() bool) { go yield() }) { p.x = 1 }", "w p.x"},
		{"loop that adds", "v := 0; for i := range upTo(3) { v += i }", ""},
		{"loop that adds in several goroutines", "v := 0; for i := range abroad(3) { v += i }", "r v, w v"},
		{"its own variable", "for i := range abroad(3) { i++; v := i; v++; for range three { v++ } }", ""},
		{"loop over a declared function", "v := 0; for i := range three { v += i }", ""},
		{"loop over a declared function that starts it", "v := 0; for i := range two { v += i }", "r v, w v"},
		{"loop over one of several functions", "v := 0; for i := range either(3) { v += i }", "r v, w v"},
		{"loop over a variable", "v := 0; g := three; for i := range g { v += i }", "r v, w v"},
		{"loop over elements", "v := 0; for i := range slices.Values([]int{1}) { v += i }", ""},
		{"loop that assigns", "v := 0; for v = range abroad(3) { }; _ = v", "w v, r v"},
		{"loop in a loop", "v := 0; for range abroad(3) { for range three { v++ } }", "r v, w v"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := head + c.body + "\n}\n"
			plan := decide(t, src, func(s *Source) { s.Whole.escapes = local.FindEscapes(s.Info, s.File) })
			var own Plan
			for _, s := range plan.Sites {
				if s.Func == "f" {
					own.Sites = append(own.Sites, s)
				}
			}
			require.Equal(t, c.want, recorded(&own))
		})
	}
}
