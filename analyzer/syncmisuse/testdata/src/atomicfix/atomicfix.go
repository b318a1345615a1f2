package atomicfix

import "sync/atomic"

type hits struct {
	n     int64
	total uint64
	last  int32
	flags int
}

func (h *hits) inc() {
	atomic.AddInt64(&h.n, 1)
	atomic.AddUint64(&h.total, 1)
	atomic.StoreInt32(&h.last, 1)
}

func (h *hits) get() int64 { return h.n } // want `n is read plainly here`

func (h *hits) grow() {
	h.total++ // want `total is (read|written) plainly here`
}

func (h *hits) reset(n int32) {
	h.last = n + 1 // want `last is written plainly here`
}
