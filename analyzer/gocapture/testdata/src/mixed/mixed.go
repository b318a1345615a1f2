// Package mixed mixes channels and shared memory (Uber's study, 4.5), and values and pointers (4.4).
package mixed

import (
	"context"
	"errors"
	"sync"
	"time"
)

type future struct {
	ch       chan int
	response any
	err      error
}

func (f *future) start(ctx context.Context, do func() (any, error)) (any, error) {
	go func() {
		resp, err := do()
		f.response = resp
		f.err = err
		f.ch <- 1
	}()
	select {
	case <-f.ch:
		return f.response, nil
	case <-ctx.Done():
		f.err = errors.New("cancelled") // want `f.err is written by the goroutine of line \d+ and written here`
		return nil, f.err
	}
}

func (f *future) startRight(do func() (any, error)) (any, error) {
	go func() {
		f.response, f.err = do()
		f.ch <- 1
	}()
	<-f.ch
	return f.response, f.err
}

// The lock is a copy of the function's: a parameter.
func critical(mu sync.Mutex, n *int) {
	mu.Lock()
	*n++ // want `n is written by several goroutines of line \d+ at a time`
	mu.Unlock()
}

func byValue() {
	var mu sync.Mutex
	n := 0
	for range 2 {
		go critical(mu, &n)
	}
}

func criticalByPointer(mu *sync.Mutex, n *int) {
	mu.Lock()
	*n++
	mu.Unlock()
}

func byPointer() {
	var mu sync.Mutex
	n := 0
	for range 2 {
		go criticalByPointer(&mu, &n)
	}
}

func timesOut(do func() int) (n int, ok bool) {
	done := make(chan struct{}, 1)
	go func() {
		n = do()
		done <- struct{}{}
	}()
	timeout := time.After(time.Second)
	select {
	case <-done:
		return n, true
	case <-timeout:
		return 0, false // want `n is written by the goroutine of line \d+ and written by return here`
	}
}
