// What one side does under the lock is done by the runtime, or with a part of it, to memory that it is given.

package guarded

import (
	"math/rand/v2"
	"runtime"
	"testing"
)

// noticed runs a section that does something, and one that looks whether it was done. The twins do without the look, each at places of its own.
func noticed(t *testing.T, do func(), look func() bool) {
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		do()
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		done := look()
		b.mu.Unlock()
		if done {
			b.x++
		}
	})
	if b.x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceCallers(t *testing.T) {
	var pcs [4]uintptr
	noticed(t, func() { runtime.Callers(0, pcs[:]) }, func() bool { return pcs[0] != 0 })
}

func TestRaceCallers(t *testing.T) {
	var pcs [4]uintptr
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		runtime.Callers(0, pcs[:])
		b.mu.Unlock()
	}, func() {
		b.pass()
		b.x++
	})
}

func TestNoRaceFrames(t *testing.T) {
	var pcs [4]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
	noticed(t, func() { frames.Next() }, func() bool {
		f, _ := frames.Next()
		return f.Function != "runtime.Callers"
	})
}

func TestRaceFrames(t *testing.T) {
	var pcs [4]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		frames.Next()
		b.mu.Unlock()
	}, func() {
		b.pass()
		b.x++
	})
}

func TestNoRaceStackText(t *testing.T) {
	var text [64]byte
	noticed(t, func() { runtime.Stack(text[:], false) }, func() bool { return text[0] != 0 })
}

func TestRaceStackText(t *testing.T) {
	var text [64]byte
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		runtime.Stack(text[:], false)
		b.mu.Unlock()
	}, func() {
		b.pass()
		b.x++
	})
}

func TestNoRaceMemStatsFilled(t *testing.T) {
	var m runtime.MemStats
	noticed(t, func() { runtime.ReadMemStats(&m) }, func() bool { return m.Sys != 0 })
}

// Nobody else knows the array, so the section is like any other.
func TestRaceOwnCallers(t *testing.T) {
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		var pcs [4]uintptr
		b.left += runtime.Callers(0, pcs[:])
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		var pcs [4]uintptr
		b.right += runtime.Callers(0, pcs[:])
		b.mu.Unlock()
		b.x++
	})
}

func TestNoRaceChaCha8(t *testing.T) {
	first := rand.NewChaCha8([32]byte{1}).Uint64()
	src := rand.NewChaCha8([32]byte{1})
	noticed(t, func() { src.Uint64() }, func() bool { return src.Uint64() != first })
}

func TestRaceChaCha8(t *testing.T) {
	src := rand.NewChaCha8([32]byte{1})
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		src.Uint64()
		b.mu.Unlock()
	}, func() {
		b.pass()
		b.x++
	})
}

// randOf is a Rand of whatever source.
func randOf(src rand.Source) *rand.Rand { return rand.New(src) }

func TestNoRaceRandOfChaCha8(t *testing.T) {
	first := rand.NewChaCha8([32]byte{1}).Uint64()
	r := randOf(rand.NewChaCha8([32]byte{1}))
	noticed(t, func() { r.Uint64() }, func() bool { return r.Uint64() != first })
}

func TestRaceRandOfChaCha8(t *testing.T) {
	r := randOf(rand.NewChaCha8([32]byte{1}))
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		r.Uint64()
		b.mu.Unlock()
	}, func() {
		b.pass()
		b.x++
	})
}
