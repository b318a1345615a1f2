// Package atomictype mixes functions of sync/atomic with plain accesses of variables that can be made of an atomic type.
package atomictype

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// A field of a type that nobody copies.

type hits struct {
	n     int64 // how many
	total uint32
}

func (h *hits) inc(by int64) int64 {
	defer atomic.AddUint32(&h.total, 1)
	if atomic.CompareAndSwapInt64(&h.n, 0, by) {
		return atomic.LoadInt64(&(h.n))
	}
	return atomic.AddInt64(&h.n, by+atomic.SwapInt64(&h.n, 1))
}

func (h *hits) get() (int64, uint32) {
	return h.n, h.total // want `n is read plainly here` `total is read plainly here`
}

func (h *hits) add(by int64) {
	h.n += by
	h.n -= by + 1
	h.n++
	h.total--
	h.total++
	h.n = max(by, 3)
	fmt.Println(h.n, -h.n, []int64{h.n})
}

func newHits() *hits { return &hits{} }

// One of an exported type that has a lock, so that it is not copied anyway.

type Gauge struct {
	mu   sync.Mutex
	last int32
	name string
}

func NewGauge() *Gauge {
	g := &Gauge{name: "g"}
	g.last = 1
	return g
}

func (g *Gauge) Set(x int32) { atomic.StoreInt32(&g.last, x) }

func (g *Gauge) Get() int32 {
	if x := g.last; x > 0 { // want `last is read plainly here`
		return x
	}
	return 0
}

// A variable of the package.

var seen uint64

func See() { atomic.AddUint64(&seen, 1) }

func Seen() uint64 { return seen } // want `seen is read plainly here`

// One of a function.

func count(work []func()) int32 {
	var n int32
	for range work {
		go func() {
			atomic.AddInt32(&n, 1)
		}()
	}
	if n == 0 { // want `n is read plainly here`
		return -1
	}
	return n
}

func countRight(work []func()) int32 {
	var n int32
	for range work {
		go func() {
			atomic.AddInt32(&n, 1)
		}()
	}
	for atomic.LoadInt32(&n) < int32(len(work)) {
	}
	return n
}

// One that is declared in a file of its own.

func (o *Other) inc() { atomic.AddInt32(&o.calls, 1) }

func (o *Other) get() int32 { return o.calls } // want `calls is read plainly here`
