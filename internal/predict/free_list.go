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

	list  []*T
	slabs [][]T // those on the heap, so that the collector keeps objects that only an arena refers to
	made  int   // objects, free or not
}

// Bytes is what all objects, free or not, take of the heap.
func (s *FreeList[T]) Bytes() int {
	n := 8 * cap(s.list)
	if s.Arena == nil {
		n += s.made * int(unsafe.Sizeof(*new(T)))
	}
	return n
}

// Get returns an object that was given to Put, unchanged, or a zero T.
func (s *FreeList[T]) Get() *T {
	n := len(s.list)
	if n == 0 {
		slab := MakeSlab[T](s.Arena, SlabLen(s.made, unsafe.Sizeof(*new(T))))
		s.made += len(slab)
		if s.Arena == nil {
			s.slabs = append(s.slabs, slab)
		}
		for i := len(slab) - 1; i > 0; i-- {
			s.list = append(s.list, &slab[i])
		}
		return &slab[0]
	}
	v := s.list[n-1]
	s.list = s.list[:n-1]
	return v
}

// Put takes an object to which nothing refers any more.
func (s *FreeList[T]) Put(v *T) { s.list = append(s.list, v) }
