package atomicfix

import "sync/atomic"

type Hits struct {
	n     int64
	total uint64
	last  int32
	flags int
}

func (h *Hits) inc() {
	atomic.AddInt64(&h.n, 1)
	atomic.AddUint64(&h.total, 1)
	atomic.StoreInt32(&h.last, 1)
}

func (h *Hits) get() int64 { return h.n } // want `n is read plainly here`

func (h *Hits) grow() {
	h.total++ // want `total is (read|written) plainly here`
}

func (h *Hits) reset(n int32) {
	h.last = n + 1 // want `last is written plainly here`
}
