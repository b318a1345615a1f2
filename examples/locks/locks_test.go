// Package locks reaches its locks in all the ways Go allows: deferred,
// embedded, through an interface, as a method value, by a pointer. Each way
// protects what it guards, and each way can hide a race that is only predicted.
package locks

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// A deferred unlock ends the section when the function returns, also by a panic.
func TestNoRaceDeferred(t *testing.T) {
	var (
		mu sync.Mutex
		x  int
	)
	add := func() {
		defer func() { _ = recover() }()
		mu.Lock()
		defer mu.Unlock()
		x++
		if x > 1 {
			panic("enough")
		}
	}
	sched.InTurn(add, add, add)
}

// The deferred unlock runs before the caller goes on, and there the race is.
func TestRacePredictedDeferred(t *testing.T) {
	var (
		mu   sync.Mutex
		mode = 1
		x    int
	)
	look := func() int {
		mu.Lock()
		defer mu.Unlock()
		return mode
	}
	sched.InTurn(
		func() {
			x = 1
			look()
		},
		func() {
			look()
			x++
		},
	)
}

// box embeds its lock.
type box struct {
	sync.Mutex
	mode int
	x    int
}

// A promoted Lock is the embedded mutex's Lock.
func TestNoRaceEmbedded(t *testing.T) {
	var b box
	add := func() {
		b.Lock()
		defer b.Unlock()
		b.x++
	}
	sched.InTurn(add, add)
}

// A promoted Lock hides the race as a plain one does.
func TestRacePredictedEmbedded(t *testing.T) {
	b := &box{mode: 1}
	sched.InTurn(
		func() {
			b.x = 1
			b.Lock()
			_ = b.mode
			b.Unlock()
		},
		func() {
			b.Lock()
			_ = b.mode
			b.Unlock()
			b.x = 2
		},
	)
}

// A goroutine that holds a sync.Locker holds the lock behind it.
func TestNoRaceLocker(t *testing.T) {
	var (
		b     box
		plain sync.Locker = &b.Mutex
		outer sync.Locker = &b
	)
	sched.InTurn(
		func() {
			plain.Lock()
			b.x++
			plain.Unlock()
		},
		func() {
			outer.Lock()
			b.x++
			outer.Unlock()
		},
	)
}

// The race behind a sync.Locker.
func TestRacePredictedLocker(t *testing.T) {
	var (
		mu   sync.Mutex
		l    sync.Locker = &mu
		mode             = 1
		x    int
	)
	sched.InTurn(
		func() {
			x = 1
			l.Lock()
			_ = mode
			l.Unlock()
		},
		func() {
			l.Lock()
			_ = mode
			l.Unlock()
			x++
		},
	)
}

// Lock and Unlock as method values.
func TestNoRaceMethodValue(t *testing.T) {
	var (
		mu           sync.Mutex
		lock, unlock = mu.Lock, mu.Unlock
		x            int
	)
	add := func() {
		lock()
		defer unlock()
		x++
	}
	sched.InTurn(add, add)
}

// The race behind method values.
func TestRacePredictedMethodValue(t *testing.T) {
	var (
		mu           sync.Mutex
		lock, unlock = mu.Lock, mu.Unlock
		mode         = 1
		x            int
	)
	sched.InTurn(
		func() {
			x = 1
			lock()
			_ = mode
			unlock()
		},
		func() {
			lock()
			_ = mode
			unlock()
			x++
		},
	)
}

// guarded runs f in a section of mu.
func guarded(mu *sync.Mutex, f func()) {
	mu.Lock()
	defer mu.Unlock()
	f()
}

// The lock is taken by a helper that is given the section as a function.
func TestNoRaceHelper(t *testing.T) {
	var (
		mu sync.Mutex
		x  int
	)
	sched.InTurn(
		func() { guarded(&mu, func() { x++ }) },
		func() { guarded(&mu, func() { x-- }) },
	)
}

// A struct copied with its lock has two locks for one variable behind a pointer.
func TestRaceCopiedLock(t *testing.T) {
	type shared struct {
		mu *sync.Mutex
		x  *int
	}
	n := 0
	a := shared{mu: new(sync.Mutex), x: &n}
	b := shared{mu: new(sync.Mutex), x: a.x}
	sched.InTurn(
		func() {
			a.mu.Lock()
			*a.x++
			a.mu.Unlock()
		},
		func() {
			b.mu.Lock()
			*b.x++
			b.mu.Unlock()
		},
	)
}

// A lock that one goroutine takes and another releases hands the data over.
func TestNoRaceHandOver(t *testing.T) {
	var (
		mu sync.Mutex
		x  int
	)
	mu.Lock()
	sched.InTurn(
		func() {
			x = 1
			mu.Unlock()
		},
		func() {
			mu.Lock()
			x++
			mu.Unlock()
		},
	)
}

// One lock per element, many elements.
func TestNoRaceStriped(t *testing.T) {
	type cell struct {
		mu sync.Mutex
		n  int
	}
	cells := make([]cell, 4)
	work := func() {
		for i := range 20 {
			c := &cells[i%len(cells)]
			c.mu.Lock()
			c.n++
			c.mu.Unlock()
		}
	}
	sched.InTurn(work, work)
	if cells[0].n != 10 {
		t.Errorf("cells[0].n = %d, want 10", cells[0].n)
	}
}
