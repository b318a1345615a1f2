package predict

import (
	"math/bits"

	"github.com/racepred/racepred/internal/trace"
)

// Index finds the predictor's state of a lock or object by its name. It is a table with linear probing instead of a map, since in the tested
// process a map tells of each look into it. The zero Index is ready to use.
type Index[K ~uint32 | ~uint64, T any] struct {
	at    []place[K, T] // a power of two, at most three quarters of them taken
	n     int
	shift uint // how far a hash is shifted to become an index
}

type place[K ~uint32 | ~uint64, T any] struct {
	k K
	v *T // nil: free
}

const minIndexBits = 4

func (x *Index[K, T]) home(k K) int { return int(uint64(k) * 0x9E3779B97F4A7C15 >> x.shift) }

// find is where k is, or would be. There is a table.
func (x *Index[K, T]) find(k K) int {
	i := x.home(k)
	for x.at[i].v != nil && x.at[i].k != k {
		i = (i + 1) & (len(x.at) - 1)
	}
	return i
}

// Get is k's state, nil when there is none.
func (x *Index[K, T]) Get(k K) *T {
	if x.n == 0 {
		return nil
	}
	return x.at[x.find(k)].v
}

// Put sets k's state, which is not nil.
func (x *Index[K, T]) Put(k K, v *T) {
	if 4*(x.n+1) > 3*len(x.at) {
		x.resize(max(2*len(x.at), 1<<minIndexBits))
	}
	i := x.find(k)
	if x.at[i].v == nil {
		x.n++
	}
	x.at[i] = place[K, T]{k, v}
}

func (x *Index[K, T]) resize(size int) {
	old := x.at
	x.at, x.shift = make([]place[K, T], size), uint(64-bits.Len(uint(size-1)))
	for _, p := range old {
		if p.v != nil {
			x.at[x.find(p.k)] = p
		}
	}
}

// Delete forgets k. What had to give way to it moves up.
func (x *Index[K, T]) Delete(k K) {
	if x.n == 0 {
		return
	}
	mask := len(x.at) - 1
	free := x.find(k)
	if x.at[free].v == nil {
		return
	}
	x.n--
	for i := (free + 1) & mask; x.at[i].v != nil; i = (i + 1) & mask {
		if (i-x.home(x.at[i].k))&mask >= (i-free)&mask {
			x.at[free] = x.at[i]
			free = i
		}
	}
	x.at[free] = place[K, T]{}
	if size := len(x.at); size > 1<<10 && 8*x.n < size {
		x.resize(size / 4)
	}
}

// All reports whether f holds for all states.
func (x *Index[K, T]) All(f func(*T) bool) bool {
	for _, p := range x.at {
		if p.v != nil && !f(p.v) {
			return false
		}
	}
	return true
}

// Len is how many there are.
func (x *Index[K, T]) Len() int { return x.n }

// addrPage is how many bits of an address lie within a page: a span of small objects may have one in each word, and who forgets one of them looks
// at its page, but who forgets a big one looks at all of its pages.
const addrPage = 9

// ByAddr is an Index of what lies at addresses, and knows what lies in a range. The zero ByAddr is ready to use.
type ByAddr[T any] struct {
	Index[trace.Addr, T]
	pages Index[trace.Addr, []trace.Addr]
}

// Put sets the state of what lies at a.
func (x *ByAddr[T]) Put(a trace.Addr, v *T) {
	if x.Get(a) == nil {
		list := x.pages.Get(a >> addrPage)
		if list == nil {
			list = new([]trace.Addr)
			x.pages.Put(a>>addrPage, list)
		}
		*list = append(*list, a)
	}
	x.Index.Put(a, v)
}

// Forget deletes what lies in the size bytes at addr and has done's leave to go.
func (x *ByAddr[T]) Forget(addr trace.Addr, size uint32, done func(*T) bool) {
	if size == 0 || x.n == 0 {
		return
	}
	last := addr + trace.Addr(size) - 1
	for no := addr >> addrPage; no <= last>>addrPage; no++ {
		list := x.pages.Get(no)
		if list == nil {
			continue
		}
		keep := (*list)[:0]
		for _, a := range *list {
			if a < addr || a > last || !done(x.Get(a)) {
				keep = append(keep, a)
				continue
			}
			x.Delete(a)
		}
		if len(keep) == 0 {
			x.pages.Delete(no)
		} else {
			*list = keep
		}
	}
}
