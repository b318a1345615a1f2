// Goroutines that look at a channel or a context in a loop, of which the first and the last look are left.

package guarded

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"
)

// An empty channel says that the looker may write.
func TestNoRacePollWhileEmpty(t *testing.T) {
	asked, answered := make(chan int, 1), make(chan int)
	x := 0
	go func() {
		for range 1000 {
			runtime.Gosched()
		}
		asked <- 1
		<-answered
		x++
		answered <- 1
	}()
	for {
		select {
		case <-asked:
			answered <- 1
			<-answered
			_ = x
			return
		default:
			x++
		}
	}
}

// A channel's length says that the other goroutine's section is over.
func TestNoRacePollLength(t *testing.T) {
	var mu sync.Mutex
	full := make(chan int, 1)
	x := 0
	go func() {
		mu.Lock()
		x = 1
		mu.Unlock()
		full <- 1
	}()
	for len(full) == 0 {
		runtime.Gosched()
	}
	mu.Lock()
	_ = x
	mu.Unlock()
	<-full
}

// The looker takes the lock only as long as the channel is open.
func TestNoRacePollThenLock(t *testing.T) {
	var mu sync.Mutex
	over := make(chan bool)
	x := 0
	go func() {
		for range 200 {
			runtime.Gosched()
		}
		close(over)
		mu.Lock()
		x++
		mu.Unlock()
	}()
	for {
		select {
		case <-over:
			return
		default:
			mu.Lock()
			x++
			mu.Unlock()
		}
	}
}

// Between the accesses one goroutine looks at a context for long.
func TestRacePollBetween(t *testing.T) {
	var mu sync.Mutex
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	written := make(chan bool)
	x := 0
	go func() {
		mu.Lock()
		x = 1
		mu.Unlock()
		written <- true
	}()
	time.Sleep(5 * time.Millisecond)
	for polls := true; polls; {
		select {
		case <-ctx.Done():
			polls = false
		default:
		}
	}
	mu.Lock()
	mu.Unlock()
	_ = x
	<-written
}
