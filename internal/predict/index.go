package predict

import "math/bits"

// Index finds the predictor's state of a lock or object by its name. It is a table with linear
// probing and not a map, since in the tested process each access of a map calls the recorder. The
// zero Index is ready to use.
type Index[K ~uint32 | ~uint64, T any] struct {
	at    []place[K, T] // a power of two, at most half of them taken: most calls look for a key that is not there, or delete
	n     int
	shift uint    // how far a hash is shifted to become an index
	from  *Tables // makes at; nil is the heap
}

type place[K ~uint32 | ~uint64, T any] struct {
	k K
	v *T // nil: free
}

const minIndexBits = 4

// Arena says where the table is made. It is called before the first Put. Each T must be in the
// arena, too, or made by a FreeList without one.
func (x *Index[K, T]) Arena(t *Tables) { x.from = t }

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
	if 2*(x.n+1) > len(x.at) {
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
	x.at, x.shift = makeTable[place[K, T]](x.from, size), uint(64-bits.Len(uint(size-1)))
	for _, p := range old {
		if p.v != nil {
			x.at[x.find(p.k)] = p
		}
	}
	dropTable(x.from, old)
}

// Delete forgets k.
func (x *Index[K, T]) Delete(k K) {
	if x.n == 0 {
		return
	}
	if i := x.find(k); x.at[i].v != nil {
		x.deleteAt(i)
	}
}

// deleteAt forgets the entry at index free, and moves up entries that were put further on because
// of it.
func (x *Index[K, T]) deleteAt(free int) {
	mask := len(x.at) - 1
	x.n--
	for i := (free + 1) & mask; x.at[i].v != nil; i = (i + 1) & mask {
		if (i-x.home(x.at[i].k))&mask >= (i-free)&mask {
			x.at[free] = x.at[i]
			free = i
		}
	}
	x.at[free] = place[K, T]{}
	if size := len(x.at); size > 1<<10 && 16*x.n < size {
		x.resize(size / 4)
	}
}

// sweep deletes the states for which gone returns true. gone must not use x.
func (x *Index[K, T]) sweep(gone func(K, *T) bool) {
	for i := range x.at {
		if p := &x.at[i]; p.v != nil && gone(p.k, p.v) {
			p.v = nil
			x.n--
		}
	}
	if size := len(x.at); size > 0 { // entries may have to move up
		for size > 1<<10 && 16*x.n < size {
			size /= 4
		}
		x.resize(size)
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

// Clear forgets all.
func (x *Index[K, T]) Clear() {
	clear(x.at)
	x.n = 0
}

// Bytes is what the table takes of the heap.
func (x *Index[K, T]) Bytes() int { return HeapBytes(x.from, x.at) }

// Len is how many there are.
func (x *Index[K, T]) Len() int { return x.n }
