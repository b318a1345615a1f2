// Package group waits with groups (Uber's study, 4.7: group synchronization).
package group

import (
	"sync"
	"sync/atomic"
)

func doneTooEarly() int {
	var wg sync.WaitGroup
	n := 0
	wg.Add(1)
	go func() {
		wg.Done()
		n = 1
	}()
	wg.Wait()
	return n // want `n is written by the goroutine of line \d+ and read here`
}

func doneBeforeCleanup() (err error) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer func() { err = nil }()
		defer wg.Done()
	}()
	wg.Wait()
	println(err) // want `err is written by the goroutine of line \d+ and read here`
	return
}

func doneLast() int {
	var wg sync.WaitGroup
	n := 0
	wg.Add(1)
	go func() {
		defer wg.Done()
		n = 1
	}()
	wg.Wait()
	return n
}

func inGroup() int {
	var wg sync.WaitGroup
	n := 0
	wg.Go(func() { n = 1 })
	wg.Wait()
	return n
}

func several() int {
	var wg sync.WaitGroup
	n := 0
	wg.Go(func() { n = 1 })
	wg.Go(func() { n = 2 }) // want `n is written by the goroutine of line \d+ and written by that of line \d+`
	wg.Wait()
	return n
}

func closer() int {
	var wg sync.WaitGroup
	n := 0
	results := make(chan int)
	wg.Add(1)
	go func() {
		defer wg.Done()
		n = 1
		results <- 1
	}()
	go func() {
		wg.Wait()
		close(results)
	}()
	for range results {
	}
	return n
}

func turns() {
	var turn atomic.Int32
	n := 0
	for p := range int32(2) {
		go func() {
			for range 10 {
				if turn.Load() == p {
					n++
					turn.Store(1 - p)
				}
			}
		}()
	}
}

// A literal that has a name, with a sync.Once in it.

func lazily(n int) int {
	var once sync.Once
	var v int
	get := func() int {
		once.Do(func() { v = n })
		return v
	}
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { _ = get() })
	}
	wg.Wait()
	return get() + v
}

func lazilyWrong(n int) int {
	var once sync.Once
	var v int
	get := func() int {
		if v == 0 {
			once.Do(func() { v = n }) // want `v is written by several goroutines of line \d+ at a time`
		}
		return v
	}
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { _ = get() })
	}
	wg.Wait()
	return get() + v
}
