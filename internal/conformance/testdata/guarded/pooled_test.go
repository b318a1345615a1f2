package guarded

import (
	"sync"
	"testing"
)

// request is a value of a pool.
type request struct {
	n    int
	body *int
}

// Handlers have an order by the request that one puts back and the next one gets, which no pool promises.
func TestRacePooledHandlers(t *testing.T) {
	pool := sync.Pool{New: func() any { return new(request) }}
	handled := 0
	handle := func() {
		r := pool.Get().(*request)
		handled++
		r.n++
		pool.Put(r)
	}
	inTurn(handle, handle, handle)
}

// Whoever gets a request may use all that it leads to.
func TestNoRacePooledHandlers(t *testing.T) {
	pool := sync.Pool{New: func() any { return &request{body: new(int)} }}
	handle := func() {
		r := pool.Get().(*request)
		r.n++
		*r.body++
		pool.Put(r)
	}
	inTurn(handle, handle, handle, handle)
}

// A request is written to after it was put back.
func TestRacePooledTooEarly(t *testing.T) {
	pool := sync.Pool{New: func() any { return new(request) }}
	inTurn(func() {
		a, b := new(request), new(request)
		pool.Put(a)
		pool.Put(b)
		a.n, b.n = 1, 1
	}, func() {
		for range 4 {
			pool.Get().(*request).n++
		}
	})
}

// A value that only another goroutine has put comes in the end.
func TestNoRacePooledComes(t *testing.T) {
	var pool sync.Pool
	x := 0
	inTurn(func() {
		x = 1
		for range 8 {
			pool.Put(new(request))
		}
	}, func() {
		if pool.Get() != nil || pool.Get() != nil {
			x++
		}
	})
}

// One of those who ask finds the pool empty, and does not come after what is in it.
func TestRacePooledComes(t *testing.T) {
	var pool sync.Pool
	x := 0
	ask := func() {
		if pool.Get() == nil {
			x++
		}
	}
	inTurn(func() {
		x = 1
		for range 8 {
			pool.Put(new(request))
		}
	}, ask, ask)
}
