// Package cond waits on condition variables.
package cond

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// The usual form: the predicate is read and written under the lock.
func TestNoRaceCond(t *testing.T) {
	var (
		mu    sync.Mutex
		c     = sync.NewCond(&mu)
		ready bool
		x     int
	)
	sched.InTurn(
		func() {
			mu.Lock()
			for !ready {
				c.Wait()
			}
			mu.Unlock()
			x++
		},
		func() {
			x = 1
			mu.Lock()
			ready = true
			c.Signal()
			mu.Unlock()
		},
	)
}

// Signal before Unlock or after it, both are right; here one broadcast wakes two.
func TestNoRaceBroadcast(t *testing.T) {
	var (
		mu    sync.Mutex
		c     = sync.NewCond(&mu)
		ready bool
		x     int
	)
	wait := func() {
		mu.Lock()
		for !ready {
			c.Wait()
		}
		_ = x
		mu.Unlock()
	}
	sched.InTurn(wait, wait, func() {
		x = 1
		mu.Lock()
		ready = true
		mu.Unlock()
		c.Broadcast()
	})
}

// A queue with a condition for "not empty".
func TestNoRaceQueue(t *testing.T) {
	type item struct{ n int }
	var (
		mu       sync.Mutex
		notEmpty = sync.NewCond(&mu)
		queue    []*item
		sum      int
	)
	sched.InTurn(
		func() {
			for range 3 {
				mu.Lock()
				for len(queue) == 0 {
					notEmpty.Wait()
				}
				next := queue[0]
				queue = queue[1:]
				mu.Unlock()
				sum += next.n
			}
		},
		func() {
			for i := range 3 {
				next := &item{}
				next.n = i
				mu.Lock()
				queue = append(queue, next)
				notEmpty.Signal()
				mu.Unlock()
			}
		},
	)
	if sum != 3 {
		t.Errorf("sum = %d, want 3", sum)
	}
}

// What the signaller does after its unlock is not ordered before the waiter.
func TestRaceAfterSignal(t *testing.T) {
	var (
		mu    sync.Mutex
		c     = sync.NewCond(&mu)
		ready bool
		x     int
	)
	sched.InTurn(
		func() {
			mu.Lock()
			for !ready {
				c.Wait()
			}
			mu.Unlock()
			x++
		},
		func() {
			mu.Lock()
			ready = true
			c.Signal()
			mu.Unlock()
			x = 1
		},
	)
}

// The predicate is written without the lock.
func TestRaceUnlockedPredicate(t *testing.T) {
	var (
		mu    sync.Mutex
		c     = sync.NewCond(&mu)
		ready bool
	)
	sched.InTurn(
		func() {
			mu.Lock()
			for !ready {
				c.Wait()
			}
			mu.Unlock()
		},
		func() {
			ready = true
			c.Broadcast()
		},
	)
}
