// Package reference captures variables by reference (Uber's study, 4.1: capture by reference).
package reference

import (
	"context"
	"sync"
	"time"
)

func work() error { return nil }

func errReused() error {
	x, err := load()
	done := make(chan bool)
	go func() {
		err = store(x)
		done <- true
	}()
	err = work() // want `err is written by the goroutine of line \d+ and written here`
	<-done
	return err
}

func errOwn() error {
	x, err := load()
	done := make(chan bool)
	go func() {
		if err := store(x); err != nil {
			println(err)
		}
		done <- true
	}()
	err = work()
	<-done
	return err
}

func errAwaited() error {
	x, err := load()
	done := make(chan bool)
	go func() {
		err = store(x)
		close(done)
	}()
	<-done
	return err
}

func before() {
	n := 0
	n++
	go func() { println(n) }()
}

func namedResult() (result int, err error) {
	go func() {
		println(result)
	}()
	return 20, nil // want `result is read by the goroutine of line \d+ and written by return here`
}

func namedResultWritten() (err error) { // want `err is written by the goroutine of line \d+ and returned to the caller here`
	go func() {
		err = work()
	}()
	println("go on")
	return
}

func namedResultAwaited() (err error) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		err = work()
	}()
	wg.Wait()
	return
}

func sleeps() {
	n := 0
	go func() { n++ }()
	time.Sleep(time.Second)
	println(n) // want `n is written by the goroutine of line \d+ and read here`
}

func timesOut(ctx context.Context) int {
	n := 0
	done := make(chan struct{})
	go func() {
		n = 1
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	return n // want `n is written by the goroutine of line \d+ and read here`
}

func timesOutRight(ctx context.Context) int {
	n := 0
	done := make(chan struct{})
	go func() {
		n = 1
		close(done)
	}()
	select {
	case <-done:
		return n
	case <-ctx.Done():
		return 0
	}
}

func cancelled() int {
	n := 0
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		n = 1
		cancel()
	}()
	<-ctx.Done()
	return n
}

func timer() int {
	n := 0
	time.AfterFunc(time.Second, func() { n++ })
	return n // want `n is written by the timer of line \d+ and read here`
}

func signalled() {
	n := 0
	start := make(chan struct{})
	go func() {
		<-start
		println(n)
	}()
	n = 1
	close(start)
}

func signalledTooEarly() {
	n := 0
	start := make(chan struct{})
	go func() {
		<-start
		println(n)
	}()
	close(start)
	n = 1 // want `n is read by the goroutine of line \d+ and written here`
}

type server struct {
	n  int
	ch chan int
}

func (s *server) run() { s.n++ }

func (s *server) loop() {
	for range s.ch {
		s.n++
	}
}

func newServer() *server {
	s := &server{}
	go s.run()
	s.n = 1 // want `s.n is written by the goroutine of line \d+ and written here`
	return s
}

func newServerRight() *server {
	s := &server{}
	s.n = 1
	go s.run()
	return s
}

func inBranch(ok bool) int {
	n := 0
	if ok {
		go func() { n++ }()
		return 0
	}
	return n
}

func closure() {
	n := 0
	add := func() { n++ }
	go func() { add() }()
	println(n) // want `n is written by the goroutine of line \d+ and read here`
}

func load() (int, error) { return 0, nil }
func store(int) error    { return nil }
