// Package channel publishes values through channels, and shows what a channel
// does not order.
package channel

import (
	"sync"
	"testing"
	"time"

	"github.com/racepred/racepred/examples/internal/sched"
)

// A send happens before its receive.
func TestNoRacePublishUnbuffered(t *testing.T) {
	x := 0
	ready := make(chan bool)
	sched.InTurn(
		func() {
			x = 1
			ready <- true
		},
		func() {
			<-ready
			x++
		},
	)
}

// A buffered send happens before the receive of the same value.
func TestNoRacePublishBuffered(t *testing.T) {
	x := 0
	ready := make(chan bool, 4)
	sched.InTurn(
		func() {
			x = 1
			ready <- true
		},
		func() {
			<-ready
			x++
		},
	)
}

// Closing a channel happens before a receive that sees it closed.
func TestNoRacePublishClose(t *testing.T) {
	x := 0
	done := make(chan struct{})
	sched.InTurn(
		func() {
			x = 1
			close(done)
		},
		func() {
			<-done
			x++
		},
		func() {
			<-done
		},
	)
}

// Without a buffer the receive happens before the send is complete.
func TestNoRaceRendezvous(t *testing.T) {
	x := 0
	ready := make(chan bool)
	sched.InTurn(
		func() {
			x = 1
			<-ready
		},
		func() {
			ready <- true
			x++
		},
	)
}

// With a buffer the sender does not wait for the receiver.
func TestRaceBufferedRendezvous(t *testing.T) {
	x := 0
	ready := make(chan bool, 1)
	sched.InTurn(
		func() {
			x = 1
			<-ready
		},
		func() {
			ready <- true
			x++
		},
	)
}

// What is sent as a pointer is handed over; the sender must not use it again.
func TestRaceSendAndKeep(t *testing.T) {
	type job struct{ n int }
	jobs := make(chan *job, 1)
	sched.InTurn(
		func() {
			j := &job{n: 1}
			jobs <- j
			j.n++
		},
		func() {
			j := <-jobs
			j.n++
		},
	)
}

// A channel of capacity 1 works as a lock.
func TestNoRaceChannelAsLock(t *testing.T) {
	x := 0
	lock := make(chan struct{}, 1)
	add := func() {
		lock <- struct{}{}
		x++
		<-lock
	}
	sched.InTurn(add, add, add)
	if x != 3 {
		t.Errorf("x = %d, want 3", x)
	}
}

// A channel of capacity 2 lets two in at once.
func TestRaceSemaphoreOfTwo(t *testing.T) {
	x := 0
	slots := make(chan bool, 2)
	sched.InTurn(
		func() {
			slots <- true
			x++
			<-slots
		},
		func() {
			slots <- true
			x--
			<-slots
		},
	)
}

// A select that receives orders like a receive.
func TestNoRaceSelect(t *testing.T) {
	x := 0
	values := make(chan int)
	quit := make(chan struct{})
	sched.InTurn(
		func() {
			x = 1
			values <- 1
		},
		func() {
			select {
			case <-values:
				x++
			case <-quit:
			}
		},
	)
}

// A select that takes its default has seen nothing and waits for nothing.
func TestRaceSelectDefault(t *testing.T) {
	x := 0
	done := make(chan struct{})
	sched.InTurn(
		func() {
			select {
			case <-done:
			default:
				x++
			}
		},
		func() {
			x = 1
			close(done)
		},
	)
}

// The default under the lock means "not closed yet", so the closing section comes later in every
// schedule.
func TestNoRaceDefaultSeenUnderLock(t *testing.T) {
	var (
		mu   sync.Mutex
		done = make(chan struct{})
		x    int
	)
	sched.InTurn(
		func() {
			mu.Lock()
			select {
			case <-done:
			default:
				x++
			}
			mu.Unlock()
		},
		func() {
			mu.Lock()
			close(done)
			mu.Unlock()
			x++
		},
	)
}

// To look at the length of a channel is no synchronization.
func TestRaceLenPolling(t *testing.T) {
	x := 0
	ready := make(chan bool, 1)
	sched.InTurn(
		func() {
			x = 1
			ready <- true
		},
		func() {
			for len(ready) == 0 {
				time.Sleep(time.Millisecond)
			}
			x++
		},
	)
}

// The length under the lock tells that the sending section came first, in every schedule.
func TestNoRaceLenSeenUnderLock(t *testing.T) {
	var (
		mu    sync.Mutex
		ready = make(chan bool, 1)
		x     int
	)
	sched.InTurn(
		func() {
			x = 1
			mu.Lock()
			ready <- true
			mu.Unlock()
		},
		func() {
			mu.Lock()
			n := len(ready)
			mu.Unlock()
			if n == 1 {
				x++
			}
		},
	)
}

// A range over a channel receives everything before the close.
func TestNoRaceRange(t *testing.T) {
	var sum int
	values := make(chan int)
	produced := 0
	sched.InTurn(
		func() {
			for i := range 5 {
				produced++
				values <- i
			}
			close(values)
		},
		func() {
			for v := range values {
				sum += v
			}
			sum += produced
		},
	)
	if sum != 15 {
		t.Errorf("sum = %d, want 15", sum)
	}
}
