// Package atomics publishes through atomic variables, and mixes them with
// plain accesses.
package atomics

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// The load that sees the flag is ordered after the store.
func TestNoRacePublishByFlag(t *testing.T) {
	var (
		ready atomic.Bool
		x     int
	)
	sched.InTurn(
		func() {
			x = 1
			ready.Store(true)
		},
		func() {
			for !ready.Load() {
				runtime.Gosched()
			}
			x++
		},
	)
}

// The same with the functions of sync/atomic.
func TestNoRacePublishByFunction(t *testing.T) {
	var (
		ready int32
		x     int
	)
	sched.InTurn(
		func() {
			x = 1
			atomic.StoreInt32(&ready, 1)
		},
		func() {
			for atomic.LoadInt32(&ready) == 0 {
				runtime.Gosched()
			}
			x++
		},
	)
}

// An atomic pointer publishes what it points to.
func TestNoRacePublishByPointer(t *testing.T) {
	type config struct{ name string }
	var current atomic.Pointer[config]
	sched.InTurn(
		func() { current.Store(&config{name: "new"}) },
		func() {
			if c := current.Load(); c != nil {
				_ = c.name
			}
		},
	)
}

// atomic.Value too.
func TestNoRacePublishByValue(t *testing.T) {
	var current atomic.Value
	sched.InTurn(
		func() { current.Store([]int{1, 2, 3}) },
		func() {
			if s, ok := current.Load().([]int); ok {
				_ = s[0]
			}
		},
	)
}

// Atomic operations never race with each other.
func TestNoRaceCounter(t *testing.T) {
	var (
		n  atomic.Int64
		wg sync.WaitGroup
	)
	for range 4 {
		wg.Go(func() {
			for range 100 {
				n.Add(1)
			}
		})
	}
	wg.Wait()
	if n.Load() != 400 {
		t.Errorf("counted %d, want 400", n.Load())
	}
}

// A lock made of compare-and-swap.
func TestNoRaceSpinLock(t *testing.T) {
	var (
		locked atomic.Bool
		x      int
		wg     sync.WaitGroup
	)
	for range 2 {
		wg.Go(func() {
			for range 20 {
				for !locked.CompareAndSwap(false, true) {
					runtime.Gosched()
				}
				x++
				locked.Store(false)
			}
		})
	}
	wg.Wait()
	if x != 40 {
		t.Errorf("x = %d, want 40", x)
	}
}

// Written with sync/atomic, read without.
func TestRaceMixed(t *testing.T) {
	var n int64
	sched.InTurn(
		func() { atomic.AddInt64(&n, 1) },
		func() { _ = n },
	)
}

// Read with sync/atomic, written without.
func TestRaceMixedWrite(t *testing.T) {
	var n int32
	sched.InTurn(
		func() { n = 1 },
		func() { _ = atomic.LoadInt32(&n) },
	)
}

// The flag is atomic, but it is raised before the data is written.
func TestRaceFlagTooEarly(t *testing.T) {
	var (
		ready atomic.Bool
		x     int
	)
	sched.InTurn(
		func() {
			ready.Store(true)
			x = 1
		},
		func() {
			for !ready.Load() {
				runtime.Gosched()
			}
			x++
		},
	)
}

// The flag is a plain variable.
func TestRacePlainFlag(t *testing.T) {
	ready := false
	sched.InTurn(
		func() { ready = true },
		func() {
			if ready {
				t.Log("ready")
			}
		},
	)
}

// "Not raised yet", seen under the lock, means that the raising section comes later in every
// schedule.
func TestNoRaceFlagSeenUnderLock(t *testing.T) {
	var (
		mu   sync.Mutex
		done atomic.Bool
		x    int
	)
	sched.InTurn(
		func() {
			mu.Lock()
			if !done.Load() {
				x++
			}
			mu.Unlock()
		},
		func() {
			mu.Lock()
			done.Store(true)
			mu.Unlock()
			x++
		},
	)
}

// Each goroutine writes its own variable, then reads the other's flag: at least one of them loses
// (Dekker).
func TestNoRaceDekker(t *testing.T) {
	var (
		a, b atomic.Bool
		x    int
	)
	sched.InTurn(
		func() {
			a.Store(true)
			if !b.Load() {
				x++
			}
		},
		func() {
			b.Store(true)
			if !a.Load() {
				x++
			}
		},
	)
}
