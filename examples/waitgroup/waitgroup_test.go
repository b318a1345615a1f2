// Package waitgroup waits for goroutines to finish.
package waitgroup

import (
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// Everything before a Done is ordered before the return of Wait.
func TestNoRaceWaitGroup(t *testing.T) {
	var (
		wg      sync.WaitGroup
		results [4]int
	)
	for i := range results {
		wg.Add(1)
		go func() {
			defer wg.Done()
			results[i] = i * i
		}()
	}
	wg.Wait()
	if results[3] != 9 {
		t.Errorf("results[3] = %d, want 9", results[3])
	}
}

// WaitGroup.Go counts for itself.
func TestNoRaceGo(t *testing.T) {
	var wg sync.WaitGroup
	x := 0
	wg.Go(func() { x = 1 })
	wg.Wait()
	x++
}

// The result is read before the wait.
func TestRaceReadBeforeWait(t *testing.T) {
	var wg sync.WaitGroup
	x := 0
	wg.Add(1)
	go func() {
		defer wg.Done()
		x = 1
	}()
	sched.Rest(1)
	_ = x
	wg.Wait()
}

// Done comes before the last write.
func TestRaceWriteAfterDone(t *testing.T) {
	var wg, end sync.WaitGroup
	x := 0
	wg.Add(1)
	end.Add(1)
	go func() {
		defer end.Done()
		wg.Done()
		x = 1
	}()
	wg.Wait()
	x++
	end.Wait()
}

// The workers are ordered with the waiter, not with each other.
func TestRaceAmongWorkers(t *testing.T) {
	var wg sync.WaitGroup
	last := 0
	for i := range 3 {
		wg.Add(1)
		go func() {
			last += i
			wg.Done()
		}()
	}
	wg.Wait()
}

// Two waiters may both go on, and then they are not ordered.
func TestRaceAmongWaiters(t *testing.T) {
	var start sync.WaitGroup
	start.Add(1)
	x := 0
	sched.InTurn(
		func() {
			start.Wait()
			x++
		},
		func() {
			start.Wait()
			x--
		},
		func() { start.Done() },
	)
}
