// Channels with room for one element: as locks, as messages, and as both.

package guarded

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestNoRaceTokenInMutex(t *testing.T) {
	var mu sync.Mutex
	sem := make(chan struct{}, 1)
	x := 0
	ready := false
	inTurn(func() {
		x = 1
		mu.Lock()
		sem <- struct{}{}
		ready = true
		mu.Unlock()
		<-sem
	}, func() {
		sem <- struct{}{}
		mu.Lock()
		r := ready
		<-sem
		mu.Unlock()
		if r {
			x++
		}
	})
}

func TestNoRaceTokenClosed(t *testing.T) {
	sem := make(chan struct{}, 1)
	x := 0
	inTurn(func() {
		x = 1
		sem <- struct{}{}
		<-sem
		close(sem)
	}, func() {
		_, ok := <-sem
		if !ok {
			x++
		}
	})
}

func TestNoRaceTokenClosedFull(t *testing.T) {
	sem := make(chan struct{}, 1)
	x := 0
	inTurn(func() {
		sem <- struct{}{}
		x = 1
		close(sem)
		<-sem
	}, func() {
		_, ok := <-sem
		if !ok {
			x++
		}
	})
}

func TestNoRaceTokenRange(t *testing.T) {
	sem := make(chan struct{}, 1)
	x := 0
	inTurn(func() {
		sem <- struct{}{}
		<-sem
		x = 1
		sem <- struct{}{}
		close(sem)
	}, func() {
		for range sem {
			x++
		}
		x++
	})
}

func TestNoRaceTokenAtomicInside(t *testing.T) {
	sem := make(chan struct{}, 1)
	var n atomic.Int32
	x := 0
	inTurn(func() {
		x = 1
		sem <- struct{}{}
		n.Add(1)
		<-sem
	}, func() {
		sem <- struct{}{}
		m := n.Load()
		<-sem
		if m == 1 {
			x++
		}
	})
}

func TestNoRaceTokenEndsWithIt(t *testing.T) {
	sem := make(chan struct{}, 1)
	x := 0
	inTurn(func() {
		x = 1
		sem <- struct{}{}
	}, func() {
		<-sem
		sem <- struct{}{}
		<-sem
		x++
	})
}

func TestNoRaceTokenTwoHolders(t *testing.T) {
	// the element taken out is another's
	sem := make(chan struct{}, 1)
	x, y := 0, 0
	inTurn(func() {
		sem <- struct{}{}
		<-sem
		x = 1
		sem <- struct{}{}
	}, func() {
		<-sem
		x++
		y = 1
		sem <- struct{}{}
	}, func() {
		<-sem
		x++
		y++
		sem <- struct{}{} // the one before may come late
	})
}

func TestNoRaceTokenOpaqueHandOver(t *testing.T) {
	b := make([]byte, 4)
	sem, other := make(chan struct{}, 1), make(chan struct{}, 1)
	x := 0
	other <- struct{}{}
	inTurn(func() {
		x = 1
		sem <- struct{}{}
		<-other
		strconv.AppendInt(b[:0], 7, 10)
		<-sem
	}, func() {
		sem <- struct{}{}
		ok := b[0] == '7'
		<-sem
		if ok {
			x++
		}
	})
}

func TestNoRaceTokenWaitersOrder(t *testing.T) {
	// a waiter's send completes in the receive of the one who has it
	sem := make(chan struct{}, 1)
	n, x := 0, 0
	inTurn(func() {
		sem <- struct{}{}
		time.Sleep(50 * time.Millisecond)
		x = 1
		n++
		<-sem
	}, func() {
		sem <- struct{}{}
		m := n
		<-sem
		if m == 1 {
			x++
		}
	})
}

// A message is left in a channel while the lock is given back, for good or until later.

func TestRaceTokenLeft(t *testing.T) {
	var b box
	c := make(chan int, 1)
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		c <- 1
		b.mu.Unlock()
	}, func() {
		b.pass()
		b.x = 2
	})
}

func TestNoRaceTokenLeft(t *testing.T) {
	var b box
	c := make(chan int, 1)
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		c <- 1
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		full := false
		select {
		case c <- 2:
		default:
			full = true
		}
		b.mu.Unlock()
		if full {
			b.x = 2
		}
	})
}

func TestRaceTokenTakenLater(t *testing.T) {
	var b box
	c := make(chan int, 1)
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		c <- 1
		b.mu.Unlock()
		<-c
	}, func() {
		b.pass()
		b.x = 2
	})
}

// The second goroutine gets to send when the first has taken out its own.
func TestNoRaceTokenTakenLater(t *testing.T) {
	var b box
	c := make(chan int, 1)
	sent := make(chan bool)
	together(func() {
		b.mu.Lock()
		c <- 1
		b.mu.Unlock()
		close(sent)
		b.x = 1
		b.pass()
		<-c
	}, func() {
		<-sent
		c <- 2
		b.pass()
		b.x = 2
	})
}

func TestNoRaceTokenLeftToMany(t *testing.T) {
	var b box
	c, d := make(chan int, 1), make(chan int, 1)
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		c <- 1
		d <- 1
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		n := len(c) + len(d)
		b.mu.Unlock()
		if n == 2 {
			b.x = 2
		}
	})
}
