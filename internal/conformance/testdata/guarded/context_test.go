// A context orders what a program can find out about it: that it was canceled, that it was not yet, which functions its cancellation calls. That two goroutines ask
// it for its channel, or make contexts of it and give them up, orders nothing.

package guarded

import (
	"context"
	"sync"
	"testing"
	"time"
)

func TestRaceContextDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	inTurn(func() {
		n++
		ctx.Done()
	}, func() {
		cancel()
		n++
	})
}

func TestRaceContextSelect(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n, work := 0, make(chan int, 1)
	work <- 1
	inTurn(func() {
		n++
		select {
		case <-ctx.Done():
		case <-work:
		}
	}, func() {
		cancel()
		n++
	})
}

// Both ask, and the first one makes the channel.
func TestRaceContextDoneTwice(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	inTurn(func() {
		n++
		ctx.Done()
	}, func() {
		ctx.Done()
		n++
	})
}

// Contexts of requests, below that of a server.
func TestRaceContextChildren(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	request := func(serve func()) {
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		serve()
		ctx.Done()
	}
	inTurn(func() {
		request(func() { n++ })
	}, func() {
		request(func() {})
		n++
	})
}

func TestRaceContextGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, one := context.WithCancel(ctx)
	_, two := context.WithCancel(ctx)
	n := 0
	inTurn(func() {
		n++
		one()
	}, func() {
		two()
		n++
	})
}

func TestRaceContextChildAfterDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	inTurn(func() {
		n++
		ctx.Done()
	}, func() {
		_, stop := context.WithCancel(ctx)
		stop()
		n++
	})
}

// A goroutine of package context waits for a context of the program's own.
func TestRaceContextOfItsOwn(t *testing.T) {
	parent, cancel := context.WithCancel(context.Background())
	defer cancel()
	type own struct{ context.Context }
	n := 0
	inTurn(func() {
		n++
		_, stop := context.WithCancel(own{parent})
		stop()
	}, func() {
		_, stop := context.WithCancel(own{parent})
		stop()
		n++
	})
}

func TestNoRaceContextDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	inTurn(func() {
		n++
		ctx.Done()
		cancel()
	}, func() {
		<-ctx.Done()
		n++
	})
}

// Nobody asked before it was canceled.
func TestNoRaceContextCanceledFirst(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	inTurn(func() {
		n++
		cancel()
	}, func() {
		select {
		case <-ctx.Done():
			n++
		default:
		}
	})
}

func TestNoRaceContextCanceledBetweenSections(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	n := 0
	inTurn(func() {
		n++
		mu.Lock()
		mu.Unlock()
		cancel()
	}, func() {
		mu.Lock()
		mu.Unlock()
		done := ctx.Done()
		select {
		case <-done:
			mu.Lock()
			mu.Unlock()
			n++
		default:
		}
	})
}

// Done has been asked, by a goroutine that does not wait.
func TestNoRaceContextErrAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	ctx.Done()
	inTurn(func() {
		n++
		cancel()
	}, func() {
		if ctx.Err() != nil {
			n++
		}
	})
}

// What waits for a cancellation is called by it, if it was told to wait before.
func TestNoRaceContextAfterFunc(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n, called := 0, make(chan bool)
	inTurn(func() {
		n++
		context.AfterFunc(ctx, func() {
			n++
			close(called)
		})
	}, func() {
		cancel()
		<-called
		n++
	})
}

func TestNoRaceContextChild(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	child, stop := context.WithCancel(ctx)
	defer stop()
	n := 0
	inTurn(func() {
		n++
		cancel()
	}, func() {
		<-child.Done()
		n++
	})
}

// The child is made when the context is canceled already.
func TestNoRaceContextLateChild(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	inTurn(func() {
		n++
		cancel()
	}, func() {
		child, stop := context.WithCancel(ctx)
		defer stop()
		if child.Err() != nil {
			n++
		}
	})
}

func TestNoRaceContextLateChildAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	ctx.Done()
	n := 0
	inTurn(func() {
		n++
		cancel()
	}, func() {
		child, stop := context.WithTimeout(ctx, time.Hour)
		defer stop()
		select {
		case <-child.Done():
			n++
		default:
		}
	})
}

func TestNoRaceContextCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	n := 0
	inTurn(func() {
		n++
		cancel(context.DeadlineExceeded)
	}, func() {
		if context.Cause(ctx) == context.DeadlineExceeded {
			n++
		}
	})
}

// A context of the program's own is asked by package context.
func TestNoRaceContextOfItsOwn(t *testing.T) {
	parent, cancel := context.WithCancel(context.Background())
	type own struct{ context.Context }
	n := 0
	inTurn(func() {
		n++
		cancel()
	}, func() {
		child, stop := context.WithCancel(own{parent})
		defer stop()
		<-child.Done()
		n++
	})
}

// All contexts that were canceled before anybody asked have one channel, so whoever gets another one knows that somebody had asked.
func TestNoRaceContextWhichChannel(t *testing.T) {
	other, stop := context.WithCancel(context.Background())
	stop()
	closed := other.Done()
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	inTurn(func() {
		n++
		ctx.Done()
	}, func() {
		cancel()
		if ctx.Done() != closed {
			n++
		}
	})
}

// A context is canceled, and a function stopped, in sections that have nothing else in common.
func TestRaceContextCanceledInSections(t *testing.T) {
	_, one := context.WithCancel(context.Background())
	_, two := context.WithTimeout(context.Background(), time.Hour)
	var mu sync.Mutex
	n, m, k := 0, 0, 0
	inTurn(func() {
		n++
		mu.Lock()
		m++
		one()
		mu.Unlock()
	}, func() {
		mu.Lock()
		k++
		two()
		mu.Unlock()
		n++
	})
}

func TestRaceContextStoppedInSections(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	one, two := context.AfterFunc(ctx, func() {}), context.AfterFunc(ctx, func() {})
	var mu sync.Mutex
	n, m, k := 0, 0, 0
	inTurn(func() {
		n++
		mu.Lock()
		m++
		one()
		mu.Unlock()
	}, func() {
		mu.Lock()
		k++
		two()
		mu.Unlock()
		n++
	})
}

func TestNoRaceContextCanceledInSections(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	n := 0
	inTurn(func() {
		n++
		mu.Lock()
		cancel()
		mu.Unlock()
	}, func() {
		mu.Lock()
		canceled := ctx.Err() != nil
		mu.Unlock()
		if canceled {
			n++
		}
	})
}
