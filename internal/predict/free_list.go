package predict

import "unsafe"

// slabBytes is how large a slab gets. The heap keeps objects over 32 KB apart from others.
const slabBytes = 1 << 16

// SlabLen is how many objects of a size are made at a time when so many were made already.
func SlabLen(made int, size uintptr) int { return max(1, min(made, slabBytes/int(size))) }

// FreeList keeps objects that are not used any more, to be used again, so that a predictor in
// steady state allocates nothing. It gives no memory back. The zero FreeList is ready to use.
type FreeList[T any] struct {
	// Arena is where objects are made. If it is not nil, they may point only into an arena, or to objects that a FreeList without one made.
	Arena Arena
	// Behind is how many bytes lie behind each object, a multiple of eight. The collector does not look at them: they may point to what objects of an arena may.
	Behind uintptr

	top  *free[T] // where the next one comes from or goes to; nil before there is any
	kept []any    // slabs on the heap, so that the collector keeps objects that only an arena refers to
	made int      // objects, free or not
	heap int      // bytes of the heap
}

// free is a part of the stack of free objects. It lies where the objects do: of lists on the heap
// that grow, more would be garbage than is in use.
type free[T any] struct {
	at          [freeLen]*T
	n           int
	under, over *free[T]
}

const freeLen = 61

// Bytes is what all objects, free or not, take of the heap.
func (s *FreeList[T]) Bytes() int { return s.heap }

// Get returns an object that was given to Put, unchanged, or a zero T.
func (s *FreeList[T]) Get() *T {
	top := s.top
	if top == nil || top.n == 0 {
		if top == nil || top.under == nil {
			return s.more()
		}
		top = top.under // is full
		s.top = top
	}
	top.n--
	return top.at[top.n]
}

// more makes a slab, and returns the first of its objects.
func (s *FreeList[T]) more() *T {
	size := unsafe.Sizeof(*new(T)) + s.Behind
	n := SlabLen(s.made, size)
	s.made += n
	var first unsafe.Pointer
	if s.Behind > 0 {
		first = keep(s, MakeSlab[uint64](s.Arena, n*int(size/8)))
	} else {
		first = keep(s, MakeSlab[T](s.Arena, n))
	}
	for i := n - 1; i > 0; i-- {
		s.Put((*T)(unsafe.Add(first, uintptr(i)*size)))
	}
	return (*T)(first)
}

// keep keeps a slab, and returns its address.
func keep[T, E any](s *FreeList[T], slab []E) unsafe.Pointer {
	if s.Arena == nil {
		s.kept = append(s.kept, slab)
		s.heap += len(slab) * int(unsafe.Sizeof(slab[0]))
	}
	return unsafe.Pointer(unsafe.SliceData(slab))
}

// Put takes an object to which nothing refers any more.
func (s *FreeList[T]) Put(v *T) {
	top := s.top
	if top == nil || top.n == freeLen {
		top = s.above()
	}
	top.at[top.n] = v
	top.n++
}

// above makes an empty part of the stack its top.
func (s *FreeList[T]) above() *free[T] {
	under := s.top
	if under != nil && under.over != nil {
		s.top = under.over
		return s.top
	}
	s.top = Make[free[T]](s.Arena)
	if s.Arena == nil {
		s.heap += int(unsafe.Sizeof(free[T]{}))
	}
	if s.top.under = under; under != nil {
		under.over = s.top
	}
	return s.top
}
