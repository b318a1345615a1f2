// Package timers runs things later.
package timers

import (
	"sync"
	"testing"
	"time"

	"github.com/racepred/racepred/examples/internal/sched"
)

// What comes before AfterFunc is ordered before the function.
func TestNoRaceAfterFunc(t *testing.T) {
	x := 1
	done := make(chan struct{})
	time.AfterFunc(time.Millisecond, func() {
		x++
		close(done)
	})
	<-done
	x++
}

// What comes after AfterFunc is not, however long the timer takes.
func TestRaceAfterFunc(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	x := 0
	time.AfterFunc(sched.Turn, func() {
		defer wg.Done()
		x++
	})
	x = 1
	wg.Wait()
}

// A timer that was stopped in time never runs its function.
func TestNoRaceStop(t *testing.T) {
	x := 0
	timer := time.AfterFunc(time.Hour, func() { x++ })
	if timer.Stop() {
		x++
	}
}

// Reset is ordered before the function like AfterFunc.
func TestNoRaceReset(t *testing.T) {
	x := 0
	done := make(chan struct{})
	timer := time.AfterFunc(time.Hour, func() {
		x++
		close(done)
	})
	timer.Stop()
	x = 1
	timer.Reset(time.Millisecond)
	<-done
}

// A tick says nothing about what other goroutines did until then.
func TestRaceTicker(t *testing.T) {
	ticker := time.NewTicker(sched.Turn)
	defer ticker.Stop()
	var wg sync.WaitGroup
	x := 0
	wg.Go(func() { x = 1 })
	<-ticker.C
	_ = x
	wg.Wait()
}

// Sleeping is not synchronization.
func TestRaceSleep(t *testing.T) {
	var wg sync.WaitGroup
	x := 0
	wg.Go(func() { x = 1 })
	time.Sleep(sched.Turn)
	_ = x
	wg.Wait()
}

// A timeout that wins leaves the worker running, with a channel of its own to answer into.
func TestNoRaceTimeout(t *testing.T) {
	type answer struct{ n int }
	answers := make(chan *answer, 1)
	go func() {
		sched.Rest(2)
		answers <- &answer{n: 1}
	}()
	var a *answer
	select {
	case a = <-answers:
	case <-time.After(time.Millisecond):
		a = <-answers
	}
	a.n++
}
