package atomicplain

import (
	"sync"
	"sync/atomic"
)

type counter struct {
	hits  int64
	calls int64
	mu    sync.Mutex
}

func (c *counter) add() { atomic.AddInt64(&c.hits, 1) }

func (c *counter) get() int64 {
	return c.hits // want `hits is read plainly here, and by atomic.AddInt64 in line 14`
}

func (c *counter) call() { atomic.AddInt64(&c.calls, 1) }

func (c *counter) called() int64 { return atomic.LoadInt64(&c.calls) }

func newCounter() *counter {
	c := &counter{}
	c.calls = 1
	return c
}

func local() int64 {
	var n int64
	var wg sync.WaitGroup
	n = 1
	wg.Add(1)
	go func() {
		defer wg.Done()
		atomic.AddInt64(&n, 1)
	}()
	wg.Wait()
	return n
}

// What is written in assembly, or in the runtime, may order accesses, and calls functions when it likes.

type pool struct {
	local int64
	size  uintptr
}

func acquire(p *uintptr) uintptr

func register(func())

func init() { register(sweep) }

var one pool

func sweep() { one.local = 0 }

func (p *pool) fill() { atomic.StoreInt64(&p.local, 1) }

func (p *pool) get() int64 {
	if acquire(&p.size) == 0 {
		return 0
	}
	return p.local
}
