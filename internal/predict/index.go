package predict

import "github.com/racepred/racepred/internal/trace"

const (
	indexBits  = 9
	indexCache = 1 << indexBits
)

// Index finds the predictor's state of a goroutine, lock or object by its
// name. The zero Index is ready to use.
type Index[K ~uint32 | ~uint64, T any] struct {
	m     map[K]*T
	cache [indexCache]struct {
		k K
		v *T
	}
}

func slotOf[K ~uint32 | ~uint64](k K) int {
	return int(uint64(k) * 0x9E3779B97F4A7C15 >> (64 - indexBits))
}

// Get is k's state, nil when there is none.
func (x *Index[K, T]) Get(k K) *T {
	c := &x.cache[slotOf(k)]
	if c.v != nil && c.k == k {
		return c.v
	}
	v := x.m[k]
	if v != nil {
		c.k, c.v = k, v
	}
	return v
}

// Put sets k's state.
func (x *Index[K, T]) Put(k K, v *T) {
	if x.m == nil {
		x.m = map[K]*T{}
	}
	x.m[k] = v
	c := &x.cache[slotOf(k)]
	c.k, c.v = k, v
}

// Delete forgets k.
func (x *Index[K, T]) Delete(k K) {
	delete(x.m, k)
	if c := &x.cache[slotOf(k)]; c.k == k {
		c.v = nil
	}
}

// All reports whether f holds for all states.
func (x *Index[K, T]) All(f func(*T) bool) bool {
	for _, v := range x.m {
		if !f(v) {
			return false
		}
	}
	return true
}

// Len is how many there are.
func (x *Index[K, T]) Len() int { return len(x.m) }

const addrPage = 12 // bits of a page of addresses

// ByAddr is an Index of what lies at addresses, and knows what lies in a range. The zero ByAddr is ready to use.
type ByAddr[T any] struct {
	Index[trace.Addr, T]
	pages map[trace.Addr][]trace.Addr
}

// Put sets the state of what lies at a.
func (x *ByAddr[T]) Put(a trace.Addr, v *T) {
	if x.Get(a) == nil {
		if x.pages == nil {
			x.pages = map[trace.Addr][]trace.Addr{}
		}
		x.pages[a>>addrPage] = append(x.pages[a>>addrPage], a)
	}
	x.Index.Put(a, v)
}

// Forget deletes what lies in the size bytes at addr and has done's leave to go.
func (x *ByAddr[T]) Forget(addr trace.Addr, size uint32, done func(*T) bool) {
	if size == 0 || len(x.m) == 0 {
		return
	}
	last := addr + trace.Addr(size) - 1
	for no := addr >> addrPage; no <= last>>addrPage; no++ {
		list := x.pages[no]
		if len(list) == 0 {
			continue
		}
		keep := list[:0]
		for _, a := range list {
			if a < addr || a > last || !done(x.Get(a)) {
				keep = append(keep, a)
				continue
			}
			x.Delete(a)
		}
		if len(keep) == 0 {
			delete(x.pages, no)
		} else {
			x.pages[no] = keep
		}
	}
}
