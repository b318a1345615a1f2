package instrument_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/internal/dev/fake"
)

var (
	seed     = flag.Uint64("random.seed", 1, "the first random program")
	programN = flag.Int("random.n", 1, "how many random programs; CI has more")
	dump     = flag.String("random.dump", "", "write the random programs into this directory")
)

// prelude is what random functions work on. The functions called change what
// the expressions around them read: pointers, slices, variables.
const prelude = `package main

import "fmt"

type S struct {
	a, b  int
	ok    bool
	p     *S
	ptr   *int
	items []int
	bytes []byte
	arr   [4]int
	m     map[int]int
	any   any
	in    struct{ x, y int }
	E
}

type E struct{ *F }
type F struct{ z int }

func (s *S) meth(x int) int { note("meth", x); s.p, s.b = newS(x), s.b + 1; return s.a }
func (s S) val(x int) int   { note("val", x); cur.a++; return s.b + x }
func (s *S) next() *S       { note("next", s.a); s.a++; return s.p }
func (f *F) bump(x int) int { f.z += x; cur.E = E{&F{x}}; return f.z }

var (
	cur *S
	g   int
	log []string

	left int // turns of loops that may go on for ever
)

func note(what string, x int) {
	if len(log) < 300 {
		log = append(log, fmt.Sprint(what, x))
	}
}

func newS(x int) *S {
	n := x
	return &S{a: x, b: 2, ptr: &n, items: []int{x, 1, 2, 3}, bytes: []byte("abcd"), m: map[int]int{0: x}, E: E{&F{x}},
		p: &S{a: 5, ptr: &n, items: []int{4, 5, 6, 7}, m: map[int]int{1: 1}, E: E{&F{1}},
			p: &S{items: []int{1, 1, 1, 1}, ptr: new(int), m: map[int]int{}, E: E{&F{2}}}}}
}

func full(s *S) *S {
	if s == nil {
		s = newS(1)
	}
	if s.p == nil {
		s.p = newS(2)
	}
	if s.p.p == nil {
		s.p.p = newS(3)
	}
	return s
}

func f1(x int) int { note("f1", x); full(cur); cur.p = newS(x); cur.items = []int{9, x, 8, 7}; return x + 1 }
func f2(x int) int { note("f2", x); n := x; cur.ptr = &n; g += x; cur.in.x++; return x * 3 }
func f3(x int) int { note("f3", x); cur.arr[x&3]++; cur.a -= x; cur.m[x&1] = x; cur.any = x; return -x }
func f4(x int) int { note("f4", x); cur.items = append([]int(nil), cur.items...)[:len(cur.items)-1]; cur.any = "x"; return len(cur.items) }
func f5(x int) int { note("f5", x); cur.bytes[x&3]++; cur.bytes = append([]byte("x"), cur.bytes...)[:4]; return int(cur.bytes[0]) }
func pick[B ~string | ~[]byte](b B, x int) int { note("pick", x); return int(b[x&3]) + len(b) + len(string(b)) }
func first[E any](xs ...E) E { note("first", len(xs)); return xs[0] }
func two(x int) (int, int) { note("two", x); full(cur); cur.p.a = x; g--; return x, x + 2 }
func mul(x int) (int, bool) { note("mul", x); cur.b = x; return x, x > 2 }
func wrap(err *error) { note("wrap", 0); *err = fmt.Errorf("x%v", *err) }
func count(n int) func(func(int) bool) {
	return func(yield func(int) bool) { for i := range n { note("yield", i); cur.a++; if !yield(i) { return } } }
}
func feed(x int) chan int { c := make(chan int, 1); c <- x; cur.items[x&3] = x; return c }

func state() string {
	s := full(cur)
	return fmt.Sprint(s.a, s.b, s.ok, *s.ptr, s.items, s.arr, s.m, s.any, s.in, s.z, s.p.a, s.p.items, g, log)
}

func run(i int, f func(s *S) int) {
	cur, g, log, left = newS(1), 1, nil, 5
	defer func() {
		if e := recover(); e != nil {
			fmt.Println(i, "panic", e, state())
		}
	}()
	fmt.Println(i, f(cur), state())
}
`

// gen makes random functions.
type gen struct {
	*rand.Rand
	depth int
	names int
	ints  []string // local variables in scope
}

func (g *gen) pick(of ...func() string) string {
	return of[g.IntN(len(of))]()
}

func lit(s string) func() string { return func() string { return s } }

func (g *gen) leaf() string {
	if len(g.ints) > 0 && g.IntN(3) == 0 {
		return g.ints[g.IntN(len(g.ints))]
	}
	return []string{"1", "2", "7", "s.a", "s.b", "s.p.a", "s.p.p.b", "*s.ptr", "g", "cur.a", "s.in.y", "s.z", "s.p.z", "len(s.items)", "s.items[1]", "s.arr[2]"}[g.IntN(16)]
}

func (g *gen) index() string { return "(" + g.expr() + ")&3" }

func (g *gen) expr() string {
	if g.depth <= 0 {
		return g.leaf()
	}
	g.depth--
	defer func() { g.depth++ }()
	return g.pick(
		g.leaf, g.leaf,
		func() string { return g.expr() + " + " + g.expr() },
		func() string { return g.expr() + " - " + g.expr() + " * " + g.leaf() },
		func() string { return "f1(" + g.expr() + ")" },
		func() string { return "f2(" + g.expr() + ")" },
		func() string { return "f3(" + g.expr() + ")" },
		func() string { return "f4(" + g.expr() + ")" },
		func() string { return "f5(" + g.expr() + ")" },
		func() string { return "len(string(s.bytes) + fmt.Sprint(" + g.expr() + "))" },
		func() string { return "int((string(s.bytes) + string(rune(f5(" + g.expr() + "))))[1])" },
		func() string { return "int([4]byte(s.bytes)[" + g.index() + "])" },
		func() string { return "pick(s.bytes, " + g.expr() + ")" },
		func() string { return "pick(string(s.bytes), " + g.expr() + ")" },
		func() string { return "first(" + g.expr() + ", " + g.expr() + ")" },
		func() string { return "first(s.items...)" },
		func() string { return "(*S).meth(s, " + g.expr() + ")" },
		func() string { return "s.meth" + g.methodArgs() },
		func() string { return "map[int]int{" + g.leaf() + ": " + g.expr() + "}[" + g.leaf() + "]" },
		func() string { return "(&S{a: " + g.expr() + ", p: s}).p.a" },
		func() string { return "(S{b: " + g.expr() + "}).val(" + g.leaf() + ")" },
		func() string { return "len(append(s.next().items, " + g.expr() + "))" },
		func() string { return "len(append(full(s.p).items, s.items...))" },
		func() string { return "s.items[len(s.items)-1]" },
		func() string { return "s.p.items[len(s.items[" + g.expr() + "&1:])-1]" },
		func() string { return "s.p.items[min(" + g.leaf() + "&3, " + g.expr() + "&3)]" },
		func() string { return "s.any.(int)" },
		func() string { return "len(fmt.Sprint(" + g.expr() + ", s.in, " + g.expr() + "))" },
		func() string { return "s.meth(" + g.expr() + ")" },
		func() string { return "s.p.val(" + g.expr() + ")" },
		func() string { return "s.bump(" + g.expr() + ")" },
		func() string { return "s.next().a" },
		func() string { return "s.items[" + g.index() + "]" },
		func() string { return "s.p.items[" + g.index() + "]" },
		func() string { return "s.arr[" + g.index() + "]" },
		func() string { return "s.m[" + g.expr() + "]" },
		func() string { return "<-feed(" + g.expr() + ")" },
		func() string { return "max(" + g.expr() + ", " + g.expr() + ")" },
		func() string { return "[]int{" + g.expr() + ", " + g.expr() + "}[" + g.expr() + "&1]" },
		func() string { return "func() int { " + g.block(1) + "; return " + g.expr() + " }()" },
	)
}

// methodArgs are the arguments of a method that is called at once or kept in a variable before.
func (g *gen) methodArgs() string {
	if g.IntN(2) == 0 {
		return "(" + g.expr() + ")"
	}
	return "(func() int { f := s.p.val; s.p.b++; return f(" + g.expr() + ") }())"
}

func (g *gen) cond() string {
	if g.depth <= 0 {
		return g.leaf() + " < " + g.leaf()
	}
	g.depth--
	defer func() { g.depth++ }()
	return g.pick(
		func() string { return g.expr() + " > " + g.expr() },
		func() string { return g.cond() + " && " + g.cond() },
		func() string { return "(" + g.cond() + " || " + g.cond() + ")" },
		func() string { return "!(" + g.cond() + ")" },
		lit("s.ok"),
	)
}

func (g *gen) lvalue() string {
	if len(g.ints) > 0 && g.IntN(4) == 0 {
		return g.ints[g.IntN(len(g.ints))]
	}
	return g.pick(
		lit("s.a"), lit("s.p.a"), lit("*s.ptr"), lit("g"), lit("cur.b"), lit("s.in.x"), lit("s.z"), lit("s.p.z"),
		func() string { return "s.items[" + g.index() + "]" },
		func() string { return "s.p.items[" + g.index() + "]" },
		func() string { return "s.arr[" + g.index() + "]" },
		func() string { return "s.m[" + g.expr() + "]" },
		func() string { return "s.next().b" },
		lit("s.items[len(s.items)-1]"),
		lit("s.p.items[max(len(s.items), 4)-2]"),
	)
}

func (g *gen) block(n int) string {
	scope := len(g.ints)
	var b []string
	for range n {
		b = append(b, g.stmt())
	}
	g.ints = g.ints[:scope]
	return strings.Join(b, "; ")
}

// local declares a variable; half of them are captured and assigned elsewhere.
func (g *gen) local() string {
	g.names++
	v := fmt.Sprintf("v%d", g.names)
	s := v + " := " + g.expr() + "; _ = " + v
	if g.IntN(2) == 0 {
		s += "; h" + v + " := func() int { " + v + "++; return " + v + " }; " + v + " = h" + v + "()"
	}
	g.ints = append(g.ints, v)
	return s
}

func (g *gen) stmt() string {
	if g.depth <= 0 {
		return g.lvalue() + " = " + g.leaf()
	}
	g.depth--
	defer func() { g.depth++ }()
	inner := func() string { return "{ " + g.block(1+g.IntN(2)) + " }" }
	return g.pick(
		func() string { return g.lvalue() + " = " + g.expr() },
		func() string { return g.lvalue() + " = " + g.expr() },
		func() string { return g.lvalue() + " += " + g.expr() },
		func() string { return g.lvalue() + " <<= uint(" + g.expr() + "&1)" },
		func() string { return g.lvalue() + "++" },
		func() string { return g.lvalue() + ", " + g.lvalue() + " = " + g.expr() + ", " + g.expr() },
		func() string { return g.lvalue() + ", " + g.lvalue() + " = two(" + g.expr() + ")" },
		func() string { return g.lvalue() + ", s.ok = mul(" + g.expr() + ")" },
		func() string { return "s.ok = " + g.cond() },
		func() string { return "s.any = " + g.expr() },
		func() string { return g.lvalue() + ", s.ok = s.any.(int)" },
		func() string { return "s.p = newS(" + g.expr() + ")" },
		func() string { return "s.p, s.p.a = newS(" + g.expr() + "), " + g.expr() },
		func() string { return "s.items = append(s.items[:4], " + g.expr() + ", " + g.expr() + ")" },
		func() string { return "s.items = append(s.items, s.p.items...)" },
		func() string { return "copy(s.items, s.p.items)" },
		func() string { return "copy(s.bytes, string(s.p.bytes))" },
		func() string { return "copy(s.bytes, fmt.Sprint(" + g.expr() + "))" },
		func() string { return "clear(s.items[" + g.index() + ":])" },
		func() string { return "delete(s.m, " + g.expr() + ")" },
		func() string { return "*s = *full(s).p" },
		func() string { return "s.arr = s.p.arr" },
		func() string { return "s.in = struct{ x, y int }{" + g.expr() + ", s.in.x}" },
		func() string { return "s.m[" + g.expr() + "] += " + g.expr() },
		func() string { return "s.m[" + g.leaf() + "], " + g.lvalue() + " = " + g.expr() + ", " + g.expr() },
		func() string {
			return "switch s.a, s.ok = mul(" + g.expr() + "); s.a { case " + g.leaf() + ": " + g.block(1) + " }"
		},
		func() string {
			return "switch x := s.any.(type) { case int: g += x; case string: g -= len(x); default: " + g.block(1) + " }"
		},
		func() string {
			return "switch { case " + g.cond() + ": " + g.block(1) + "; fallthrough; case " + g.cond() + ": " + g.block(1) + "; default: " + g.block(1) + " }"
		},
		func() string {
			return "select { case " + g.lvalue() + " = <-feed(" + g.expr() + "): " + g.block(1) + "; case " + g.lvalue() + ", s.ok = <-(chan int)(nil): }"
		},
		func() string {
			return "select { case (chan int)(nil) <- " + g.expr() + ": default: " + g.block(1) + " }"
		},
		func() string {
			return "func() { defer func() { note(\"recovered\", len(fmt.Sprint(recover()))) }(); " + g.block(2) + "; _ = s.items[7+" + g.expr() + "&1] }()"
		},
		func() string {
			return "func() (r int, err error) { defer wrap(&err); defer func() { r++; s.a += r }(); r = " + g.expr() + "; return " + g.expr() + ", nil }()"
		},
		func() string { return "defer copy(s.items, s.p.items)" },
		func() string { return "defer clear(s.items[:1])" },
		func() string {
			return "for i, c := range string(s.bytes) { if i > 1 { continue }; g += int(c); " + g.block(1) + " }"
		},
		func() string {
			return "g = func() int { for x := range count(" + g.expr() + "&3) { if x > 1 { break }; " + g.block(1) + "; if g > 40 { return g } }; return " + g.leaf() + " }()"
		},
		func() string { return "for s.a = range 2 { " + g.block(1) + " }" },
		func() string {
			return "for s.arr[" + g.index() + "], s.b = range s.p.arr { if s.b > 2 { continue }; " + g.block(1) + " }"
		},
		func() string {
			return "for s.in.x, s.in.y = two(" + g.expr() + "); s.in.x < 3 && left > 0; s.in.x++ { left--; " + g.block(1) + " }"
		},
		func() string {
			g.names++
			l, i := fmt.Sprintf("L%d", g.names), fmt.Sprintf("i%d", g.names)
			return l + ": for " + i + " := 0; " + i + " < 3; " + i + "++ { k := func() { " + i + "++ }; for j := range s.items { if j > 1 { k(); continue " + l + " }; if " + g.cond() + " { break " + l + " }; " + g.block(1) + " } }"
		},
		func() string { return "s.in.x, s.in.y = s.in.y, " + g.expr() },
		func() string { return "if " + g.cond() + " " + inner() + " else " + inner() },
		func() string { return "if g, s.ok = mul(" + g.expr() + "); " + g.cond() + " " + inner() },
		func() string {
			return "switch " + g.expr() + " { case " + g.expr() + ": " + g.block(1) + "; default: " + g.block(1) + " }"
		},
		func() string {
			g.names++
			i := fmt.Sprintf("i%d", g.names)
			return "for " + i + " := 0; " + i + " < 2; " + i + "++ " + inner()
		},
		func() string {
			g.names++
			v := fmt.Sprintf("e%d", g.names)
			return "for _, " + v + " := range s.items[:3] { g += " + v + "; " + g.block(1) + " }"
		},
		func() string { // a loop that hardly calls anything (rule C4)
			g.names++
			l, i, depth := fmt.Sprintf("L%d", g.names), fmt.Sprintf("i%d", g.names), g.depth
			g.depth = 0
			defer func() { g.depth = depth }()
			return "g = func() int { " + l + ": for " + i + " := range 4 { if " + g.cond() + " { if " + i + " > 1 { continue " + l + " }; s.a += " + i + " }; for range " + i + " { " + g.block(1+g.IntN(2)) + " }; if " +
				i + " > 2 { f1(g); " + g.block(1) + "; return g } }; return 3 }()"
		},
		func() string { return "for g = range s.p.arr { " + g.block(1) + "; if g > 1 { break } }" },
		func() string { return "defer f2(" + g.expr() + ")" },
		func() string { return "_ = " + g.expr() },
		g.local, g.local,
	)
}

func randomProgram(seed uint64) string {
	g := &gen{Rand: rand.New(rand.NewPCG(seed, 0))}
	var b strings.Builder
	b.WriteString(prelude)
	const n = 60
	for i := range n {
		g.ints, g.depth = nil, 2+g.IntN(3)
		fmt.Fprintf(&b, "\nfunc t%d(s *S) (res int) {\n", i)
		for range 4 {
			fmt.Fprintf(&b, "\t%s\n", g.stmt())
		}
		fmt.Fprintf(&b, "\treturn %s\n}\n", g.expr())
	}
	b.WriteString("\nfunc main() {\n")
	for i := range n {
		fmt.Fprintf(&b, "\trun(%d, t%d)\n", i, i)
	}
	b.WriteString("}\n")
	return b.String()
}

// TestRandom runs random programs as they are and rewritten.
func TestRandom(t *testing.T) { comparePrograms(t, randomProgram) }

// writePrograms writes random programs into a module in dir.
func writePrograms(t *testing.T, dir string, program func(seed uint64) string) (names []string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module prog\n\ngo 1.25\n"), 0o644))
	for i := range *programN {
		name := fmt.Sprintf("seed%d", *seed+uint64(i))
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "main.go"), []byte(program(*seed+uint64(i))), 0o644))
		names = append(names, name)
	}
	return names
}

// comparePrograms makes programs, runs them as they are and rewritten, and compares what they
// print.
func comparePrograms(t *testing.T, program func(seed uint64) string) {
	dir := t.TempDir()
	if *dump != "" {
		dir = *dump
	}
	names := writePrograms(t, dir, program)
	build(t, dir, "plain")
	res, err := instrument.Rewrite(instrument.Config{Dir: dir, Patterns: []string{"./..."}})
	require.NoError(t, err)
	for _, p := range res.Packages {
		require.True(t, p.Rewritten, "%s: %s", p.Path, p.Reason)
	}
	overlay, err := fake.Overlay(t.TempDir(), res.Files, fake.Quiet)
	require.NoError(t, err)
	if *dump != "" {
		for name, b := range res.Files {
			require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(name), "rewritten.txt"), b, 0o644))
		}
	}
	build(t, dir, "rewritten", "-overlay="+overlay)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			want := strings.Split(execute(t, filepath.Join(dir, "bin", "plain", name)).stdout, "\n")
			got := strings.Split(execute(t, filepath.Join(dir, "bin", "rewritten", name)).stdout, "\n")
			if len(got) != len(want) {
				t.Errorf("%d lines instead of %d; it ended with\n %s\n%s", len(got), len(want), got[max(0, len(got)-2)], execute(t, filepath.Join(dir, "bin", "rewritten", name)).stderr)
			}
			differ := map[string]bool{} // functions
			for i := range min(len(want), len(got)) {
				f, _, _ := strings.Cut(want[i], " ")
				if want[i] != got[i] && !differ[f] {
					differ[f] = true
					t.Errorf("function t%s of the program with -random.seed=%s:\n as it is  %s\n rewritten %s", f, strings.TrimPrefix(name, "seed"), want[i], got[i])
				}
			}
		})
	}
}
