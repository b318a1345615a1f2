// Package rwmutex uses reader/writer locks.
package rwmutex

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// Writers exclude readers and each other.
func TestNoRaceRWMutex(t *testing.T) {
	var (
		mu sync.RWMutex
		x  int
	)
	write := func() {
		mu.Lock()
		x++
		mu.Unlock()
	}
	read := func() {
		mu.RLock()
		_ = x
		mu.RUnlock()
	}
	sched.InTurn(write, read, read, write, read)
}

// Read locks do not exclude each other, so a write under one is unprotected.
func TestRaceWriteUnderReadLock(t *testing.T) {
	var (
		mu sync.RWMutex
		x  int
	)
	add := func() {
		mu.RLock()
		x++
		mu.RUnlock()
	}
	sched.InTurn(add, add)
}

// The reader holds the lock, the writer does not.
func TestRaceUnlockedWriter(t *testing.T) {
	var (
		mu sync.RWMutex
		x  int
	)
	sched.InTurn(
		func() {
			mu.RLock()
			_ = x
			mu.RUnlock()
		},
		func() { x = 1 },
	)
}

// A write section and a read section with nothing in common can change places.
func TestRacePredictedWriterThenReader(t *testing.T) {
	var (
		mu   sync.RWMutex
		a, b int
		x    int
	)
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			a++
			mu.Unlock()
		},
		func() {
			mu.RLock()
			_ = b
			mu.RUnlock()
			_ = x
		},
	)
}

// A read section followed by a write section, again without anything in common.
func TestRacePredictedReaderThenWriter(t *testing.T) {
	var (
		mu   sync.RWMutex
		a, b int
		x    int
	)
	sched.InTurn(
		func() {
			_ = x
			mu.RLock()
			_ = b
			mu.RUnlock()
		},
		func() {
			mu.Lock()
			a++
			mu.Unlock()
			x = 1
		},
	)
}

// The reader sees in the section what the writer wrote, so the write section comes first in every
// schedule.
func TestNoRaceSeenByReader(t *testing.T) {
	var (
		mu    sync.RWMutex
		ready bool
		x     int
	)
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			ready = true
			mu.Unlock()
		},
		func() {
			mu.RLock()
			ok := ready
			mu.RUnlock()
			if ok {
				x++
			}
		},
	)
}

// RLocker is the read side as a sync.Locker.
func TestNoRaceRLocker(t *testing.T) {
	var (
		mu sync.RWMutex
		x  int
	)
	sched.InTurn(
		func() {
			mu.Lock()
			x++
			mu.Unlock()
		},
		func() {
			l := mu.RLocker()
			l.Lock()
			_ = x
			l.Unlock()
		},
	)
}
