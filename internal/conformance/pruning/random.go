package pruning

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// randomHead has the variables of random tests. Goroutines run one after the other, so that all
// runs are alike; the function that makes them wait is not recorded (go:norace) and orders nothing.
const randomHead = `package random

import (
	"sync"
	"testing"
	"time"
)

type S struct {
	a, b  int
	p     *S
	items []int
	arr   [3]int
}

func newS() *S { return &S{p: &S{items: make([]int, 3)}, items: make([]int, 3)} }

func (s *S) add(n int) { s.a += n; s.b = s.a }
func (s *S) keep()     { kept = s }
func read(s *S) int    { return s.a + s.b }
func each(f func())    { f() }

var (
	kept = newS()
	g    int
)

var now int

//go:norace
//go:noinline
func await(n int) {
	for now != n {
		time.Sleep(50 * time.Microsecond)
	}
}

//go:norace
//go:noinline
func next(n int) { now = n }

func turn(wg *sync.WaitGroup, n int, f func()) {
	wg.Add(1)
	go func() {
		defer wg.Done()
		await(n)
		f()
		next(n + 1)
	}()
}
`

// RandomTests is the source of n tests of a package, each of which has a few goroutines do
// random things to shared, local and leaking variables, with and without locks.
func RandomTests(seed uint64, n int) string {
	r := &random{Rand: rand.New(rand.NewPCG(seed, 1))}
	var b strings.Builder
	b.WriteString(randomHead)
	for i := range n {
		fmt.Fprintf(&b, "\nfunc TestRandom%d(t *testing.T) {\n\tvar wg sync.WaitGroup\n\tvar mu sync.Mutex\n\ts, v := newS(), 0\n\t_, _ = s, v\n", i)
		for turn := range 2 + r.IntN(2) {
			r.names, r.locked = nil, false
			fmt.Fprintf(&b, "\tturn(&wg, %d, func() {\n\t\tl, i, n := newS(), 0, 2\n\t\t_, _, _ = l, i, n\n", turn)
			r.depth = 2
			for range 4 + r.IntN(5) {
				fmt.Fprintf(&b, "\t\t%s\n", r.stmt())
			}
			if r.locked {
				b.WriteString("\t\tmu.Unlock()\n")
			}
			b.WriteString("\t})\n")
		}
		b.WriteString("\twg.Wait()\n\tnext(0)\n\tmu.Lock()\n\tmu.Unlock()\n}\n")
	}
	return b.String()
}

type random struct {
	*rand.Rand
	names  []string // further pointers in scope
	locked bool
	depth  int
	count  int
}

func (r *random) pick(of ...string) string { return of[r.IntN(len(of))] }

// pointer is the name of a *S: shared, local, or one of the further ones.
func (r *random) pointer() string {
	return r.pick(append([]string{"s", "s", "l", "l", "kept", "s.p", "l.p"}, r.names...)...)
}

func (r *random) place() string {
	p := r.pointer()
	return r.pick(p+".a", p+".b", p+".items[i]", p+".items[1]", p+".arr[i]", p+".arr[2]", "v", "g", "(*"+p+").a")
}

func (r *random) value() string {
	return r.pick(r.place(), r.place()+" + "+r.place(), "read("+r.pointer()+")", "len("+r.pointer()+".items)", "1")
}

func (r *random) block() string {
	names := r.names
	var b strings.Builder
	for range 1 + r.IntN(3) {
		b.WriteString(r.stmt() + "; ")
	}
	r.names = names
	return strings.TrimSuffix(b.String(), "; ")
}

func (r *random) stmt() string {
	if r.depth == 0 {
		return r.place() + " = " + r.value()
	}
	r.depth--
	defer func() { r.depth++ }()
	switch r.IntN(21) {
	case 0, 1, 2:
		return r.place() + " = " + r.value()
	case 3:
		return r.place() + "++"
	case 4:
		return r.place() + ", " + r.place() + " = " + r.value() + ", " + r.value()
	case 5:
		return "_ = " + r.value()
	case 6:
		return r.pointer() + ".add(1)"
	case 7:
		r.count++
		name := fmt.Sprintf("p%d", r.count)
		s := name + " := " + r.pick(r.pointer(), "newS()", "&S{p: &S{items: make([]int, 3)}, items: make([]int, 3)}", "&S{p: newS(), items: make([]int, 3)}")
		r.names = append(r.names[:len(r.names):len(r.names)], name)
		return s + "; _ = " + name
	case 8:
		return r.pick(r.pointer()+".keep()", "kept = "+r.pointer(), "s.p = "+r.pointer())
	case 9:
		return "if " + r.value() + " >= 0 { " + r.block() + " } else { " + r.block() + " }"
	case 10:
		return "for k := 0; k < n; k++ { " + r.block() + " }"
	case 11:
		depth := r.depth
		r.depth = 0 // nothing in it assigns i
		defer func() { r.depth = depth }()
		return "for i = 0; i < len(" + r.pick("s", "l") + ".items)-1 && i < 2; i++ { " + r.block() + " }; i = 0"
	case 12:
		return "i = (i + 1) % 3"
	case 18, 19: // loops that call nothing that synchronizes
		depth := r.depth
		r.depth = 0
		defer func() { r.depth = depth }()
		return "func() { for k := range 3 { if k > 0 && " + r.value() + " > 0 { " + r.block() + "; continue }; for range k { " + r.block() + " }; if k == 2 { each(func() {}); " + r.block() + "; return }; " + r.block() + " } }()"
	case 13:
		return "each(func() { " + r.block() + " })"
	case 14:
		return "func() { " + r.block() + " }()"
	case 15:
		if r.depth == 1 { // not inside of anything that may not be run
			r.locked = !r.locked
			if r.locked {
				return "mu.Lock()"
			}
			return "mu.Unlock()"
		}
		return "l = newS()"
	case 16:
		return "l.items = append(l.items, " + r.value() + ")"
	case 17:
		return "copy(" + r.pointer() + ".items, " + r.pointer() + ".items)"
	default:
		return "switch " + r.value() + " { case " + r.value() + ": " + r.block() + "; default: " + r.block() + " }"
	}
}
