// What tells is the clock of a bubble: it goes on when everybody in it waits.

package guarded

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// bubble calls in a bubble, on one goroutine first, before, and a section of a lock, and on another one second, a section of the lock, and after.
func bubble(t *testing.T, before, after func(), first, second func()) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		wg.Add(2)
		go func() {
			defer wg.Done()
			first()
			before()
			mu.Lock()
			mu.Unlock()
		}()
		go func() {
			defer wg.Done()
			second()
			mu.Lock()
			mu.Unlock()
			after()
		}()
		wg.Wait()
	})
}

func TestNoRaceBubbleSleep(t *testing.T) {
	x := 0
	bubble(t, func() { x++ }, func() { x++ }, func() { time.Sleep(time.Second) }, func() { time.Sleep(2 * time.Second) })
}

func TestNoRaceBubbleNoSleep(t *testing.T) {
	x := 0
	bubble(t, func() { x++ }, func() { x++ }, func() {}, func() { time.Sleep(time.Second) })
}

func TestNoRaceBubbleAfter(t *testing.T) {
	x := 0
	bubble(t, func() { x++ }, func() { x++ }, func() { <-time.After(time.Second) }, func() { <-time.After(2 * time.Second) })
}

func TestNoRaceBubbleTimer(t *testing.T) {
	x := 0
	bubble(t, func() { x++ }, func() { x++ }, func() {
		tm := time.NewTimer(time.Hour)
		tm.Reset(time.Second)
		<-tm.C
	}, func() {
		for range time.NewTicker(time.Minute).C {
			break
		}
	})
}

func TestNoRaceBubbleAfterFunc(t *testing.T) {
	x := 0
	bubble(t, func() { x++ }, func() { x++ }, func() { time.Sleep(time.Second) }, func() {
		ch := make(chan int)
		time.AfterFunc(2*time.Second, func() { close(ch) })
		<-ch
	})
}

func TestNoRaceBubbleTimeout(t *testing.T) {
	x := 0
	bubble(t, func() { x++ }, func() { x++ }, func() { time.Sleep(time.Second) }, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		<-ctx.Done()
	})
}

// The clock is read by a goroutine that does not wait for it.
func TestNoRaceBubbleNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		start := time.Now()
		x := 0
		wake := make(chan int, 1)
		go func() {
			x++
			mu.Lock()
			mu.Unlock()
		}()
		go func() {
			time.Sleep(time.Second)
			wake <- 1
		}()
		<-wake
		if time.Since(start) >= time.Second {
			mu.Lock()
			mu.Unlock()
			x++
		}
	})
}

func TestNoRaceBubbleSelect(t *testing.T) {
	x := 0
	bubble(t, func() { x++ }, func() { x++ }, func() {
		select {
		case <-time.After(time.Second):
		case <-time.After(time.Hour):
		}
	}, func() {
		select {
		case <-make(chan int):
		case <-time.After(2 * time.Second):
		}
	})
}

func TestNoRaceBubbleWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		x := 0
		go func() {
			x++
			mu.Lock()
			mu.Unlock()
		}()
		synctest.Wait()
		mu.Lock()
		mu.Unlock()
		x++
	})
}

// The sections are in functions of timers.
func TestNoRaceBubbleFuncs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		x := 0
		time.AfterFunc(time.Second, func() {
			x++
			mu.Lock()
			mu.Unlock()
		})
		time.AfterFunc(2*time.Second, func() {
			mu.Lock()
			mu.Unlock()
			x++
		})
		time.Sleep(time.Minute)
	})
}

// A timer that is stopped in time was not late.
func TestNoRaceBubbleStop(t *testing.T) {
	x := 0
	bubble(t, func() { x++ }, func() { x++ }, func() { time.Sleep(time.Second) }, func() {
		tm := time.NewTimer(time.Hour)
		time.Sleep(2 * time.Second)
		tm.Stop()
	})
}
