package instrument_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// panicPrelude is what the functions of panicProgram work on. Each runs in all of the states that
// run makes: of what a statement could fail on, any part may be bad.
const panicPrelude = `package main

import (
	"fmt"
	"runtime"
	"strings"
)

type S struct {
	a, k  int
	ok    bool
	p     *S
	ptr   *int
	items []int
	elems []S1
	arr   [4]int
	aptr  *[4]int
	str   string
	m     map[int]int
	mi    map[any]int
	any   any
	fn    func(...int) int
	adder adder
	bigs  [][600]int
	*E
	big [600]int
}

type S1 struct{ x, y int }
type E struct{ z int }
type U uint8
type B bool
func items2(yield func() bool) { if yield() { yield() } }
type L struct { f func() int; n int }
//go:noinline
func (e E) put(f string, xs ...any) { note(fmt.Sprintf(f, xs...)) }
//go:noinline
func (s *S) put(f string, xs ...any) { note(fmt.Sprintf(f, xs...)) }
//go:noinline
func (s S) putVal(f string, xs ...any) { note(fmt.Sprintf(f, s.a, xs)) }
//go:noinline
func (l *L) run(x int) int { note("run"); return l.f() + l.n + x }
type adder interface{ add(...int) int }

//go:noinline
func (s *S) add(xs ...int) int { note("add"); return sum(xs...) }
//go:noinline
func (s S) val(xs ...int) int { note("val"); return s.a + sum(xs...) }

var (
	gp  *S
	gs  []int
	g   int
	log strings.Builder

	left int
	keep func() int // no literal is inlined: that changes what the compiler takes for memory
)

func note(what string) { if log.Len() < 200 { log.WriteString(what) } }

//go:noinline
func str2(x int) (string, any) { note("str2"); gp.p = gp.p.p; return "%v", x }
//go:noinline
func sum(xs ...int) int { note("sum"); n := 0; for _, x := range xs { n += x }; return n }
//go:noinline
func f1(x int) int { note("f1"); g++; gp.a++; gp.k = gp.k &^ 1; return x & 1 }
//go:noinline
func f2(x int) int { note("f2"); gp.p, gp.items = nil, nil; return x & 1 }
//go:noinline
func two(x, y int) (int, int) { note("two"); return y, x }
//go:noinline
func two2(x, y int) (int, int) { note("two2"); gp.p = &S{}; return y, x }
//go:noinline
func three(x, y int) (int, int, int) { note("three"); gp.k++; return y, x, 1 }
//go:noinline
func isOK(x, y int) (int, bool) { note("isOK"); return y, x > y }
//go:noinline
func call(f func() int) int { note("call"); return f() }
//go:noinline
func b2i(b bool) int { if b { return 1 }; return 0 }
func full(bad int) *S {
	n := 3
	s := &S{a: 1, k: 1, ok: true, ptr: &n, items: []int{3, 2, 1, 0}, elems: []S1{{1, 2}, {3, 4}, {5, 6}}, arr: [4]int{1, 2, 3, 1}, aptr: &[4]int{1, 1, 2, 2}, str: "abcd",
		m: map[int]int{1: 1}, mi: map[any]int{1: 2}, any: &S{a: 4}, fn: sum, bigs: make([][600]int, 3), E: &E{2}}
	s.adder = s
	if bad&1 != 0 { s.items, s.elems, s.bigs = s.items[:1], s.elems[:1], s.bigs[:1] }
	if bad&2 != 0 { s.any, s.ptr, s.aptr = "x", nil, nil }
	if bad&4 != 0 { s.k = 7 }
	if bad&8 != 0 { s.fn, s.adder, s.m, s.mi, s.E = nil, nil, nil, nil, nil }
	return s
}

func state(s *S) string {
	text := ""
	for ; s != nil && len(text) < 300; s = s.p {
		text += fmt.Sprint(s.a, s.k, s.ok, s.items, s.elems, s.arr, s.str, s.m, len(s.mi), s.big[1], s.z2(), s.any != nil, ";")
	}
	return text + fmt.Sprint(gs, g, log.String())
}

func (s *S) z2() int { if s.E == nil { return -1 }; return s.z }

// line is that of the function under test that panicked. Of nil pointers, one is like another.
func line(e any) int {
	if strings.Contains(fmt.Sprint(e), "nil pointer") { return 0 }
	pcs := make([]uintptr, 30)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "main.t") { return f.Line }
		if !more { return 0 }
	}
}

func run(i int, f func(s, q *S, n, k, z int, e any, str string) int) {
	for bad := range 512 {
		s := full(bad & 15)
		s.p = full(bad >> 1 & 15)
		q := full(bad >> 3 & 15)
		gp, gs, g, left = s, []int{1, 2, 3}, 1, 3
		log.Reset()
		n, k, z, e, str := 1, 1, 1, any(s), "abcd"
		if bad&16 != 0 { q = nil }
		if bad&32 != 0 { n, gs, str = -1, nil, "" }
		if bad&64 != 0 { s.p = nil }
		if bad&128 != 0 { z, k = 0, 6 }
		if bad&256 != 0 { e, s.k = 1, 9 }
		func() {
			defer func() {
				if e := recover(); e != nil {
					fmt.Println(i, bad, "panic", e, line(e), state(s), state(q))
				}
			}()
			fmt.Println(i, bad, f(s, q, n, k, z, e, str), state(s), state(q))
		}()
	}
}
`

// panicGen makes statements that could fail in several ways.
type panicGen struct {
	*rand.Rand
	depth int
	names int
}

func (g *panicGen) pick(of ...func() string) string { return of[g.IntN(len(of))]() }

func (g *panicGen) one(of ...string) string { return of[g.IntN(len(of))] }

// ptr is a pointer to an S, which may be nil.
func (g *panicGen) ptr() string {
	return g.one("s", "q", "s.p", "gp", "q", "q.p", "gp.p", "s.any.(*S)", "e.(*S)", "own")
}

func (g *panicGen) index() string {
	return g.pick(lit("k"), lit("n"), lit("s.k"), lit("q.k"), lit("1"), func() string { return "(" + g.expr() + ")" }, func() string { return "(" + g.expr() + ")&3" })
}

// place is an int that can be assigned.
func (g *panicGen) place() string {
	return g.pick(
		func() string { return g.ptr() + ".a" },
		func() string { return g.ptr() + ".k" },
		func() string { return g.ptr() + ".z" },
		func() string { return "*" + g.ptr() + ".ptr" },
		func() string { return g.ptr() + ".items[" + g.index() + "]" },
		func() string { return g.ptr() + ".items[" + g.index() + "]" },
		func() string { return g.ptr() + ".arr[" + g.index() + "]" },
		func() string { return g.ptr() + ".aptr[" + g.index() + "]" },
		func() string { return g.ptr() + ".elems[" + g.index() + "].y" },
		func() string { return "gs[" + g.index() + "]" },
		func() string { return "loc[" + g.index() + "]" },
		func() string { return "larr[" + g.index() + "]" },
		func() string { return "list[" + g.index() + "].x" },
		lit("g"), lit("v"), lit("h"),
	)
}

func (g *panicGen) lvalue() string {
	if g.IntN(6) == 0 {
		return g.pick(func() string { return g.ptr() + ".m[" + g.index() + "]" }, func() string { return "lm[" + g.index() + "]" }, func() string { return g.ptr() + ".mi[" + g.key() + "]" }, lit("_"))
	}
	return g.place()
}

// key is a map key of an interface type; one that cannot be hashed, too.
func (g *panicGen) key() string {
	return g.pick(func() string { return g.ptr() + ".any" }, lit("any(loc)"), g.expr)
}

func (g *panicGen) expr() string {
	if g.depth <= 0 {
		return g.place()
	}
	g.depth--
	defer func() { g.depth++ }()
	e := func() string { return g.expr() }
	return g.pick(
		g.place, g.place, g.place, g.place, g.place,
		func() string { return e() + g.one(" + ", " +\n\t\t", " * ") + e() },
		func() string { return e() + g.one(" + ", " - ", " * ") + e() },
		func() string { return "(" + e() + ")" + g.one(" / ", " % ") + g.one("z", "q.a", "("+e()+")") },
		func() string { return "z" + g.one(" / ", " % ") + "z" },
		func() string { return e() + g.one(" << ", " >> ") + g.one("n", "("+g.place()+"&3)") },
		func() string { return "int(str[" + g.index() + "])" },
		func() string { return "int(" + g.ptr() + ".str[" + g.index() + "])" },
		func() string { return g.one("e", g.ptr()+".any") + ".(int)" },
		func() string { return "len(" + g.one("loc", g.ptr()+".items", "gs") + "[" + g.index() + ":])" },
		func() string { return "[2]int(" + g.one("loc", g.ptr()+".items", "gs") + ")[" + g.index() + "]" },
		func() string { return "len(" + g.ptr() + ".str + " + g.ptr() + ".str)" },
		func() string {
			f := g.one(".str", ".any", ".ok", ".p", ".arr", ".elems[k]", ".big", ".adder")
			return "b2i(" + g.ptr() + f + g.one(" == ", " != ") + g.ptr() + f + ")"
		},
		func() string { return "b2i(" + g.cond() + ")" },
		func() string { return g.one("f1", "f2") + "(" + e() + ")" },
		func() string { return "f1(" + e() + ")" },
		func() string { return g.one("sum", "max", "min") + "(" + e() + g.one(", ", ",\n\t\t") + e() + ")" },
		func() string {
			return g.ptr() + g.one(".fn", ".adder.add", ".add", ".val") + "(" + e() + ", " + e() + ")"
		},
		func() string { return g.ptr() + ".m[" + g.index() + "]" },
		func() string { return "lm[" + e() + "]" },
		func() string { return g.ptr() + ".mi[" + g.key() + "]" },
		func() string { return "[]int{" + e() + ", " + e() + "}[" + g.index() + "]" },
		func() string { return "(&S1{" + e() + ", " + e() + "}).x" },
		func() string { return "(S1{y: " + e() + ", x: " + e() + "}).x" },
		func() string { return "len(map[int]int{" + e() + ": " + e() + "})" },
		func() string { return "<-feed(" + e() + ")" },
		func() string { return "len(append(" + g.one("loc", g.ptr()+".items", "gs") + ", " + e() + "))" },
		func() string { return "len(make([]int, " + g.index() + "))" },
		func() string { return "len(fmt.Sprint(" + e() + ", " + g.ptr() + ".elems[" + g.index() + "]))" },
		func() string { return g.ptr() + ".bigs[" + g.index() + "][1]" },
		func() string { return "func() int { v++; return " + e() + " }()" },
		func() string { return g.ptr() + g.one(".fn", ".adder.add", ".add", ".val") + "(" + g.several() + ")" },
		func() string { return g.one("sum", g.ptr()+".fn") + "(" + g.several() + ")" },
		func() string { return "len(fmt.Sprint(" + g.several() + "))" },
		func() string { return g.shift(e()) },
		func() string { return "call(func() int { v++; return " + e() + " })" },
		func() string {
			return "(&L{f: func() int { return " + e() + " }, n: " + e() + "}).run(" + e() + ")"
		},
		func() string {
			return "call([]func() int{func() int {\n\t\treturn " + e() + "\n\t}, w}[" + g.index() + "&1])"
		},
	)
}

// several is a call with more results than one.
func (g *panicGen) several() string {
	return g.pick(
		func() string { return g.one("two", "two2", "three") + "(" + g.expr() + ", " + g.expr() + ")" },
		func() string { return "func() (int, int) { return " + g.expr() + ", " + g.expr() + " }()" },
	)
}

// shift is a value in which a constant without a type is shifted.
func (g *panicGen) shift(x string) string {
	n := g.one("n", "q.k", "("+g.place()+"&3)", "s.k")
	return g.one(
		"int(byte("+x+")&byte(1<<"+n+"-1))", "int(uint16("+x+") | 1<<"+n+")", "int(int8("+x+") + int8(2<<"+n+")>>1)",
		"1<<"+n+" + "+x, "b2i(1<<"+n+" == "+x+")", "b2i("+x+" > 1<<"+n+")", "sum(1<<"+n+", "+x+")", "int(U(1<<"+n+") / U("+x+"))",
		"[]int{"+x+", 1<<"+n+"}[1<<(n&1)-1]", "int(1<<"+n+")", "len(fmt.Sprint(1<<"+n+", "+x+"))")
}

func (g *panicGen) cond() string {
	if g.depth > 0 && g.IntN(3) == 0 {
		g.depth--
		defer func() { g.depth++ }()
		return g.pick(func() string { return g.cond() + " && " + g.cond() }, func() string { return "(" + g.cond() + " || " + g.cond() + ")" })
	}
	return g.pick(
		func() string { return g.expr() + g.one(" > ", " == ") + g.expr() },
		func() string { return g.ptr() + ".ok" },
	)
}

func (g *panicGen) stmt() string {
	e, l := g.expr, g.lvalue
	g.names++
	v := fmt.Sprintf("v%d", g.names)
	op := g.one("+=", "-=", "/=", "%=", "<<=", ">>=", "*=", "|=")
	return g.pick(
		func() string { return l() + " = " + e() },
		func() string { return l() + " = " + e() },
		func() string { return l() + " = " + e() },
		func() string { return g.place() + " " + op + " " + e() },
		func() string { return g.place() + " " + op + " " + e() },
		func() string { return g.place() + g.one("++", "--") },
		func() string { return g.ptr() + ".m[" + g.index() + "] " + op + " " + e() },
		func() string { return l() + ", " + l() + " = " + e() + ", " + e() },
		func() string { return l() + ", " + l() + " = " + e() + ", " + e() },
		func() string { return l() + ", " + l() + ", " + l() + " = " + e() + ", " + e() + ", " + e() },
		func() string { return l() + ", " + l() + " = " + g.one("two", "two2") + "(" + e() + ", " + e() + ")" },
		func() string { return l() + ", " + g.ptr() + ".ok = isOK(" + e() + ", " + e() + ")" },
		func() string { return l() + ", " + g.ptr() + ".ok = " + g.ptr() + ".m[" + g.index() + "]" },
		func() string { return l() + ", " + g.ptr() + ".ok = " + g.ptr() + ".any.(int)" },
		func() string { return l() + ", " + g.ptr() + ".ok = <-feed(" + e() + ")" },
		func() string { return l() + " = <-feed(" + e() + ")" },
		func() string { return v + " := " + e() + "; g += " + v },
		func() string { return v + ", v := " + e() + ", " + e() + "; g += " + v + " + v" },
		func() string { return "var " + v + ", w" + v + " = " + e() + ", " + e() + "; g += " + v + " + w" + v },
		func() string { return "if g > 100 { return 1 }; return " + e() },
		func() string {
			return "x, y := func() (x, y int) { defer func() { g += x + 2 * y }(); return " + e() + ", " + e() + " }(); g += x - y"
		},
		func() string { return "x, y := func() (x, y int) { return " + e() + ", " + e() + " }(); g += x - y" },
		func() string { return "if " + g.cond() + " { g++ } else if " + g.cond() + " { g += 2 }" },
		func() string { return "if " + l() + " = " + e() + "; " + g.cond() + " { g++ }" },
		func() string {
			return "if g > 100 { g = 0 } else if " + l() + ", " + l() + " = " + e() + ", " + e() + "; " + g.cond() + " { g += 2 }"
		},
		func() string {
			return "switch " + e() + " { case " + e() + ": g++; case " + e() + ", " + e() + ": g += 2 }"
		},
		func() string {
			return "switch " + l() + ", " + l() + " = " + e() + ", " + e() + "; " + e() + " { case 1: g++ }"
		},
		func() string { return "sum(" + e() + ", " + e() + ")" },
		func() string {
			return g.ptr() + g.one(".fn", ".adder.add", ".add", ".val") + "(" + e() + ", " + e() + ")"
		},
		func() string { return "defer sum(" + e() + ", " + e() + ")" },
		func() string {
			return "defer " + g.ptr() + g.one(".fn", ".adder.add", ".add", ".val") + "(" + e() + ")"
		},
		func() string { return g.one("feed(1)", "feed(2)") + " <- " + e() },
		func() string { return g.ptr() + ".p = &S{a: " + e() + ", k: " + e() + "}" },
		func() string { return "*" + g.ptr() + " = *" + g.ptr() },
		func() string { return "*" + g.ptr() + " = S{a: " + e() + ", p: " + g.ptr() + ".p}" },
		func() string { return g.ptr() + ".elems[" + g.index() + "] = " + g.ptr() + ".elems[" + g.index() + "]" },
		func() string { return g.ptr() + ".elems[" + g.index() + "] = S1{" + e() + ", " + e() + "}" },
		func() string { return g.ptr() + ".big = " + g.ptr() + ".bigs[" + g.index() + "]" },
		func() string { return g.ptr() + ".bigs[" + g.index() + "] = " + g.ptr() + ".big" },
		func() string { return g.ptr() + ".arr = " + g.ptr() + ".arr" },
		func() string {
			return g.ptr() + ".items, " + l() + " = " + g.ptr() + ".items[" + g.index() + ":], " + e()
		},
		func() string { return g.ptr() + ".items = append(" + g.ptr() + ".items, " + e() + ", " + e() + ")" },
		func() string { return g.ptr() + ".items = append(" + g.ptr() + ".items, " + g.ptr() + ".items...)" },
		func() string { return "copy(" + g.ptr() + ".items[" + g.index() + ":], " + g.ptr() + ".items)" },
		func() string { return "clear(" + g.ptr() + ".items[" + g.index() + ":])" },
		func() string { return "delete(" + g.ptr() + ".m, " + e() + ")" },
		func() string { return g.ptr() + ".any = " + e() },
		func() string { return g.ptr() + ".str += " + g.ptr() + ".str" },
		func() string { return g.ptr() + ".ok = " + g.cond() },
		func() string { return "loc[" + g.index() + "], " + g.ptr() + ".any = " + e() + ", " + e() },
		func() string { return "_ = " + e() },
		func() string { return "_, _ = " + e() + ", " + e() },
		func() string { return "for " + l() + ", " + l() + " = range [3]int{1, 0, 2} { g++ }" },
		func() string { return "for " + l() + ", " + l() + " = range " + g.ptr() + ".items { g++ }" },
		func() string { return "for " + l() + " = range 2 { g++ }" },
		func() string {
			return "for " + v + " := " + e() + "; " + v + " < " + e() + " && left > 0; " + v + " += " + e() + " { left-- }"
		},
		func() string {
			return "for left > 0 { left--; if left == 1 { continue }; " + l() + ", " + l() + " = " + e() + ", " + e() + " }"
		},
		func() string {
			return "for ; left > 0; " + g.place() + "++ { left--; " + l() + " = " + e() + " }"
		},
		func() string {
			return "select { case " + l() + " = <-feed(" + e() + "): g++; case (chan int)(nil) <- " + e() + ": }"
		},
		func() string { return g.loop(v) }, func() string { return g.loop(v) }, func() string { return g.loop(v) },
		func() string {
			return "gs[" + g.index() + "], " + l() + " = func() int {\n\t\tv++\n\t\treturn " + e() + "\n\t}(), " + e()
		},
		func() string { return "var " + v + " uint8 = " + "1 << (" + e() + "); g += int(" + v + ")" },
		func() string { return g.ptr() + ".any = uint8(" + e() + ") & uint8(1<<" + g.one("n", "q.k") + "-1)" },
		func() string {
			return "fs := []func() int{w}; fs[" + g.index() + "] = func() int { return " + e() + " }; g += fs[0]()"
		},
		func() string {
			return "fs := []func() int{w, func() int { return " + e() + " }, func() int { v--; return " + e() + " }}[" + g.index() + ":" + g.one("n", "q.k", "2") + "]; g += len(fs)"
		},
		func() string {
			return "defer " + g.ptr() + g.one(".fn", ".adder.add", ".add", ".val") + "(" + g.several() + ")"
		},
		func() string {
			return "x, y := func() (int, int) { return " + g.one("two", "two2") + "(" + e() + ", " + e() + ") }(); g += x - y"
		},
		func() string { return g.ptr() + g.one(".put", ".putVal", ".E.put") + "(str2(" + e() + "))" },
		func() string { return l() + ",\n\t\t" + l() + " = " + e() + ",\n\t\t" + e() },
		func() string { return l() + " =\n\t\t" + e() + " +\n\t\t" + e() },
	)
}

// loop is one whose post statement could fail.
func (g *panicGen) loop(v string) string {
	e, l := g.expr, g.lvalue
	post := g.pick(
		func() string { return l() + ", " + l() + " = " + e() + ", " + e() },
		func() string { return l() + ", " + l() + " = " + e() + ", " + v + "+1" },
		func() string { return v + ", " + l() + " = " + v + "+1, " + e() },
		func() string { return l() + ", " + l() + " = two(" + e() + ", " + e() + ")" },
		func() string { return l() + ", " + g.ptr() + ".ok = " + g.ptr() + ".m[" + g.index() + "]" },
		func() string { return l() + " = " + e() },
		func() string { return g.place() + " += " + e() },
		func() string { return g.ptr() + ".m[" + g.index() + "]++" },
		func() string { return g.ptr() + g.one(".fn", ".add", ".val") + "(" + g.several() + ")" },
		func() string { return g.ptr() + ".items = append(" + g.ptr() + ".items, " + e() + ")" },
	)
	cond := "left > 0 && " + g.pick(g.cond, lit("true"), func() string { return "B(" + g.cond() + ") == true" })
	if g.IntN(4) == 0 {
		cond = "B(" + cond + ")"
	}
	head := "for " + v + " := " + g.one("0", e()) + "; " + cond + "; " + post
	if g.IntN(3) == 0 {
		head = "for " + v + " := 0\n\t\t" + cond + "\n\t\t" + post
	}
	body := "left--; g += " + v + "; " + g.pick(
		func() string { return l() + " = " + e() },
		func() string { return "if " + g.cond() + " { continue }; g++" },
		func() string { return "if " + g.cond() + " { break }; g++" },
		func() string { return "defer func() { g += " + v + " }(); if v > 3 { return 2 }" },
		func() string {
			return "for i := range 2 { if " + g.cond() + " { continue L" + v + " }; if i > 0 { break L" + v + " } }"
		},
		func() string { return "keep = func() int { " + v + "++; return " + v + " }; g += keep()" },
		func() string { return v + "++; switch { case " + g.cond() + ": break; default: continue }" },
		func() string { return "for range items2 { if left == 1 { continue L" + v + " }; g++ }" },
	)
	if strings.Contains(body, "L"+v) {
		head = "L" + v + ": " + head
	}
	if g.IntN(4) == 0 {
		return "for range items2 { " + strings.ReplaceAll(head, "for "+v+" := 0\n", "for "+v+" := 0;") + " { " + body + " } }"
	}
	return head + " { " + body + " }"
}

func panicProgram(seed uint64) string {
	g := &panicGen{Rand: rand.New(rand.NewPCG(seed, 1))}
	var b strings.Builder
	b.WriteString(panicPrelude + "\nfunc feed(x int) chan int { c := make(chan int, 2); c <- x; return c }\n")
	const n = 60
	for i := range n {
		g.depth = g.IntN(3)
		fmt.Fprintf(&b, "\nfunc t%d(s, q *S, n, k, z int, e any, str string) (res int) {\n", i)
		b.WriteString("\tv, h, loc, larr, lm, own, list := 1, 2, make([]int, 3), [3]int{1, 1, 2}, map[int]int{}, &S{a: 1}, make([]S1, 3)\n\tw := func() int { h++; return h }; keep = w\n")
		fmt.Fprintf(&b, "\t%s\n\treturn v + w() + loc[1] + larr[1] + len(lm) + own.a + list[0].x\n}\n", g.stmt())
	}
	b.WriteString("\nfunc main() {\n")
	for i := range n {
		fmt.Fprintf(&b, "\trun(%d, t%d)\n", i, i)
	}
	b.WriteString("}\n")
	return b.String()
}

// TestRandomPanics runs random programs whose statements could fail in several ways, as they are
// and rewritten.
func TestRandomPanics(t *testing.T) { comparePrograms(t, panicProgram) }
