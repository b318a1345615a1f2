// What is seen was left by an operation that could otherwise trade places with its like.

package guarded

import (
	"io"
	"log"
	"sync"
	"sync/atomic"
	"testing"
)

func TestNoRaceAddThenSwap(t *testing.T) {
	var n atomic.Int64
	x := 0
	inTurn(func() {
		x = 1
		n.Add(1)
	}, func() {
		n.Add(1)
		if n.Swap(0) == 2 {
			x++
		}
	})
	if x != 2 {
		t.Error("the second did not see the first")
	}
}

func TestNoRaceAddThenCompareAndSwap(t *testing.T) {
	var n int32
	x := 0
	inTurn(func() {
		x = 1
		atomic.AddInt32(&n, 1)
	}, func() {
		if atomic.CompareAndSwapInt32(&n, 1, 2) {
			x++
		}
	})
	if x != 2 {
		t.Error("the second did not see the first")
	}
}

func TestNoRaceStoreThenAdd(t *testing.T) {
	var n atomic.Uint32
	x := 0
	inTurn(func() {
		x = 1
		n.Store(4)
	}, func() {
		n.Add(1)
		if n.Load() == 5 {
			x++
		}
	})
	if x != 2 {
		t.Error("the second did not see the first")
	}
}

func TestNoRaceAndThenOr(t *testing.T) {
	var n atomic.Uint32
	n.Or(1)
	x := 0
	inTurn(func() {
		x = 1
		n.And(2)
	}, func() {
		n.Or(2)
		if n.Load() == 2 {
			x++
		}
	})
	if x != 2 {
		t.Error("the second did not see the first")
	}
}

func TestNoRaceAddReadPlainly(t *testing.T) {
	var n int64
	x := 0
	var first, second sync.WaitGroup
	first.Add(1)
	second.Add(1)
	inTurn(func() {
		x = 1
		atomic.AddInt64(&n, 1)
		first.Done()
	}, func() {
		atomic.AddInt64(&n, 1)
		first.Wait()
		if n == 2 {
			x++
		}
	})
	if x != 2 {
		t.Error("the second did not see the first")
	}
}

func TestNoRacePooled(t *testing.T) {
	var pool sync.Pool
	v := new(int)
	x := 0
	inTurn(func() {
		x = 1
		for range 64 {
			pool.Put(v)
		}
	}, func() {
		if pool.Get() == v {
			x++
		}
	})
}

// count keeps how often it was written to.
type count struct{ n int }

func (c *count) Write(p []byte) (int, error) {
	c.n++
	return len(p), nil
}

func TestNoRaceLoggedTwice(t *testing.T) {
	var c count
	l := log.New(&c, "", 0)
	x := 0
	inTurn(func() {
		x = 1
		l.Print("one")
	}, func() {
		l.Print("two")
		l.SetOutput(io.Discard)
		if c.n == 2 {
			x++
		}
	})
	if x != 2 {
		t.Error("the second did not see the first")
	}
}
