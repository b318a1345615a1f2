// Statements that take the lock in one part and call something in another. What the traps call is not recorded; what the twins call is.

package guarded

import (
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// locked takes the lock and returns v.
func locked[T any](b *box, v T) T {
	b.mu.Lock()
	return v
}

// begun is noticed for functions that take the lock themselves.
func begun(t *testing.T, do func(b *box), look func(b *box) bool) {
	var b box
	inTurn(func() {
		b.x = 1
		do(&b)
		b.mu.Unlock()
	}, func() {
		done := look(&b)
		b.mu.Unlock()
		if done {
			b.x++
		}
	})
	if b.x != 2 {
		t.Error("the second section did not see the first")
	}
}

// begunApart is apart for functions that take the lock themselves.
func begunApart(first, second func(b *box)) {
	var b box
	inTurn(func() {
		b.x = 1
		first(&b)
		b.mu.Unlock()
	}, func() {
		second(&b)
		b.mu.Unlock()
		b.x++
	})
}

func TestNoRaceLockedArgument(t *testing.T) {
	var pcs [4]uintptr
	begun(t, func(b *box) { runtime.Callers(locked(b, 0), pcs[:]) }, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
}

func TestRaceLockedArgument(t *testing.T) {
	one, two := new(counted), new(counted)
	begunApart(func(b *box) { one.Write(locked(b, []byte("a"))) }, func(b *box) { two.Write(locked(b, []byte("a"))) })
}

func TestNoRaceLockedReceiver(t *testing.T) {
	first := rand.NewChaCha8([32]byte{1}).Uint64()
	src := rand.NewChaCha8([32]byte{1})
	begun(t, func(b *box) { locked(b, src).Uint64() }, func(b *box) bool { return locked(b, src).Uint64() != first })
}

func TestNoRaceLockedMethod(t *testing.T) {
	first := rand.NewChaCha8([32]byte{1}).Uint64()
	var src rand.Source = rand.NewChaCha8([32]byte{1})
	begun(t, func(b *box) { locked(b, src).Uint64() }, func(b *box) bool { return locked(b, src).Uint64() != first })
}

func TestRaceLockedMethod(t *testing.T) {
	var one, two io.Writer = new(counted), new(counted)
	begunApart(func(b *box) { one.Write(locked(b, []byte("a"))) }, func(b *box) { two.Write(locked(b, []byte("a"))) })
}

func TestNoRaceLockedFunc(t *testing.T) {
	var pcs [4]uintptr
	callers := runtime.Callers
	begun(t, func(b *box) { callers(locked(b, 0), pcs[:]) }, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
}

func TestRaceLockedFunc(t *testing.T) {
	n, m := 0, 0
	one, two := func(by int) { n += by }, func(by int) { m += by }
	begunApart(func(b *box) { passed(one)(locked(b, 1)) }, func(b *box) { passed(two)(locked(b, 1)) })
}

//go:noinline
func passed[T any](v T) T { return v }

func TestNoRaceLockedBefore(t *testing.T) {
	var pcs [4]uintptr
	begun(t, func(b *box) { _ = locked(b, 1) + runtime.Callers(0, pcs[:]) }, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
}

func TestNoRaceLockedIndex(t *testing.T) {
	var pcs [4]uintptr
	var lens [2]int
	begun(t, func(b *box) { lens[locked(b, 1)] = runtime.Callers(0, pcs[:]) }, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
}

func TestNoRaceLockedTarget(t *testing.T) {
	var pcs [4]uintptr
	lens := make([]int, 2)
	var shown *int
	begun(t, func(b *box) {
		lens[locked(b, 1)], shown = runtime.Callers(0, pcs[:]), &lens[0]
	}, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
	_ = shown
}

func TestNoRaceLockedResult(t *testing.T) {
	var pcs [4]uintptr
	fill := func(b *box) int { return runtime.Callers(locked(b, 0), pcs[:]) }
	begun(t, func(b *box) { fill(b) }, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
}

func TestNoRaceLockedIf(t *testing.T) {
	var pcs [4]uintptr
	begun(t, func(b *box) {
		if b.mu.Lock(); runtime.Callers(0, pcs[:]) == 0 {
			t.Error("nobody called")
		}
	}, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
}

func TestNoRaceLockedSwitch(t *testing.T) {
	var pcs [4]uintptr
	begun(t, func(b *box) {
		switch b.mu.Lock(); runtime.Callers(0, pcs[:]) {
		case 0:
			t.Error("nobody called")
		}
	}, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
}

func TestNoRaceLockedCase(t *testing.T) {
	var pcs [4]uintptr
	begun(t, func(b *box) {
		switch {
		case locked(b, false):
		case runtime.Callers(0, pcs[:]) == 0:
			t.Error("nobody called")
		}
	}, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
}

func TestNoRaceLockedAttempt(t *testing.T) {
	var pcs [4]uintptr
	skip := map[bool]int{}
	begun(t, func(b *box) { runtime.Callers(skip[b.mu.TryLock()], pcs[:]) }, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
}

func TestNoRaceLockedSeveral(t *testing.T) {
	var pcs [4]uintptr
	both := func(b *box) (int, []uintptr) { return locked(b, 0), pcs[:] }
	begun(t, func(b *box) { runtime.Callers(both(b)) }, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
}

// The callee is asked about when the lock is held, and once more behind the call in its argument.
func TestRaceLockedBeforehand(t *testing.T) {
	var b box
	text := new(counted)
	var to io.Writer = text
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		to.Write([]byte(passed("a")))
		b.mu.Unlock()
	}, func() {
		b.pass()
		b.x++
	})
}

// released gives the lock back and returns v.
func released[T any](b *box, v T) T {
	b.mu.Unlock()
	return v
}

func TestNoRaceLockedAnd(t *testing.T) {
	var pcs [4]uintptr
	skip := map[bool]int{}
	yes := passed(true)
	begun(t, func(b *box) { runtime.Callers(skip[yes && locked(b, false)], pcs[:]) }, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
}

func TestNoRaceLockedInner(t *testing.T) {
	var pcs [4]uintptr
	begun(t, func(b *box) { runtime.Callers(locked(b, runtime.Callers(0, nil)), pcs[:]) }, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
}

// The lock is given back in the statement that takes it.
func TestNoRaceLockedWithin(t *testing.T) {
	var pcs [4]uintptr
	lens := make([]int, 2)
	var b box
	inTurn(func() {
		b.x = 1
		lens[locked(&b, 1)] = released(&b, runtime.Callers(0, pcs[:]))
	}, func() {
		b.mu.Lock()
		seen := pcs[0] != 0
		b.mu.Unlock()
		if seen {
			b.x++
		}
	})
	if b.x != 2 || lens[1] == 0 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceLockedPanics(t *testing.T) {
	var pcs [4]uintptr
	lens := make([]int, 2)
	begun(t, func(b *box) {
		defer func() { recover() }()
		lens[locked(b, 9)] = runtime.Callers(0, pcs[:])
	}, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
}

func TestNoRaceLockedByPool(t *testing.T) {
	var pcs [4]uintptr
	begun(t, func(b *box) {
		pool := sync.Pool{New: func() any { b.mu.Lock(); return 0 }}
		runtime.Callers(pool.Get().(int), pcs[:])
	}, func(b *box) bool { return locked(b, &pcs)[0] != 0 })
}

func use(...int) {}

// The unrecorded call ends before the lock is taken.
func TestRaceLockedAfterwards(t *testing.T) {
	var pcs, others [4]uintptr
	var b box
	inTurn(func() {
		b.x = 1
		use(runtime.Callers(0, pcs[:]), locked(&b, 0))
		b.mu.Unlock()
	}, func() {
		use(runtime.Callers(0, others[:]), locked(&b, 0))
		b.mu.Unlock()
		b.x++
	})
}
