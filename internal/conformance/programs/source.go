package programs

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

const head = `package programs

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func nap(n int) { time.Sleep(time.Duration(n) * 100 * time.Microsecond) }

var sink int

//go:noinline
func use(n int) {
	if n > 1000 {
		panic(n)
	}
}
`

// shared is what the goroutines of a program share.
const shared = `	var x0, x1, x2, x3 int
	var mu0, mu1 sync.Mutex
	var rw0, rw1 sync.RWMutex
	var c0, c1 atomic.Int32
	var once0, once1 sync.Once
	token0, token1 := make(chan struct{}, 1), make(chan int, 1)
	ch0, ch1 := make(chan int, 2), make(chan int, 2)
	gate0, gate1 := make(chan struct{}), make(chan struct{})
	b0, b1 := make([]byte, 4), make([]byte, 4)
	_, _, _, _, _, _, _, _, _, _, _, _ = x0, x1, x2, x3, token0, token1, ch0, ch1, gate0, gate1, b0, b1
	mu0.Lock(); mu0.Unlock(); mu1.Lock(); mu1.Unlock()
	rw0.Lock(); rw0.Unlock(); rw1.Lock(); rw1.Unlock()
	c0.Store(0); c1.Store(0)
	_, _ = &once0, &once1
	var wg sync.WaitGroup
`

// printer writes the source, and into the statements which line they are in.
type printer struct {
	strings.Builder
	line int
	p    *Program
}

func (w *printer) print(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.line += strings.Count(text, "\n")
	w.WriteString(text)
}

// maxRaces is how many races a program has at most: with more, most of them are observed in any run, and reports take the time.
const maxRaces = 3

// Tests is the source of a package with n tests, and what of them can race, by test.
func Tests(seed uint64, n int) (source string, races map[string]Races) {
	r := rand.New(rand.NewPCG(seed, 2))
	w := &printer{line: 1}
	w.print("%s", head)
	races = map[string]Races{}
	for len(races) < n {
		p := random(r)
		p.Name = fmt.Sprintf("TestProgram%d", len(races))
		one := &printer{line: w.line}
		one.program(p) // races are of lines
		if found, ok := p.explore(); ok && len(found) <= maxRaces {
			w.print("%s", one)
			races[p.Name] = found
		}
	}
	return w.String(), races
}

func (w *printer) program(p *Program) {
	w.p = p
	w.print("\nfunc %s(t *testing.T) {\n%s", p.Name, shared)
	for g := range p.goroutines {
		if !p.forked[g] {
			w.goroutine(g)
		}
	}
	w.print("\twg.Wait()\n}\n")
}

func (w *printer) goroutine(g int) {
	w.print("wg.Go(func() {\n")
	w.statements(w.p.goroutines[g])
	w.print("})\n")
}

func (w *printer) statements(list []statement) {
	for i := range list {
		w.statement(&list[i])
	}
}

// conditions of the statements that are an if.
var conditions = map[kind]string{
	ifEqual: "x{o} == {v}", tryLock: "mu{o}.TryLock()", tryRLock: "rw{o}.TryRLock()", ifOld: "c{o}.Swap({v}) == 0", ifLoad: "c{o}.Load() == {v}", ifSwap: "c{o}.CompareAndSwap(0, {v})",
	ifLen: "len(token{o}) == {v}", ifReceive: "<-ch{o} == {v}", ifByte: "b{o}[0] == '0'+{v}",
}

// cases of those that are a select with a default.
var cases = map[kind]string{tryPut: "token{o} <- {e}", tryTake: "<-token{o}", ifShut: "<-gate{o}"}

var plain = map[kind]string{
	write: "x{o} = {v}", read: "use(x{o})", increment: "x{o}++", lock: "mu{o}.Lock()", unlock: "mu{o}.Unlock()",
	rlock: "rw{o}.RLock()", runlock: "rw{o}.RUnlock()", wlock: "rw{o}.Lock()", wunlock: "rw{o}.Unlock()",
	add: "c{o}.Add(1)", orBits: "c{o}.Or({v})", andBits: "c{o}.And({v})", store: "c{o}.Store({v})", put: "token{o} <- {e}", take: "<-token{o}", send: "ch{o} <- {v}",
	shut: "close(gate{o})", await: "<-gate{o}", opaque: "strconv.AppendInt(b{o}[:0], {v}, 10)", logs: "t.Log(1)",
}

func (w *printer) statement(s *statement) {
	if s.nap > 0 {
		w.print("nap(%d)\n", s.nap)
	}
	s.line = w.line
	element := []string{"struct{}{}", "7"}[s.obj%objects]
	format := strings.NewReplacer("{o}", strconv.Itoa(s.obj), "{v}", strconv.Itoa(s.val), "{e}", element).Replace
	switch {
	case s.kind == block:
		w.statements(s.body)
	case s.kind == fork:
		w.goroutine(s.val)
	case s.kind == once:
		w.print("once%d.Do(func() {\n", s.obj)
		w.statements(s.body)
		w.print("})\n")
	case conditions[s.kind] != "":
		w.print("if %s {\n", format(conditions[s.kind]))
		w.statements(s.body)
		w.print("} else {\n")
		w.statements(s.other)
		w.print("}\n")
	case cases[s.kind] != "":
		w.print("select {\ncase %s:\n", format(cases[s.kind]))
		w.statements(s.body)
		w.print("default:\n")
		w.statements(s.other)
		w.print("}\n")
	default:
		w.print("%s\n", format(plain[s.kind]))
	}
}
