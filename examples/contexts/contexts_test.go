// Package contexts cancels work.
package contexts

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/racepred/racepred/examples/internal/sched"
)

// Cancelling happens before Done is seen closed.
func TestNoRaceCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	x := 0
	sched.InTurn(
		func() {
			x = 1
			cancel()
		},
		func() {
			<-ctx.Done()
			x++
		},
	)
}

// A child is cancelled with its parent.
func TestNoRaceCancelParent(t *testing.T) {
	parent, cancel := context.WithCancel(t.Context())
	defer cancel()
	child, stop := context.WithTimeout(parent, time.Hour)
	defer stop()
	x := 0
	sched.InTurn(
		func() {
			x = 1
			cancel()
		},
		func() {
			<-child.Done()
			_ = child.Err()
			x++
		},
	)
}

// context.AfterFunc runs after the cancellation.
func TestNoRaceAfterFunc(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	x := 0
	done := make(chan struct{})
	context.AfterFunc(ctx, func() {
		x++
		close(done)
	})
	x = 1
	cancel()
	<-done
}

// After the cancellation the worker still has its last step to do.
func TestRaceAfterCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	steps := 0
	wg.Go(func() {
		<-ctx.Done()
		steps++
	})
	cancel()
	sched.Rest(1)
	_ = steps
	wg.Wait()
}

// The caller gives up and returns the result that is still being written.
func TestRaceAbandonedResult(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var result string
	done := make(chan struct{})
	wg.Go(func() {
		sched.Rest(2)
		result = "late"
		close(done)
	})
	cancel()
	select {
	case <-done:
	case <-ctx.Done():
	}
	_ = result
	wg.Wait()
}

// "Not cancelled yet", seen under the lock, keeps the cancelling section behind.
func TestNoRaceErrSeenUnderLock(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var (
		mu sync.Mutex
		x  int
	)
	sched.InTurn(
		func() {
			mu.Lock()
			if ctx.Err() == nil {
				x++
			}
			mu.Unlock()
		},
		func() {
			mu.Lock()
			cancel()
			mu.Unlock()
			x++
		},
	)
}

// Values of a context are published by whatever publishes the context.
func TestNoRaceValue(t *testing.T) {
	type key struct{}
	type user struct{ name string }
	ctxs := make(chan context.Context)
	sched.InTurn(
		func() { ctxs <- context.WithValue(t.Context(), key{}, &user{name: "a"}) },
		func() {
			ctx := <-ctxs
			ctx.Value(key{}).(*user).name = "b"
		},
	)
}
