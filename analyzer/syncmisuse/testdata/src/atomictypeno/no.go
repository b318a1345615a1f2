// Package atomictypeno has variables that cannot be made of an atomic type: each is made by another access at most.
package atomictypeno

import (
	"sync"
	"sync/atomic"
)

// Its address goes elsewhere.

type leaky struct{ n int32 }

func (l *leaky) inc() { atomic.AddInt32(&l.n, 1) }
func (l *leaky) get() int32 {
	return l.n // want `n is read plainly here`
}
func (l *leaky) addr() *int32 { return &l.n }

// Others know it.

type Known struct {
	sync.Mutex
	N int32
}

func (k *Known) Inc()       { atomic.AddInt32(&k.N, 1) }
func (k *Known) Get() int32 { return k.N } // want `N is read plainly here`

// Its struct is copied.

type copied struct{ n int32 }

func (c *copied) inc()         { atomic.AddInt32(&c.n, 1) }
func (c *copied) get() int32   { return c.n } // want `n is read plainly here`
func (c *copied) snap() copied { return *c }

type ranged struct{ n int32 }

func (c *ranged) inc()       { atomic.AddInt32(&c.n, 1) }
func (c *ranged) get() int32 { return c.n } // want `n is read plainly here`
func sum(all []ranged) (n int32) {
	for _, c := range all {
		n += c.n
	}
	return n
}

type grows struct{ n int32 }

func (c *grows) inc()       { atomic.AddInt32(&c.n, 1) }
func (c *grows) get() int32 { return c.n } // want `n is read plainly here`
func grow(all []grows) []grows {
	return append(all, grows{})
}

// Another package may copy it.

type Exported struct{ n int32 }

func (c *Exported) Inc()       { atomic.AddInt32(&c.n, 1) }
func (c *Exported) Get() int32 { return c.n } // want `n is read plainly here`

// It has a value from the beginning, or one by its place.

var begun int32 = 3

func begin()           { atomic.AddInt32(&begun, 1) }
func haveBegun() int32 { return begun } // want `begun is read plainly here`

type placed struct {
	mu sync.Mutex
	n  int32
}

func newPlaced() *placed     { return &placed{sync.Mutex{}, 1} }
func (p *placed) inc()       { atomic.AddInt32(&p.n, 1) }
func (p *placed) get() int32 { return p.n } // want `n is read plainly here`

type named struct {
	mu sync.Mutex
	n  int32
}

func newNamed() *named      { return &named{n: 1} }
func (p *named) inc()       { atomic.AddInt32(&p.n, 1) }
func (p *named) get() int32 { return p.n } // want `n is read plainly here`

// What is stored is made of what was there, and there is no operation for that.

type shifted struct {
	mu sync.Mutex
	n  uint32
}

func (p *shifted) inc()        { atomic.AddUint32(&p.n, 1) }
func (p *shifted) half()       { p.n /= 2 } // want `n is (read|written) plainly here`
func (p *shifted) get() uint32 { return atomic.LoadUint32(&p.n) }

type doubled struct {
	mu sync.Mutex
	n  int32
}

func (p *doubled) inc()    { atomic.AddInt32(&p.n, 1) }
func (p *doubled) double() { p.n = p.n * 2 } // want `n is (read|written) plainly here`

// A type of its own, one of several names, one with a tag, one of a generic type, one that is converted.

type celsius int32

type several struct {
	mu   sync.Mutex
	a, b int32
	c    int32 `json:"c"`
}

func (s *several) inc()       { atomic.AddInt32(&s.a, 1); atomic.AddInt32(&s.c, 1) }
func (s *several) get() int32 { return s.a + s.c } // want `a is read plainly here` `c is read plainly here`

type box[T any] struct {
	mu sync.Mutex
	v  T
	n  int32
}

func (b *box[T]) inc()       { atomic.AddInt32(&b.n, 1) }
func (b *box[T]) get() int32 { return b.n } // want `n is read plainly here`

type one struct{ n int32 }
type two struct{ n int32 }

func (o *one) inc()       { atomic.AddInt32(&o.n, 1) }
func (o *one) get() int32 { return o.n } // want `n is read plainly here`
func (o *one) two() *two  { return (*two)(o) }

// A file for another system uses it.

type elsewhere struct {
	mu    sync.Mutex
	there int32
}

func (e *elsewhere) inc()       { atomic.AddInt32(&e.there, 1) }
func (e *elsewhere) get() int32 { return e.there } // want `there is read plainly here`

// What has it is known to others.

type inner struct{ n int32 }

type Outer struct{ inner }

func (i *inner) inc()       { atomic.AddInt32(&i.n, 1) }
func (i *inner) get() int32 { return i.n } // want `n is read plainly here`

type stats struct{ n int32 }

var Default stats

func (s *stats) inc()       { atomic.AddInt32(&s.n, 1) }
func (s *stats) get() int32 { return s.n } // want `n is read plainly here`
