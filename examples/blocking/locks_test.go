package blocking

import (
	"errors"
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

var errRefused = errors.New("refused")

type registry struct {
	mu    sync.RWMutex
	names map[string]int
}

func (r *registry) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.names)
}

func (r *registry) sizeLocked() int { return len(r.names) }

// It calls the one that wants it held.
func TestNoRaceDoubleLock(t *testing.T) {
	r := &registry{names: map[string]int{}}
	go func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.names["n"] = r.sizeLocked()
	}()
	sched.Rest(1)
}

// It stops reading first, and looks again.
func TestNoRaceUpgrade(t *testing.T) {
	r := &registry{names: map[string]int{}}
	go func() {
		r.mu.RLock()
		empty := len(r.names) == 0
		r.mu.RUnlock()
		if empty {
			r.mu.Lock()
			if len(r.names) == 0 {
				r.names["first"] = 1
			}
			r.mu.Unlock()
		}
	}()
	sched.Rest(1)
}

// The way back with an error keeps the lock; the next caller waits for it.
func TestLeakMissingUnlock(t *testing.T) {
	var (
		mu  sync.Mutex
		sum int
	)
	add := func(n int) error {
		mu.Lock()
		if n < 0 {
			return errRefused
		}
		sum += n
		mu.Unlock()
		return nil
	}
	_ = add(-1)
	go func() { _ = add(1) }()
	sched.Rest(1)
}

// Every way back gives the lock back.
func TestNoRaceMissingUnlock(t *testing.T) {
	var (
		mu  sync.Mutex
		sum int
	)
	add := func(n int) error {
		mu.Lock()
		defer mu.Unlock()
		if n < 0 {
			return errRefused
		}
		sum += n
		return nil
	}
	_ = add(-1)
	go func() { _ = add(1) }()
	sched.Rest(1)
}

// Each value has its own Once.
func TestNoRaceOnceInOnce(t *testing.T) {
	var (
		outer, inner sync.Once
		base, value  int
	)
	get := func() int {
		outer.Do(func() {
			inner.Do(func() { base = 1 })
			value = base + 1
		})
		return value
	}
	go func() { _ = get() }()
	sched.Rest(1)
}

// A goroutine holds a lock while it sends; the receiver wants the lock first.
func TestLeakLockAndChannel(t *testing.T) {
	var (
		mu      sync.Mutex
		pending int
		results = make(chan int)
	)
	go func() {
		mu.Lock()
		defer mu.Unlock()
		pending++
		results <- pending
	}()
	sched.Rest(1)
	go func() {
		mu.Lock()
		pending--
		mu.Unlock()
		<-results
	}()
	sched.Rest(1)
}

// It sends what it has to send without the lock.
func TestNoRaceLockAndChannel(t *testing.T) {
	var (
		mu      sync.Mutex
		pending int
		results = make(chan int)
	)
	go func() {
		mu.Lock()
		pending++
		n := pending
		mu.Unlock()
		results <- n
	}()
	sched.Rest(1)
	go func() {
		mu.Lock()
		pending--
		mu.Unlock()
		<-results
	}()
	sched.Rest(1)
}

// Both take them in one order.
func TestNoRaceEmbrace(t *testing.T) {
	var a, b sync.Mutex
	embrace := func(first, second *sync.Mutex) {
		first.Lock()
		sched.Rest(2)
		second.Lock()
		second.Unlock()
		first.Unlock()
	}
	go embrace(&a, &b)
	go embrace(&a, &b)
	sched.Rest(4)
}
