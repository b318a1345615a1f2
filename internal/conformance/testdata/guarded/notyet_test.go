// What is seen is that something has not happened yet, by the first goroutine.

package guarded

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

func TestNoRaceSwapNotYet(t *testing.T) {
	var (
		mu sync.Mutex
		f  atomic.Int32
		x  int
	)
	inTurn(func() {
		mu.Lock()
		if f.Swap(5) == 0 {
			x++
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		old := f.Swap(6)
		mu.Unlock()
		if old == 5 {
			x++
		}
	})
}

func TestNoRaceLoadNotYet(t *testing.T) {
	var (
		mu sync.Mutex
		f  int32
		x  int
	)
	inTurn(func() {
		mu.Lock()
		if atomic.LoadInt32(&f) == 0 {
			x++
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		atomic.AddInt32(&f, 1)
		mu.Unlock()
		x++
	})
}

func TestNoRaceSyncMapNotYet(t *testing.T) {
	var m sync.Map
	keysNotYet(&m, func() bool { _, ok := m.Load("a"); return !ok }, func() { m.Store("a", 1) })
}

func TestNoRaceCauseNotYet(t *testing.T) {
	var (
		mu          sync.Mutex
		ctx, cancel = context.WithCancelCause(context.Background())
		x           int
	)
	inTurn(func() {
		mu.Lock()
		if context.Cause(ctx) == nil {
			x++
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		cancel(context.Canceled)
		mu.Unlock()
		x++
	})
}

func TestNoRaceReceiveNotYet(t *testing.T) {
	var (
		mu sync.Mutex
		ch = make(chan int, 1)
		x  int
	)
	inTurn(func() {
		mu.Lock()
		select {
		case <-ch:
		default:
			x++
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		ch <- 1
		mu.Unlock()
		x++
	})
}
