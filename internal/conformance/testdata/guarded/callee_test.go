// Calls whose callee is known only when they run. The callee of the traps is not recorded; that of the twins is.

package guarded

import (
	"bytes"
	"container/ring"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestNoRaceFuncMethodValue(t *testing.T) {
	var out strings.Builder
	write := out.WriteString
	noticed(t, func() { write("a") }, func() bool { return out.Len() > 0 })
}

func TestRaceFuncLiteral(t *testing.T) {
	var out, other strings.Builder
	apart(func(f func()) { f() }, func() { out.WriteString("a") }, func() { other.WriteString("a") })
}

// apart has sections that call what they are given, and have nothing in common.
func apart(call func(func()), first, second func()) {
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		call(first)
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		call(second)
		b.mu.Unlock()
		b.x++
	})
}

// The compiler puts the literal that maps.All returns into the function that calls it.
func TestNoRaceFuncInlined(t *testing.T) {
	m := map[int]int{}
	each := maps.All(m)
	noticed(t, func() { m[1] = 1 }, func() (any bool) {
		each(func(int, int) bool { any = true; return false })
		return any
	})
}

func TestNoRaceFuncInlinedChanges(t *testing.T) {
	m, n := map[int]int{}, map[int]int{1: 1}
	first := maps.All(n)
	store := func(f func(func(int, int) bool)) { f(func(k, v int) bool { m[k] = v; return true }) }
	noticed(t, func() { store(first) }, func() bool { return len(m) > 0 })
}

func TestNoRaceFuncMade(t *testing.T) {
	var out strings.Builder
	write := reflect.ValueOf(&out).MethodByName("WriteString").Interface().(func(string) (int, error))
	noticed(t, func() { write("a") }, func() bool { return out.Len() > 0 })
}

func TestNoRaceFuncOfLibrary(t *testing.T) {
	g := rand.NewPCG(1, 2)
	first := rand.NewPCG(1, 2).Uint64()
	next := g.Uint64
	noticed(t, func() { next() }, func() bool { return g.Uint64() != first })
}

func TestNoRaceFuncOnce(t *testing.T) {
	r := ring.New(2)
	once := sync.OnceFunc(func() { r.Unlink(1) })
	noticed(t, func() { once() }, func() bool { return r.Len() == 1 })
}

func TestNoRaceFuncExpression(t *testing.T) {
	r := ring.New(2)
	unlink := (*ring.Ring).Unlink
	noticed(t, func() { unlink(r, 1) }, func() bool { return r.Len() == 1 })
}

type sink struct {
	to io.Writer
	on func(string)
}

func (s *sink) write(text string) { s.to.Write([]byte(text)) }
func (s *sink) tell(text string)  { s.on(text) }

func TestNoRaceMethodOfLibrary(t *testing.T) {
	var out bytes.Buffer
	s := &sink{to: &out}
	noticed(t, func() { s.write("a") }, func() bool { return out.Len() > 0 })
}

type counted struct{ n int }

func (l *counted) Write(p []byte) (int, error) {
	l.n++
	return len(p), nil
}

func TestNoRaceMethodRecorded(t *testing.T) {
	out := &counted{}
	s := &sink{to: out}
	noticed(t, func() { s.write("a") }, func() bool { return out.n > 0 })
}

func TestRaceMethodRecorded(t *testing.T) {
	a, b := &sink{to: &counted{}}, &sink{to: &counted{}}
	var x box
	inTurn(func() {
		x.x = 1
		x.mu.Lock()
		a.write("a")
		x.mu.Unlock()
	}, func() {
		x.mu.Lock()
		b.write("b")
		x.mu.Unlock()
		x.x++
	})
}

// A type that embeds one of the library has its methods.
type buffer struct{ *bytes.Buffer }

func TestNoRaceMethodPromoted(t *testing.T) {
	var out bytes.Buffer
	s := &sink{to: buffer{&out}}
	noticed(t, func() { s.write("a") }, func() bool { return out.Len() > 0 })
}

type anyWriter struct{ io.Writer }

func TestNoRaceMethodOfEmbeddedInterface(t *testing.T) {
	var out bytes.Buffer
	s := &sink{to: &anyWriter{&out}}
	noticed(t, func() { s.write("a") }, func() bool { return out.Len() > 0 })
}

// What the interface holds counts.
func TestRaceMethodOfEmbeddedInterface(t *testing.T) {
	a, b := &sink{to: &anyWriter{&counted{}}}, &sink{to: anyWriter{anyWriter{&counted{}}}}
	var x box
	inTurn(func() {
		x.x = 1
		x.mu.Lock()
		a.write("a")
		x.mu.Unlock()
	}, func() {
		x.mu.Lock()
		b.write("b")
		x.mu.Unlock()
		x.x++
	})
}

// The compiler knows the type, and the interface is read on the way.
func TestRaceMethodPromotedFromInterface(t *testing.T) {
	type lines struct{ *anyWriter }
	b := struct {
		box
		io.Writer
	}{Writer: &counted{}}
	l := &lines{&anyWriter{&counted{}}}
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		b.Write(nil)
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		l.Write(nil)
		b.mu.Unlock()
		b.x++
	})
}

func TestNoRaceMethodPromotedFromInterface(t *testing.T) {
	h := sha256.New()
	empty := string(h.Sum(nil))
	b := &summing{h}
	l := &struct{ *summing }{b}
	noticed(t, func() { b.Write(make([]byte, 200)) }, func() bool { return string(h.Sum(nil)) != empty })
	h.Reset()
	noticed(t, func() { l.Write(make([]byte, 200)) }, func() bool { return string(h.Sum(nil)) != empty })
}

// A hash computes in assembly.
type summing struct{ hash.Hash }

func TestNoRaceMethodOfEmbeddedHash(t *testing.T) {
	h := sha256.New()
	empty := string(h.Sum(nil))
	for _, to := range []io.Writer{summing{h}, &summing{h}, anyWriter{h}, anyWriter{&anyWriter{h}}, struct{ *summing }{&summing{h}}} {
		h.Reset()
		s := &sink{to: to}
		noticed(t, func() { s.write(strings.Repeat("a", 200)) }, func() bool { return string(h.Sum(nil)) != empty })
	}
}

// The interface holds something else when the deferred call is made.
func TestNoRaceMethodOfEmbeddedDeferred(t *testing.T) {
	h := sha256.New()
	empty := string(h.Sum(nil))
	w := &anyWriter{&counted{}}
	s := &sink{to: w}
	noticed(t, func() {
		defer s.to.Write([]byte(strings.Repeat("a", 200)))
		w.Writer = h
	}, func() bool { return string(h.Sum(nil)) != empty })
}

type guardedLines struct {
	sync.Mutex
	n int
}

func (l *guardedLines) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	l.n++
	return len(p), nil
}

func TestRaceMethodBesideLock(t *testing.T) {
	a, b := &sink{to: &guardedLines{}}, &sink{to: &guardedLines{}}
	var x box
	inTurn(func() {
		x.x = 1
		x.mu.Lock()
		a.write("a")
		x.mu.Unlock()
	}, func() {
		x.mu.Lock()
		b.write("b")
		x.mu.Unlock()
		x.x++
	})
}

func TestNoRaceHeldFunc(t *testing.T) {
	var out strings.Builder
	s := &sink{on: func(text string) { out.WriteString(text) }}
	noticed(t, func() { s.tell("a") }, func() bool { return out.Len() > 0 })
}

func TestRaceHeldFunc(t *testing.T) {
	var n, m int
	a, b := &sink{on: func(string) { n++ }}, &sink{on: func(string) { m++ }}
	var x box
	inTurn(func() {
		x.x = 1
		x.mu.Lock()
		a.tell("a")
		x.mu.Unlock()
	}, func() {
		x.mu.Lock()
		b.tell("b")
		x.mu.Unlock()
		x.x++
	})
	_, _ = n, m
}

// The literal changes the variable that holds the function, which is called after that.
func TestNoRaceFuncChangedByArgument(t *testing.T) {
	var out strings.Builder
	f := func(int, error) {}
	change := func() (int, error) {
		f = func(int, error) { out.WriteString("a") }
		return 0, errors.New("a")
	}
	noticed(t, func() { f(change()); f(change()) }, func() bool { return out.Len() > 0 })
}

// A literal that calls what is not recorded announces that itself.
func TestNoRaceFuncCallsLibrary(t *testing.T) {
	r := ring.New(2)
	f := func() { r.Unlink(1) }
	call := func(f func()) { f() }
	noticed(t, func() { call(f) }, func() bool { return r.Len() == 1 })
}

// taken takes the lock and returns what gives it back.
func (b *box) taken() func() {
	b.mu.Lock()
	return func() { b.mu.Unlock() }
}

func TestRaceFuncDeferred(t *testing.T) {
	var b box
	inTurn(func() {
		b.x = 1
		defer b.taken()()
		b.left++
	}, func() {
		func() {
			unlock := b.taken()
			defer unlock()
			b.right++
		}()
		b.x++
	})
}

func TestNoRaceFuncDeferred(t *testing.T) {
	var pcs [4]uintptr
	callers := runtime.Callers
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		defer b.mu.Unlock()
		defer callers(0, pcs[:])
	}, func() {
		b.mu.Lock()
		seen := pcs[0] != 0
		b.mu.Unlock()
		if seen {
			b.x++
		}
	})
	if b.x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMethodDeferred(t *testing.T) {
	first := rand.NewPCG(1, 2).Uint64()
	var src rand.Source = rand.NewPCG(1, 2)
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		defer b.mu.Unlock()
		defer src.Uint64()
	}, func() {
		b.mu.Lock()
		seen := src.Uint64() != first
		b.mu.Unlock()
		if seen {
			b.x++
		}
	})
	if b.x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestRaceMethodDeferred(t *testing.T) {
	var one, two io.Writer = new(counted), new(counted)
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		defer b.mu.Unlock()
		defer one.Write(nil)
	}, func() {
		func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			defer two.Write(nil)
		}()
		b.x++
	})
}

type adder struct{ n int }

func (t *adder) add(by int) {
	for range by {
		t.n++
	}
}

func TestRaceMethodValue(t *testing.T) {
	one, two := new(adder), new(adder)
	add, also := passed(one.add), passed(two.add)
	apart(func(f func()) { f() }, func() { add(1) }, func() { also(1) })
}

func TestNoRaceMethodValue(t *testing.T) {
	one := new(adder)
	add := passed(one.add)
	noticed(t, func() { add(1) }, func() bool { return one.n > 0 })
}

type source struct{ *rand.PCG }

func TestNoRaceMethodValuePromoted(t *testing.T) {
	first := rand.NewPCG(1, 2).Uint64()
	src := source{rand.NewPCG(1, 2)}
	next := passed(src.Uint64)
	noticed(t, func() { next() }, func() bool { return src.Uint64() != first })
}

func TestNoRaceMethodValueOfInterface(t *testing.T) {
	first := rand.NewPCG(1, 2).Uint64()
	var src rand.Source = rand.NewPCG(1, 2)
	next := passed(src.Uint64)
	noticed(t, func() { next() }, func() bool { return src.Uint64() != first })
}
