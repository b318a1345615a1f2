package programs

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

const head = `package programs

import (
	"context"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
)

type fields struct{ n int }

type parts struct{ a, b int8 } // of one word

func nap(n int) { time.Sleep(time.Duration(n) * 100 * time.Microsecond) }

// yield takes the place of nap in a bubble, where sleeping can be observed.
func yield(n int) {
	for range 5 * n {
		runtime.Gosched()
	}
}

// word is a variable as one for an atomic operation. The machine has 64 bits.
func word(x *int) *int64 { return (*int64)(unsafe.Pointer(x)) }

var sink int

//go:noinline
func use[T int | int8](n T) {
	if n > 100 {
		panic(n)
	}
}
` + outsideHead

// shared is what the goroutines of a program share.
const shared = `	var x0 int
	var x1 fields
	var x23 parts
	var mu0, mu1 sync.Mutex
	var rw0, rw1 sync.RWMutex
	var c0, c1 atomic.Int32
	var once0, once1 sync.Once
	token0, token1 := make(chan struct{}, 1), make(chan int, 1)
	ch0, ch1 := make(chan int, 2), make(chan int, 2)
	gate0, gate1 := make(chan struct{}), make(chan struct{})
	b0, b1 := make([]byte, 4), make([]byte, 4)
	rv0, rv1 := make(chan int), make(chan int)
	cond0, cond1 := sync.NewCond(&mu0), sync.NewCond(&mu1)
	ctx0, cancel0 := context.WithCancel(context.Background())
	ctx1, cancel1 := context.WithCancel(context.Background())
	pool0, pool1 := &sync.Pool{New: func() any { return new([2]int) }}, &sync.Pool{New: func() any { return new([2]int) }}
	var m0, m1 sync.Map
	var tasks0, tasks1 sync.WaitGroup
	tasks0.Add(1); tasks1.Add(1)
	_, _, _, _, _, _, _, _, _, _, _ = x0, x1, x23, token0, token1, ch0, ch1, gate0, gate1, b0, b1
	_, _, _, _, _, _, _, _, _, _ = rv0, rv1, cond0, cond1, ctx0, ctx1, pool0, pool1, &m0, &m1
	defer cancel0()
	defer cancel1()
	mu0.Lock(); mu0.Unlock(); mu1.Lock(); mu1.Unlock()
	rw0.Lock(); rw0.Unlock(); rw1.Lock(); rw1.Unlock()
	c0.Store(0); c1.Store(0)
	_, _ = &once0, &once1
	var wg, forked sync.WaitGroup
	defer forked.Wait()
`

// printer writes the source, and notes the lines of the statements in them.
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

// maxRaces is how many races a program has at most: with more, most of them are observed in every
// run, and the reports take most of the time.
const maxRaces = 3

// Tests is the source of a package with n tests, and the races of each test.
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
	w.print("\nfunc %s(t *testing.T) {\n", p.Name)
	if p.bubble {
		w.print("synctest.Test(t, func(t *testing.T) {\nbegin := time.Now()\n_ = begin\n")
	}
	w.print("%s%s", shared, listDeclarations)
	for _, text := range declarations(p) {
		w.print("%s", text)
	}
	for g := range p.goroutines {
		if !p.forked[g] {
			w.goroutine("wg", g)
		}
	}
	w.print("\twg.Wait()\n")
	if p.bubble {
		w.print("})\n")
	}
	w.print("}\n")
}

// goroutine is counted by a WaitGroup.
func (w *printer) goroutine(group string, g int) {
	w.print("%s.Go(func() {\n", group)
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
	ifEqual: "{x} == {v}", ifAdd: "atomic.AddInt64(word(&{x}), 1) == {v}", ifExchange: "atomic.SwapInt64(word(&{x}), {v}) == 1",
	ifCompare: "atomic.CompareAndSwapInt64(word(&{x}), {v}, {v}+1)",
	tryLock:   "mu{o}.TryLock()", tryRLock: "rw{o}.TryRLock()", ifOld: "c{o}.Swap({v}) == 0", ifLoad: "c{o}.Load() == {v}", ifSwap: "c{o}.CompareAndSwap(0, {v})",
	ifLen: "len(token{o}) == {v}", ifReceive: "<-ch{o} == {v}", ifByte: "b{o}[0] == '0'+{v}", ifMeet: "<-rv{o} == {v}", ifCanceled: "ctx{o}.Err() != nil",
	ifLoaded: "_, loaded := m{o}.LoadOrStore(1, {v}); loaded",
	ifRead:   "receive(reader{o}) == {v}", ifHangUp: "writer{o}.Close() == nil", ifUnread: "unread(reader{o}) > 0",
	ifMkdir: "os.Mkdir(dir{o}, 0o700) == nil", ifRename: `os.Rename(dir{o}, dir{o}+"x") == nil`, ifExists: "exists(dir{o})",
	ifReadAt: "readAt(file{o}) == {v}", ifMapped: "mapped{o}.Load() == {v}", ifCloses: "does(func() { close(gate{o}) })", ifTallies: "does(tally{o}.Done)",
	ifSize: "len(list{o}) == {v}", ifFirst: "len(list{o}) > 0 && list{o}[0] == {v}", ifRoom: "room{o}[{v}] == 1",
	ifLater: "time.Since(begin) >= {v}*time.Second",
}

// cases of those that are a select with a default.
var cases = map[kind]string{tryPut: "token{o} <- {e}", tryTake: "<-token{o}", ifShut: "<-gate{o}", tryMeet: "rv{o} <- {v}"}

var plain = map[kind]string{
	addTo: "atomic.AddInt64(word(&{x}), 1)",
	write: "{x} = {v}", read: "use({x})", increment: "{x}++", update: "{x} {u}", lock: "mu{o}.Lock()", unlock: "mu{o}.Unlock()",
	rlock: "rw{o}.RLock()", runlock: "rw{o}.RUnlock()", wlock: "rw{o}.Lock()", wunlock: "rw{o}.Unlock()",
	add: "c{o}.Add(1)", orBits: "c{o}.Or({v})", andBits: "c{o}.And({v})", store: "c{o}.Store({v})", put: "token{o} <- {e}", take: "<-token{o}", send: "ch{o} <- {v}",
	shut: "close(gate{o})", await: "<-gate{o}", push: "list{o} = append(list{o}, {v})", opaque: "strconv.AppendInt(b{o}[:0], {v}, 10)", logs: "t.Log(1)",
	meet: "rv{o} <- {v}", waitFor: "if {x} != {v} { cond{o}.Wait() }", signal: "cond{o}.Signal()", broadcast: "cond{o}.Broadcast()", done: "tasks{o}.Done()",
	allDone: "tasks{o}.Wait()", cancel: "cancel{o}()", canceled: "<-ctx{o}.Done()", join: "forked.Wait()",
	transmit: "writer{o}.Write([]byte{{v}})", dial: "call(listener{o})", accept: "answer(listener{o})", rmdir: "os.Remove(dir{o})",
	writeAt: "file{o}.WriteAt([]byte{{v}}, 0)", storeMapped: "mapped{o}.Store({v})", kill: "send(signals[{o}])", awaitSignal: "<-caught{o}",
	sleep:  "time.Sleep({v} * time.Second)",
	pooled: "if p := pool{o}.Get().(*[2]int); p != nil { p[0]++; pool{o}.Put(p) }",
}

func (w *printer) statement(s *statement) {
	switch {
	case s.nap > 0 && w.p.bubble:
		w.print("yield(%d)\n", s.nap)
	case s.nap > 0:
		w.print("nap(%d)\n", s.nap)
	}
	s.line = w.line
	element := []string{"struct{}{}", "7"}[s.obj%objects]
	format := strings.NewReplacer("{x}", []string{"x0", "x1.n", "x23.a", "x23.b"}[s.obj], "{o}", strconv.Itoa(s.obj), "{v}", strconv.Itoa(s.val), "{e}", element, "{u}", updateOf(s)).Replace
	switch {
	case s.kind == block:
		w.statements(s.body)
	case s.kind == deferred:
		last := len(s.body) - 1
		w.print("func() {\n")
		w.statement(&s.body[0])
		if s.body[last].kind == take {
			w.print("defer func() {\n")
			w.statement(&s.body[last])
			w.print("}()\n")
		} else {
			w.print("defer ")
			w.statement(&s.body[last])
		}
		w.statements(s.body[1:last])
		w.print("}()\n")
	case s.kind == fork && w.p.joined:
		w.goroutine("forked", s.val)
	case s.kind == fork:
		w.goroutine("wg", s.val)
	case s.kind == after:
		w.print("forked.Add(1)\ntime.AfterFunc(time.Millisecond, func() {\ndefer forked.Done()\n")
		w.statements(w.p.goroutines[s.val])
		w.print("})\n")
	case s.kind == ifEither:
		w.print("select {\ncase <-ch%d:\n", s.obj)
		w.statements(s.body)
		w.print("case <-gate%d:\n", s.obj)
		w.statements(s.other)
		w.print("}\n")
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
