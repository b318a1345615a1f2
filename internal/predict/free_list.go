package predict

import "unsafe"

// slabBytes is how large a slab gets. The heap keeps objects over 32 KB apart from others.
const slabBytes = 1 << 16

// SlabLen is how many objects of a size are made at a time when so many were made already.
func SlabLen(made int, size uintptr) int { return max(1, min(made, slabBytes/int(size))) }

// FreeList keeps objects that are not used any more, to be used again, so that a predictor in steady state allocates nothing. It gives no memory back. The zero FreeList is
// ready to use.
type FreeList[T any] struct {
	// Arena is where objects are made. If it is not nil, they may point only into an arena, or to objects that a FreeList without one made.
	Arena Arena

	top   *free[T] // where the next one comes from or goes to; nil before there is any
	slabs [][]T    // those on the heap, so that the collector keeps objects that only an arena refers to
	made  int      // objects, free or not
	heap  int      // bytes of the stack on the heap
}

// free is a part of the stack of free objects. It lies where the objects do: of lists on the heap that grow, more would be garbage than is in use.
type free[T any] struct {
	at          [freeLen]*T
	n           int
	under, over *free[T]
}

const freeLen = 61

// Bytes is what all objects, free or not, take of the heap.
func (s *FreeList[T]) Bytes() int {
	if s.Arena == nil {
		return s.heap + s.made*int(unsafe.Sizeof(*new(T)))
	}
	return s.heap
}

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
	slab := MakeSlab[T](s.Arena, SlabLen(s.made, unsafe.Sizeof(*new(T))))
	s.made += len(slab)
	if s.Arena == nil {
		s.slabs = append(s.slabs, slab)
	}
	for i := len(slab) - 1; i > 0; i-- {
		s.Put(&slab[i])
	}
	return &slab[0]
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
