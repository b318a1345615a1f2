// Package closures captures variables.
package closures

import (
	"errors"
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// Since Go 1.22 each iteration has a variable of its own.
func TestNoRaceLoopVariable(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			i *= 2
			_ = i
		})
	}
	wg.Wait()
}

// A variable that is declared before the loop is one for all iterations.
func TestRaceLoopVariable(t *testing.T) {
	var wg sync.WaitGroup
	var i int
	for i = 0; i < 3; i++ {
		wg.Go(func() { _ = i })
	}
	wg.Wait()
}

// err is captured instead of declared anew.
func TestRaceCapturedErr(t *testing.T) {
	work := func(n int) error {
		if n > 1 {
			return errors.New("too many")
		}
		return nil
	}
	var err error
	sched.InTurn(
		func() { err = work(1) },
		func() { err = work(0) },
	)
	_ = err
}

// Each closure has an err of its own.
func TestNoRaceOwnErr(t *testing.T) {
	errs := make(chan error, 2)
	work := func() {
		var err error
		if errs == nil {
			err = errors.New("no channel")
		}
		errs <- err
	}
	sched.InTurn(work, work)
	if err := errors.Join(<-errs, <-errs); err != nil {
		t.Error(err)
	}
}

// Arguments of a go statement are evaluated before the goroutine starts.
func TestNoRaceArgument(t *testing.T) {
	n := 1
	got := make(chan int)
	go func(n int) { got <- n }(n)
	n++
	<-got
}

// A named result is written by a goroutine that outlives the function.
func TestRaceNamedResult(t *testing.T) {
	var wg sync.WaitGroup
	compute := func() (n int) {
		wg.Go(func() { n = 1 })
		return 2
	}
	_ = compute()
	wg.Wait()
}

// A generator's state is shared by all that hold the closure.
func TestRaceGenerator(t *testing.T) {
	last := 0
	next := func() int {
		last++
		return last
	}
	sched.InTurn(
		func() { next() },
		func() { next() },
	)
}

// Iterating with a function: the body of the loop is a closure over the outer variables.
func TestRaceRangeFunction(t *testing.T) {
	upTo := func(n int) func(func(int) bool) {
		return func(yield func(int) bool) {
			for i := range n {
				if !yield(i) {
					return
				}
			}
		}
	}
	sum := 0
	sched.InTurn(
		func() {
			for i := range upTo(3) {
				sum += i
			}
		},
		func() { sum-- },
	)
}

// eachOnItsOwn is an iterator that calls the body on goroutines of their own, one after the other
// by sleeping.
func eachOnItsOwn(yield func(int) bool) {
	sched.InTurn(func() { yield(1) }, func() { yield(2) })
}

// The body of the loop is run by two goroutines, each of which adds to the sum.
func TestRaceRangeFunctionGoroutines(t *testing.T) {
	sum := 0
	for i := range eachOnItsOwn {
		sum += i
	}
}

// The body is run by another goroutine, which the iterator waits for too late.
func TestRaceRangeFunctionMeanwhile(t *testing.T) {
	sum := 0
	for i := range func(yield func(int) bool) {
		var body sync.WaitGroup
		body.Go(func() { yield(1) })
		sched.Rest(1)
		sum += 2
		body.Wait()
	} {
		sum += i
	}
}

// The iterator waits for each goroutine that runs the body.
func TestNoRaceRangeFunctionGoroutine(t *testing.T) {
	sum := 0
	for i := range func(yield func(int) bool) {
		for i := range 3 {
			done := make(chan bool)
			go func() { done <- yield(i) }()
			if !<-done {
				return
			}
		}
	} {
		sum += i
	}
	if sum != 3 {
		t.Error(sum)
	}
}

// started returns its result stop to the caller and uses it in a goroutine: `return stop` stores
// nothing.
func started(wg *sync.WaitGroup) (n int, stop func()) {
	stop = func() {}
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer stop()
	}()
	return 1, stop
}

// A result that is returned as itself is not written, so the goroutine may read it.
func TestNoRaceReturnedResult(t *testing.T) {
	var wg sync.WaitGroup
	_, stop := started(&wg)
	stop()
	wg.Wait()
}
