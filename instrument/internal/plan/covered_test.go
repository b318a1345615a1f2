package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument/internal/edit"
	"github.com/racepred/racepred/instrument/internal/local"
)

// TestCovered checks which repeats are left out: "r x.f" is recorded, everything else is not.
func TestCovered(t *testing.T) {
	const head = `package p
import "strings"
type T struct { f, g int; p *T; a []int; arr [4]int; m map[int]int; ch chan int; s string; E; *F }
type E struct { z int }
type F struct { y int }
var v int
func call() int { return <-make(chan int) }
func quiet(x *T) int { if x != nil { return x.g + quiet(nil) }; return len(strings.Repeat("x", 2)) }
func (x *T) set(n int) { x.f = n; func() { x.g = n }(); defer quiet(x) }
func calls() int { return quiet(nil) + call() }
func later() func() { return func() { call() } }
func dynamic(f func()) { f() }
func use(...any)
func f(x, y *T, s []int, i, n int, cond bool) {
`
	for _, c := range []struct{ name, body, want string }{
		// (C1)
		{"read read", "_ = x.f; _ = x.f; _ = x.f + x.f", "r x.f"},
		{"write read", "x.f = 1; _ = x.f", "w x.f"},
		{"write write", "x.f = 1; x.f = 2", "w x.f"},
		{"read write", "_ = x.f; x.f = 2; x.f = 3", "r x.f, w x.f"},
		{"update", "x.f++; x.f += 2; _ = x.f; x.f = 1; x.f--", "r x.f, w x.f, r x.f, w x.f"},
		{"update of another kind", "x.f++; x.f |= 2; x.f -= 2; x.f |= 1; x.s += x.s", "r x.f, w x.f, r x.f, w x.f, r x.s, r x.s, w x.s"},
		{"update of something read", "_ = x.f; x.f++; _ = x.f; x.s += x.s", "r x.f, r x.f, w x.f, r x.s, r x.s, w x.s"},
		{"global", "v = 1; v++; _ = v", "w v"},
		{"other field", "_ = x.f; _ = x.g; _ = y.f", "r x.f, r x.g, r y.f"},
		{"part of an array", "_ = x.arr[1]; _ = x.arr[2]; _ = x.arr[1]; _ = x.arr[i]; _ = x.arr[i]", "r x.arr[1], r x.arr[2], r x.arr[i]"},
		{"elements", "_ = s[0]; _ = s[i]; _ = s[0] + s[i]; s[i] = s[i]", "r s[0], r s[i], w s[i]"},
		{"swap", "x.a[0], x.a[1] = x.a[1], x.a[0]", "r x.a, r x.a[0], r x.a[1], w x.a[0], w x.a[1]"},
		{"embedded", "_ = x.z; _ = x.E.z; _ = x.z", "r x.z, r x.E.z"},
		{"embedded pointer", "_ = x.y; _ = x.y", "r x.F, r x.y, r x.F, r x.y"},
		{"loaded pointer", "_ = x.p.f; _ = x.p.f", "r x.p, r x.p.f, r x.p.f"},
		{"dereference", "_ = *x; _ = *x; x = y; _ = *x", "r *x, r *x"},
		{"assigned pointer", "_ = x.f; x = y; _ = x.f", "r x.f, r x.f"},
		{"assigned index", "_ = s[i]; i++; _ = s[i]; i = 2; _ = s[i]", "r s[i], r s[i], r s[i]"},
		{"assigned with it", "s[i], i = 1, 2; s[i] = 1", "w s[i], w s[i]"},
		{"assigned slice", "_ = s[0]; s = append(s, 1); _ = s[0]", "r s[0], w s[len:], r s[0]"},
		{"captured pointer", "g := func() { x = y }; _ = x.f; g(); _ = x.f; _ = x.f", "r x.f, r x.f, r x.f"},
		{"call", "_ = x.f; call(); _ = x.f", "r x.f, r x.f"},
		{"call that keeps the span", "_ = x.f; quiet(x); _ = x.f + quiet(y); x.set(1); _ = x.f", "r x.f"},
		{"call of the library", "_ = x.f; _ = strings.ToUpper(x.s); _ = x.f; _ = strings.Map(nil, x.s); _ = x.f", "r x.f, r x.s, r x.s, r x.f"},
		{"call that calls", "_ = x.f; calls(); _ = x.f; later(); _ = x.f; dynamic(nil); _ = x.f", "r x.f, r x.f, r x.f, r x.f"},
		{"call in the statement", "_ = x.f; _ = x.f + call(); _ = x.f", "r x.f, r x.f, r x.f"},
		{"call in a literal that runs later", "_ = x.f; g := func() { call() }; _ = x.f; g()", "r x.f"},
		{"literal", "_ = x.f; func() { _ = x.f }()", "r x.f, r x.f"},
		{"send", "_ = x.f; x.ch <- 1; _ = x.f", "r x.f, r x.ch, r x.f"},
		{"receive", "_ = x.f; <-x.ch; _ = x.f", "r x.f, r x.ch, r x.f"},
		{"close", "_ = x.f; close(x.ch); _ = x.f", "r x.f, r x.ch, r x.f"},
		{"len of a channel", "_ = x.f; _ = len(x.ch); _ = x.f", "r x.f, r x.ch, r x.f"},
		{"len of a map", "_ = x.f; _ = len(x.m) + x.m[1] + cap(x.ch); _ = x.f", "r x.f, r x.m, r len(x.m), r x.ch"},
		{"go", "_ = x.f; go call(); _ = x.f", "r x.f, r x.f"},
		{"defer", "_ = x.f; defer call(); _ = x.f", "r x.f, r x.f"},
		{"select", "_ = x.f; select { case <-x.ch: _ = x.f; _ = x.f; default: _ = x.f }; _ = x.f", "r x.f, r x.ch, r x.f, r x.f, r x.f"},
		// (C2)
		{"branch", "if cond { _ = x.f } else { _ = x.f; _ = x.f }; _ = x.f", "r x.f, r x.f, r x.f"},
		{"before a branch", "_ = x.f; if cond { _ = x.f } else { _ = x.f }; _ = x.f", "r x.f"},
		{"condition", "if x.f > 0 { _ = x.f } else if x.f < 0 { _ = x.f }", "r x.f"},
		{"ended in a branch", "_ = x.f; if cond { call() }; _ = x.f", "r x.f, r x.f"},
		{"ended in an else", "_ = x.f; if cond { } else if call() > 0 { }; _ = x.f", "r x.f, r x.f"},
		{"branch that returns", "_ = x.f; if cond { call(); return }; _ = x.f; if cond { call(); panic(1) }; _ = x.f", "r x.f"},
		{"branch that breaks", "for { _ = x.f; switch { case cond: if i > 0 { call(); if i > 1 { break }; return } }; _ = x.f }", "r x.f, r x.f"},
		{"and", "_ = cond && x.f > 0 && x.f < 1; _ = x.f", "r x.f, r x.f, r x.f"},
		{"or", "_ = x.f > 0 || x.f < 1; _ = x.f", "r x.f"},
		{"switch", "switch x.f { case x.g: _ = x.g; case 2: _ = x.g; default: _ = x.f }; _ = x.g", "r x.f, r x.g, r x.g, r x.g, r x.g"},
		{"case that ends it", "_ = x.f; switch { case call() > 0: case cond: _ = x.f }; _ = x.f", "r x.f, r x.f, r x.f"},
		{"default before a case that ends it", "_ = x.f; switch { default: _ = x.f; case call() > 0: }", "r x.f, r x.f"},
		{"loop", "_ = x.f; for ; i < n; i++ { _ = x.f; _ = s[i] }; _ = x.f", "r x.f, r s[i]"},
		{"body", "for ; i < n; i++ { _ = x.f; _ = x.f }; _ = x.f", "r x.f, r x.f"},
		{"loop that calls", "_ = x.f; for ; i < n; i++ { _ = x.f; call() }; _ = x.f", "r x.f, r x.f, r x.f"},
		{"loop that moves", "_ = x.f; for x != nil { _ = x.f; x = y }; _ = x.f", "r x.f, r x.f, r x.f"},
		{"element of a turn", "for i := range n { _ = s[i]; _ = s[i] }", "r s[i]"},
		{"range", "_ = x.f; for _, e := range s { _ = e; _ = x.f }", "r x.f, r s[i]"},
		{"range over a channel", "_ = x.f; for range x.ch { _ = x.f }", "r x.f, r x.ch, r x.f"},
		{"range over a function", "_ = x.f; for range (func(func() bool) {}) { _ = x.f }", "r x.f, r x.f"},
		{"label of goto", "_ = x.f; again: _ = x.f; if cond { call(); goto again }", "r x.f, r x.f"},
		{"labelled block", "out: switch { default: if cond { break out }; _ = x.f }; _ = x.f", "r x.f, r x.f"},
		// (C3)
		{"condition of a loop", "for i := 0; i < len(x.a); i++ { _ = x.a[i] }", "r x.a, r x.a[i]"},
		{"variable of the loop", "var fs []func(); for i := 0; i < n; i++ { fs = append(fs, func() { i++ }) }; use(fs)", "r i, r i, w i, w fs[len:], r i, w i, r i"},
		{"condition that changes", "for x.f < n { x = y }", "r x.f"},
		{"condition of a loop that calls", "for i := 0; i < len(x.a); i++ { call() }; _ = x.a", "r x.a, r x.a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := head + c.body + "\n}\n"
			plan := decide(t, src, func(s *Source) { s.Whole.escapes = local.FindEscapes(s.Info, s.File) })
			plan.Sites = of(plan, "f")
			require.Equal(t, c.want, recorded(plan))
			all := decide(t, src, func(s *Source) { s.All = true })
			require.Empty(t, all.Covered)
			plan.Covered = slices.DeleteFunc(plan.Covered, func(c Covered) bool { return c.Line < strings.Count(head, "\n") })
			for _, c := range plan.Covered {
				require.Contains(t, all.Sites, siteAt(all, c.Line, c.Col, c.Op), "a covered access that is none")
				require.Contains(t, plan.Sites, siteAt(plan, c.ByLine, c.ByCol, c.ByOp), "covered by what is not recorded")
			}
		})
	}
}

// of are the sites of one function.
func of(p *Plan, fn string) (sites []Site) {
	for _, s := range p.Sites {
		if s.Func == fn {
			sites = append(sites, s)
		}
	}
	return sites
}

func siteAt(p *Plan, line, col int, op Op) Site {
	for _, s := range p.Sites {
		if s.Line == line && s.Col == col && s.Op == op {
			return s
		}
	}
	return Site{Line: line, Col: col, Op: op}
}

// TestLoopCondition shows the edit of rule C3.
func TestLoopCondition(t *testing.T) {
	const head = "package p\ntype T struct { a []int; f int }\nfunc f(x *T, n int) {\n"
	for body, want := range map[string]string{
		"for i := 0; i < len(x.a); i++ { }":        "R(&x.a, &s[0]); for i := 0; i < len(x.a); i++ { }",
		"l: for x.f > 0 && x.a[0] > 0 { break l }": "{ t1 := false; R(&x.f, &s[0]); l: for x.f > 0 && (*R(&(*OnceR(&x.a, &s[1], &t1))[0], &s[2])) > 0 { break l } }",
		"if n > 0 { goto l }; l: for x.f > 0 { }":  "if n > 0 { goto l }; l: for (*R(&x.f, &s[0])) > 0 { }",
		"for i := n; i <\n x.f; i++ { }":           "{ t1 := false; for i := n; i <\n (*OnceR(&x.f, &s[0], &t1)); i++ { } }",
		"for x := x; x.f > 0; { }":                 "for x := x; (*R(&x.f, &s[0])) > 0; { }",
		"for i := x.f; i < x.f; i++ { }":           "for i := (*R(&x.f, &s[0])); i < x.f; i++ { }",
		"for ; n < x.f; { func() { x.f++ }() }":    "for ; n < (*R(&x.f, &s[0])); { func() { *Modify(&x.f, 1, &s[1], &s[2])++ }() }",
	} {
		src := head + body + "\n}\n"
		got := edit.Apply([]byte(src), 0, decide(t, src, nil).Edits)
		got = strings.TrimSuffix(strings.TrimPrefix(got, head), "\n}\n")
		got = abbreviated(got)
		assert.Equal(t, want, got)
	}
}

// TestTurns shows the edits of rule C4: a flag for each access, declared at the outermost loop that
// may have it.
func TestTurns(t *testing.T) {
	const head = "package p\ntype T struct { a []int; f, g int; p *T }\nfunc f(x *T, s []int, n int) {\n"
	const tail = "\n}\nfunc call() int { return <-make(chan int) }\nfunc two() (int, int) { return 1, 2 }\n"
	for body, want := range map[string]string{
		"for range n { x.f = n }":                                                          "{ t1 := false; for range n { *OnceW(&x.f, &s[0], &t1) = n } }",
		"for range n { x.f++ }":                                                            "{ t1 := false; for range n { *OnceModify(&x.f, 1, &s[0], &s[1], &t1)++ } }",
		"for range n { x.f = x.g + n }":                                                    "{ t1, t2 := false, false; for range n { x.f = After((*OnceR(&x.g, &s[0], &t1)) + n, OnceW(&x.f, &s[1], &t2)) } }",
		"for range n { n += x.p.f }":                                                       "{ t1 := false; for range n { n += (*R(&(*OnceR(&x.p, &s[0], &t1)).f, &s[1])) } }",
		"for i := range n { for range i { x.f = i } }":                                     "{ t1 := false; for i := range n { for range i { *OnceW(&x.f, &s[0], &t1) = i } } }",
		"for i := range n { for range i { s[i] = 1 } }":                                    "for i := range n { { t1 := false; for range i { *OnceW(&s[i], &s[0], &t1) = 1 } } }",
		"for range n { for range n { x.f = 1 }; call() }":                                  "for range n { { t1 := false; for range n { *OnceW(&x.f, &s[0], &t1) = 1 } }; call() }",
		"for _, s := range x.a { x.f = s }":                                                "{ t3 := false; { t1 := (*R(&x.a, &s[0])); for t2, s := range t1 { R(&t1[t2], &s[1]); *OnceW(&x.f, &s[2], &t3) = s } } }",
		"l:\n for _, s := range x.a { x.f = s; continue l }":                               "{ t3 := false; \n { t1 := (*R(&x.a, &s[0])); l: for t2, s := range t1 { R(&t1[t2], &s[1]); *OnceW(&x.f, &s[2], &t3) = s; continue l } } }",
		"for x.f, n = range s { }":                                                         "Opaque(&s[2]); { t1 := false; for x.f, n = range s { Opaque(&s[0]); OnceW(&x.f, &s[1], &t1); } }",
		"for n > 0 && x.f > 0 { }":                                                         "{ t1 := false; for n > 0 && (*OnceR(&x.f, &s[0], &t1)) > 0 { } }",
		"l: for range n { x.f = 1; if n > 1 { goto l } }":                                  "l: for range n { *W(&x.f, &s[0]) = 1; if n > 1 { goto l } }",
		"for range n { if n > 1 { panic(call()) }; x.f = 1; if n > 2 { call(); return } }": "{ t1 := false; for range n { if n > 1 { panic(call()) }; *OnceW(&x.f, &s[0], &t1) = 1; if n > 2 { call(); return } } }",
		"for range n { x.f = 1; if n > 1 { call(); if n > 2 { break }; return } }":         "for range n { *W(&x.f, &s[0]) = 1; if n > 1 { call(); if n > 2 { break }; return } }",
		"for range n { x.f = 1; switch { case n > 1: call(); return } }":                   "{ t1 := false; for range n { *OnceW(&x.f, &s[0], &t1) = 1; switch { case n > 1: call(); return } } }",
		"for range n { x.f = 1; switch { case call() > 1: return } }":                      "for range n { *W(&x.f, &s[0]) = 1; switch { case call() > 1: return } }",
		"for range n { if x.f = 1; n > 1 { n++ } }":                                        "{ t1 := false; for range n { if *OnceW(&x.f, &s[0], &t1) = 1; n > 1 { n++ } } }",
		"for range n { switch x.f, n = two(); n { } }":                                     "{ t3 := false; for range n { { { t1, t2 := two(); x.f, n = t1, After(t2, OnceW(&x.f, &s[0], &t3)) }; switch ; n { } } } }",
		"for range n { func() { for range n { x.f = 1 } }() }":                             "for range n { func() { { t1 := false; for range n { *OnceW(&x.f, &s[0], &t1) = 1 } } }() }",
	} {
		src := head + body + tail
		got := edit.Apply([]byte(src), 0, decide(t, src, func(s *Source) { s.Whole.escapes = local.FindEscapes(s.Info, s.File) }).Edits)
		got = strings.TrimPrefix(got, head)
		got = got[:strings.Index(got, "\n}\nfunc call")]
		got = abbreviated(got)
		assert.Equal(t, want, got)
		for _, e := range decide(t, src, func(s *Source) { s.All = true }).Edits {
			require.NotEqual(t, RuleOnce, e.Rule)
		}
	}
}
