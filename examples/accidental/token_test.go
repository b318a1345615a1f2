package accidental

import (
	"strconv"
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// semaphore is a channel used as a lock.
type semaphore chan struct{}

func newSemaphore() semaphore { return make(semaphore, 1) }
func (s semaphore) Lock()     { s <- struct{}{} }
func (s semaphore) Unlock()   { <-s }

// Both pass the semaphore, and x is written before and after it.
func TestRacePredictedSemaphore(t *testing.T) {
	var (
		sem  = newSemaphore()
		x, n int
	)
	sched.InTurn(
		func() {
			x = 1
			sem <- struct{}{}
			n++
			<-sem
		},
		func() {
			sem <- struct{}{}
			m := 2
			<-sem
			x += m
		},
	)
	_ = n
}

// The second goroutine waits for the semaphore that the first one holds.
func TestRacePredictedSemaphoreWaitedFor(t *testing.T) {
	var (
		sem = newSemaphore()
		x   int
	)
	sched.InTurn(
		func() {
			x = 1
			sem <- struct{}{}
			sched.Rest(2)
			<-sem
		},
		func() {
			sem <- struct{}{}
			<-sem
			x++
		},
	)
}

// The semaphore is entered by a select, and left by a deferred call of a function literal.
func TestRacePredictedSemaphoreSelect(t *testing.T) {
	var (
		sem  = newSemaphore()
		stop = make(chan bool)
		x    int
	)
	enter := func() {
		select {
		case sem <- struct{}{}:
			defer func() { <-sem }()
		case <-stop:
		}
	}
	sched.InTurn(
		func() {
			x = 1
			enter()
		},
		func() {
			enter()
			x++
		},
	)
}

// It hides behind an interface.
func TestRacePredictedSemaphoreLocker(t *testing.T) {
	var (
		l sync.Locker = newSemaphore()
		x int
	)
	sched.InTurn(
		func() {
			x = 1
			l.Lock()
			defer l.Unlock()
		},
		func() {
			l.Lock()
			l.Unlock()
			x++
		},
	)
}

// Its elements are numbers.
func TestRacePredictedSemaphoreOfNumbers(t *testing.T) {
	var (
		sem = make(chan int, 1)
		x   int
	)
	sched.InTurn(
		func() {
			x = 1
			sem <- 1
			<-sem
		},
		func() {
			sem <- 2
			n := <-sem
			x += n
		},
	)
}

// What the semaphore guards tells that the first section was before the second.
func TestNoRaceSemaphoreTells(t *testing.T) {
	var (
		sem   = newSemaphore()
		ready bool
		x     int
	)
	sched.InTurn(
		func() {
			x = 1
			sem.Lock()
			ready = true
			sem.Unlock()
		},
		func() {
			sem.Lock()
			ok := ready
			sem.Unlock()
			if ok {
				x++
			}
		},
	)
}

// So does unrecorded code there.
func TestNoRaceSemaphoreOpaque(t *testing.T) {
	var (
		sem = newSemaphore()
		b   = make([]byte, 4)
		x   int
	)
	sched.InTurn(
		func() {
			x = 1
			sem.Lock()
			strconv.AppendInt(b[:0], 7, 10)
			sem.Unlock()
		},
		func() {
			sem.Lock()
			ok := b[0] == '7'
			sem.Unlock()
			if ok {
				x++
			}
		},
	)
}

// The second goroutine looks whether the first is inside.
func TestNoRaceSemaphoreLength(t *testing.T) {
	var (
		sem = newSemaphore()
		x   int
	)
	sched.InTurn(
		func() {
			x = 1
			sem <- struct{}{}
			sched.Rest(2)
			<-sem
		},
		func() {
			if len(sem) == 1 {
				sem <- struct{}{}
				<-sem
				x++
			}
		},
	)
}

// It finds that it cannot enter.
func TestNoRaceSemaphoreTaken(t *testing.T) {
	var (
		sem = newSemaphore()
		x   int
	)
	sched.InTurn(
		func() {
			x = 1
			sem <- struct{}{}
			sched.Rest(2)
			<-sem
		},
		func() {
			select {
			case sem <- struct{}{}:
				<-sem
			default:
				sem <- struct{}{}
				<-sem
				x++
			}
		},
	)
}

// An element is a message when another goroutine takes it out.
func TestNoRaceSignal(t *testing.T) {
	var (
		done = make(chan struct{}, 1)
		x    int
	)
	sched.InTurn(
		func() {
			x = 1
			done <- struct{}{}
		},
		func() {
			<-done
			x++
		},
	)
}

// The number shows which goroutine sent it.
func TestNoRaceNumber(t *testing.T) {
	var (
		last = make(chan int, 1)
		x    int
	)
	sched.InTurn(
		func() {
			last <- 0
			<-last
			x = 1
			last <- 1
		},
		func() {
			select {
			case n := <-last:
				if n == 1 {
					x++
				}
			default:
			}
			last <- 2
		},
	)
}

// First a lock, then a message.
func TestNoRaceSemaphoreThenSignal(t *testing.T) {
	var (
		sem = newSemaphore()
		x   int
	)
	sched.InTurn(
		func() {
			sem.Lock()
			sem.Unlock()
			x = 1
			sem.Lock()
		},
		func() {
			sem.Unlock()
			x++
			sem.Lock()
			sem.Unlock()
		},
	)
}

// The message comes first, to a goroutine that waits for it.
func TestNoRaceSignalAwaited(t *testing.T) {
	var (
		done = make(chan struct{}, 1)
		x    int
	)
	sched.InTurn(
		func() {
			<-done
			x++
		},
		func() {
			x = 1
			done <- struct{}{}
		},
	)
}

// The turn goes round: the element that one puts in lets the other go on.
func TestNoRaceSemaphoreHandedOn(t *testing.T) {
	var (
		sem = newSemaphore()
		x   int
	)
	sem.Lock()
	sched.InTurn(
		func() {
			x = 1
			sem.Unlock()
		},
		func() {
			sem.Lock()
			x++
			sem.Unlock()
		},
	)
}
