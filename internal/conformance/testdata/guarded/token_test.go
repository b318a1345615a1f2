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
