// Package counter counts with several goroutines: without a lock, with one, and
// with one that only seems to help.
package counter

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// Two goroutines add to one counter and nothing orders them.
func TestRaceCounter(t *testing.T) {
	n := 0
	sched.InTurn(
		func() { n++ },
		func() { n += 2 },
	)
}

// Every addition holds the lock.
func TestNoRaceCounter(t *testing.T) {
	var (
		mu sync.Mutex
		n  int
		wg sync.WaitGroup
	)
	for range 8 {
		wg.Go(func() {
			for range 100 {
				mu.Lock()
				n++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if n != 800 {
		t.Errorf("counted %d, want 800", n)
	}
}

// Each goroutine holds a lock, but not the same one.
func TestRaceTwoLocks(t *testing.T) {
	var (
		a, b sync.Mutex
		n    int
	)
	sched.InTurn(
		func() {
			a.Lock()
			n++
			a.Unlock()
		},
		func() {
			b.Lock()
			n++
			b.Unlock()
		},
	)
}

// The lock that both take for the log level happens to order the additions, in this schedule only.
func TestRacePredictedCounter(t *testing.T) {
	var (
		mu    sync.Mutex
		level = 3
		n     int
	)
	verbose := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return level > 5
	}
	sched.InTurn(
		func() {
			n++
			if verbose() {
				t.Log("first")
			}
		},
		func() {
			if verbose() {
				t.Log("second")
			}
			n++
		},
	)
}

// Both locks are held by one side, either by the other: one common lock is enough.
func TestNoRaceCommonLock(t *testing.T) {
	var (
		a, b sync.Mutex
		n    int
	)
	sched.InTurn(
		func() {
			a.Lock()
			b.Lock()
			n++
			b.Unlock()
			a.Unlock()
		},
		func() {
			b.Lock()
			n++
			b.Unlock()
		},
	)
}

// A lock that is released out of nesting order still protects until its own release.
func TestNoRaceHandOverHand(t *testing.T) {
	var (
		a, b sync.Mutex
		n    int
	)
	sched.InTurn(
		func() {
			a.Lock()
			b.Lock()
			a.Unlock()
			n++
			b.Unlock()
		},
		func() {
			a.Lock()
			b.Lock()
			a.Unlock()
			n++
			b.Unlock()
		},
	)
}

var total int

// The counter is a package variable, and one goroutine only reads it.
func TestRacePackageVariable(t *testing.T) {
	sched.InTurn(
		func() { total++ },
		func() {
			if total > 10 {
				t.Log("many")
			}
		},
	)
}
