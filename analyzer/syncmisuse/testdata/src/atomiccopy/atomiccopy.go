package atomiccopy

import "sync/atomic"

type tasks struct {
	busy map[string]uint32
	refs map[string]*uint32
	n    int64
}

func (t *tasks) claim(k string) bool {
	lock, ok := t.busy[k]
	return !ok || atomic.CompareAndSwapUint32(&lock, 0, 1) // want `atomic.CompareAndSwapUint32 has the address of lock, a copy of t.busy.k. that no other goroutine sees`
}

func (t *tasks) add() {
	n := t.n
	atomic.AddInt64(&n, 1) // want `atomic.AddInt64 has the address of n, a copy of t.n`
}

func (t *tasks) claimRef(k string) bool {
	lock, ok := t.refs[k]
	return !ok || atomic.CompareAndSwapUint32(lock, 0, 1)
}

func (t *tasks) count(do func(func())) int64 {
	n := t.n
	do(func() { atomic.AddInt64(&n, 1) })
	return atomic.LoadInt64(&n)
}

func (t *tasks) hand(to func(*int64)) {
	n := t.n
	to(&n)
	atomic.AddInt64(&n, 1)
}

func local() int64 {
	n := int64(1)
	return atomic.AddInt64(&n, 1)
}
