// Locks that another goroutine gives back than the one that took them.

package guarded

import (
	"strconv"
	"sync"
	"testing"
)

// The first goroutine gives back a lock that it did not take; what it calls in a section of its own still counts.
func TestNoRaceOpaqueAfterHandOver(t *testing.T) {
	b := make([]byte, 4)
	var mu, handed sync.Mutex
	x := 0
	handed.Lock()
	inTurn(func() {
		handed.Unlock()
		x = 1
		mu.Lock()
		strconv.AppendInt(b[:0], 7, 10)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b[0] == '7'
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

// It gives it back inside of a section of its own.
func TestNoRaceOpaqueInHandOver(t *testing.T) {
	b := make([]byte, 4)
	var mu, handed sync.Mutex
	x := 0
	handed.Lock()
	inTurn(func() {
		x = 1
		mu.Lock()
		handed.Unlock()
		strconv.AppendInt(b[:0], 7, 10)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b[0] == '7'
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

// It holds more locks than it keeps by name.
func TestNoRaceOpaqueUnderManyLocks(t *testing.T) {
	b := make([]byte, 4)
	var mu [7]sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		for i := range mu {
			mu[i].Lock()
		}
		for i := 1; i < len(mu); i++ {
			mu[i].Unlock()
		}
		strconv.AppendInt(b[:0], 7, 10)
		mu[0].Unlock()
	}, func() {
		mu[0].Lock()
		ok := b[0] == '7'
		mu[0].Unlock()
		if ok {
			x++
		}
	})
}

// It holds one lock twice, and gives it back once.
func TestNoRaceOpaqueUnderTwoReadLocks(t *testing.T) {
	b := make([]byte, 4)
	var rw sync.RWMutex
	x := 0
	inTurn(func() {
		x = 1
		rw.RLock()
		rw.RLock()
		rw.RUnlock()
		strconv.AppendInt(b[:0], 7, 10)
		rw.RUnlock()
	}, func() {
		rw.Lock()
		ok := b[0] == '7'
		rw.Unlock()
		if ok {
			x++
		}
	})
}
