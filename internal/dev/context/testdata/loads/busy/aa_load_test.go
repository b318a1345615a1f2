// Package load has busy places that race late, each after it was busy without a race.
package load

import (
	"sync"
	"testing"
	"time"
)

const (
	loadBusyBefore    = 50_000                 // calls by each goroutine before anything races
	loadBusyOwnBefore = 2_000_000              // calls that need no records
	loadBusyRaces     = 300 * time.Millisecond // how long it races
)

type loadBusyCounter struct {
	mu sync.Mutex
	n  int
}

// loadBusy has two goroutines call f with counters of their own, and then, for a while, as the test wants.
func loadBusy(f func(*sync.Mutex, *loadBusyCounter), race func(until time.Time)) {
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			var c loadBusyCounter
			for range loadBusyBefore {
				f(&c.mu, &c)
			}
		})
	}
	both.Wait()
	race(time.Now().Add(loadBusyRaces))
}

// loadBusyOwn does so until what they do to their own counters is busy even though it needs no records.
func loadBusyOwn(f func(*sync.Mutex, *loadBusyCounter), race func(until time.Time)) {
	for range loadBusyOwnBefore / loadBusyBefore {
		loadBusy(f, func(time.Time) {})
	}
	loadBusy(f, race)
}

// loadBusyTwo has two goroutines call f with one counter and those locks.
func loadBusyTwo(f func(*sync.Mutex, *loadBusyCounter), c *loadBusyCounter, first, second *sync.Mutex) func(time.Time) {
	return func(until time.Time) {
		var both sync.WaitGroup
		for _, mu := range []*sync.Mutex{first, second} {
			both.Go(func() {
				for time.Now().Before(until) {
					f(mu, c)
				}
			})
		}
		both.Wait()
	}
}

func TestRaceLoadBusyNoLock(t *testing.T) {
	var c loadBusyCounter
	f := func(_ *sync.Mutex, c *loadBusyCounter) { c.n = c.n*3 + 1 }
	loadBusy(f, loadBusyTwo(f, &c, nil, nil))
}

func TestRaceLoadBusyOwn(t *testing.T) {
	var c loadBusyCounter
	f := func(_ *sync.Mutex, c *loadBusyCounter) { c.n = c.n*3 + 1 }
	loadBusyOwn(f, loadBusyTwo(f, &c, nil, nil))
}

func TestRaceLoadBusyTwoLocks(t *testing.T) {
	var c, other loadBusyCounter
	f := func(mu *sync.Mutex, c *loadBusyCounter) {
		mu.Lock()
		c.n = c.n*3 + 1
		mu.Unlock()
	}
	loadBusy(f, loadBusyTwo(f, &c, &c.mu, &other.mu))
}

func TestNoRaceLoadBusyOneLock(t *testing.T) {
	var c loadBusyCounter
	f := func(mu *sync.Mutex, c *loadBusyCounter) {
		mu.Lock()
		c.n = c.n*3 + 1
		mu.Unlock()
	}
	loadBusy(f, loadBusyTwo(f, &c, &c.mu, &c.mu))
}

// One goroutine is there all the time, the other now and then.
func TestRaceLoadBusySeldom(t *testing.T) {
	var c loadBusyCounter
	f := func(_ *sync.Mutex, c *loadBusyCounter) { c.n = c.n*3 + 1 }
	loadBusy(f, func(until time.Time) {
		var both sync.WaitGroup
		both.Go(func() {
			for time.Now().Before(until) {
				f(nil, &c)
			}
		})
		for time.Now().Before(until) {
			time.Sleep(10 * time.Millisecond)
			c.n = 0
		}
		both.Wait()
	})
}

// loadBusyTurns has two goroutines that are ordered by nothing but sections of one lock: the second one comes later.
func loadBusyTurns(until time.Time, first, second func(shared *loadBusyCounter, mu *sync.Mutex)) {
	var mu sync.Mutex
	for time.Now().Before(until) {
		var c loadBusyCounter
		var both sync.WaitGroup
		both.Go(func() { first(&c, &mu) })
		both.Go(func() {
			time.Sleep(4 * time.Millisecond)
			second(&c, &mu)
		})
		both.Wait()
	}
}

// The race shows in another schedule only, one in which the sections come the other way round.
func TestRaceLoadBusyPredicted(t *testing.T) {
	f := func(_ *sync.Mutex, c *loadBusyCounter) { c.n = c.n*3 + 1 }
	section := func(mu *sync.Mutex) {
		mu.Lock()
		mu.Unlock()
	}
	loadBusy(f, func(until time.Time) {
		loadBusyTurns(until, func(c *loadBusyCounter, mu *sync.Mutex) {
			f(nil, c)
			section(mu)
		}, func(c *loadBusyCounter, mu *sync.Mutex) {
			section(mu)
			f(nil, c)
		})
	})
}

// What is done in the sections decides who goes on, so the other order cannot be.
func TestNoRaceLoadBusyTold(t *testing.T) {
	f := func(_ *sync.Mutex, c *loadBusyCounter) { c.n = c.n*3 + 1 }
	loadBusy(f, func(until time.Time) {
		told := false
		loadBusyTurns(until, func(c *loadBusyCounter, mu *sync.Mutex) {
			f(nil, c)
			mu.Lock()
			told = true
			mu.Unlock()
		}, func(c *loadBusyCounter, mu *sync.Mutex) {
			for done := false; !done; time.Sleep(time.Millisecond) {
				mu.Lock()
				done, told = told, false
				mu.Unlock()
			}
			f(nil, c)
		})
	})
}
