// Package trylock takes locks only when they are free.
package trylock

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// A TryLock that succeeds is a Lock.
func TestNoRaceTryLock(t *testing.T) {
	var (
		mu sync.Mutex
		x  int
	)
	add := func() {
		if mu.TryLock() {
			x++
			mu.Unlock()
		}
	}
	sched.InTurn(add, add)
}

// A TryLock that fails gives no right to anything.
func TestRaceIgnoredResult(t *testing.T) {
	var (
		mu sync.Mutex
		x  int
	)
	sched.InTurn(
		func() {
			mu.Lock()
			x++
			sched.Rest(2)
			mu.Unlock()
		},
		func() {
			if mu.TryLock() {
				defer mu.Unlock()
			}
			x++
		},
	)
}

// A failed TryRLock, likewise.
func TestRaceIgnoredReadResult(t *testing.T) {
	var (
		mu sync.RWMutex
		x  int
	)
	sched.InTurn(
		func() {
			mu.Lock()
			x = 1
			sched.Rest(2)
			mu.Unlock()
		},
		func() {
			if mu.TryRLock() {
				defer mu.RUnlock()
			}
			_ = x
		},
	)
}

// TryLock sections with nothing in common can change places like others.
func TestRacePredictedTryLock(t *testing.T) {
	var (
		mu   sync.Mutex
		mode = 1
		x    int
	)
	sched.InTurn(
		func() {
			x = 1
			if mu.TryLock() {
				_ = mode
				mu.Unlock()
			}
		},
		func() {
			if mu.TryLock() {
				_ = mode
				mu.Unlock()
				x++
			}
		},
	)
}

// The failed TryLock has seen that the lock is held, so the section that took it stays before.
func TestNoRaceFailureSeenUnderLock(t *testing.T) {
	var (
		mu   sync.Mutex
		busy sync.Mutex
		x    int
	)
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			busy.Lock()
			mu.Unlock()
			sched.Rest(2)
			busy.Unlock()
		},
		func() {
			mu.Lock()
			free := busy.TryLock()
			mu.Unlock()
			if free {
				busy.Unlock()
				return
			}
			x++
		},
	)
}
