// Atomic variables that a goroutine loads again and again while nobody changes them. It acquires nothing by that, but what it finds decides what it does.

package guarded

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// looksOften loads a variable between other things.
func looksOften(v *atomic.Int32) {
	var mu sync.Mutex
	for range 1 << 8 {
		mu.Lock()
		v.Load()
		mu.Unlock()
	}
}

// The load after the change acquires what comes before it.
func TestNoRaceReloadOfChanged(t *testing.T) {
	var ready atomic.Int32
	x := 0
	done := make(chan bool)
	go func() {
		looksOften(&ready)
		for ready.Load() == 0 {
			runtime.Gosched()
		}
		x++
		close(done)
	}()
	time.Sleep(50 * time.Millisecond)
	x = 1
	ready.Store(1)
	<-done
}

// The load before the change acquires nothing.
func TestRaceReloadOfUnchanged(t *testing.T) {
	var ready atomic.Int32
	x := 0
	done := make(chan bool)
	go func() {
		looksOften(&ready)
		x++
		time.Sleep(100 * time.Millisecond)
		looksOften(&ready)
		close(done)
	}()
	time.Sleep(50 * time.Millisecond)
	x = 1
	ready.Store(1)
	<-done
}

// The two variables lie in one word, and only the other one is changed after x was.
func TestRaceReloadOfNeighbour(t *testing.T) {
	var pair struct{ known, changed atomic.Int32 }
	x := 0
	done := make(chan bool)
	go func() {
		looksOften(&pair.known)
		time.Sleep(100 * time.Millisecond)
		looksOften(&pair.known)
		x++
		close(done)
	}()
	time.Sleep(50 * time.Millisecond)
	x = 1
	pair.changed.Store(1)
	<-done
}

// An addition whose result is thrown away is followed by another goroutine's store.
func TestNoRaceReloadAfterOwnChange(t *testing.T) {
	var turn atomic.Int32
	x := 0
	done := make(chan bool)
	go func() {
		looksOften(&turn)
		for i := range int32(20) {
			for turn.Load() != 2*i+1 {
				runtime.Gosched()
			}
			x++
			turn.Add(1)
		}
		close(done)
	}()
	looksOften(&turn)
	for i := range int32(20) {
		x++
		turn.Store(2*i + 1)
		for turn.Load() != 2*i+2 {
			runtime.Gosched()
		}
	}
	<-done
}

// movesOn changes x without the lock when it has told everybody so in a section. Another goroutine looks at a variable until its position is busy, the last time in a
// section, in which it changes x, too.
func movesOn(looksAt func(moved, other *atomic.Int32) *atomic.Int32) {
	var moved, other atomic.Int32
	var mu, own sync.Mutex
	x := 0
	done := make(chan bool)
	go func() {
		v := looksAt(&moved, &other)
		for i := 1 << 13; i >= 0; i-- {
			lock := &own
			if i == 0 {
				lock = &mu
			}
			lock.Lock()
			if v.Load() == 0 && i == 0 {
				x++
			}
			lock.Unlock()
		}
		close(done)
	}()
	time.Sleep(200 * time.Millisecond)
	mu.Lock()
	moved.Store(1)
	mu.Unlock()
	x = 5
	<-done
}

// With the sections in the other order, the load finds the change.
func TestNoRaceReloadDecides(t *testing.T) {
	movesOn(func(moved, _ *atomic.Int32) *atomic.Int32 { return moved })
}

// It loads another variable.
func TestRaceReloadOfOther(t *testing.T) {
	movesOn(func(_, other *atomic.Int32) *atomic.Int32 { return other })
}
