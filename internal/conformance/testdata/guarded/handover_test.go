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
