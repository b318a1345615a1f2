// Package locking locks in one place only (Uber's study, 4.6 and 4.8: missing or partial locking).
package locking

import (
	"sync"
	"time"
)

func partly() int {
	var mu sync.Mutex
	n := 0
	go func() {
		mu.Lock()
		n++
		mu.Unlock()
	}()
	return n // want `n is written by the goroutine of line \d+ and read here`
}

func wholly() int {
	var mu sync.Mutex
	n := 0
	go func() {
		mu.Lock()
		n++
		mu.Unlock()
	}()
	mu.Lock()
	defer mu.Unlock()
	return n
}

// What the loop waits for is set behind the write of n.
func polled() {
	var mu sync.Mutex
	n, set := 0, false
	go func() {
		n = 1
		mu.Lock()
		set = true
		mu.Unlock()
	}()
	for seen := false; !seen; time.Sleep(time.Millisecond) {
		mu.Lock()
		seen = set
		mu.Unlock()
	}
	n++
}

func looked(times int) {
	var mu sync.Mutex
	n, set := 0, false
	go func() {
		n = 1
		mu.Lock()
		set = true
		mu.Unlock()
	}()
	for i := 0; i < times; i++ {
		mu.Lock()
		println(set)
		mu.Unlock()
	}
	n++ // want `n is written by the goroutine of line \d+ and read here`
}

func writesUnderRLock() {
	var mu sync.RWMutex
	n := 0
	for range 2 {
		go func() {
			mu.RLock()
			n++ // want `n is written by several goroutines of line \d+ at a time`
			mu.RUnlock()
		}()
	}
}

func readsUnderRLock() {
	var mu sync.RWMutex
	n := 0
	go func() {
		mu.RLock()
		println(n)
		mu.RUnlock()
	}()
	mu.Lock()
	n++
	mu.Unlock()
}

func once() {
	var o sync.Once
	n := 0
	for range 2 {
		go func() {
			o.Do(func() { n = 1 })
			println(n)
		}()
	}
}

type timed struct {
	mu sync.Mutex
	t  *time.Timer
	n  int
}

// The caller holds the lock, which nothing here says.
func (x *timed) again() {
	x.t = time.AfterFunc(time.Second, func() {
		x.mu.Lock()
		x.t = nil
		x.mu.Unlock()
	})
	x.n++
}

func (x *timed) breathe(b bool) {
	if b {
		return
	}
	x.mu.Unlock()
	time.Sleep(1)
	x.mu.Lock()
}

func (x *timed) held(b bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.breathe(b)
	x.t = time.AfterFunc(time.Second, func() {
		x.mu.Lock()
		x.t = nil
		x.mu.Unlock()
	})
}
