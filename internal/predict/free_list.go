package predict

import "unsafe"

// slabBytes is what is made at a time, once there are as many bytes. What is larger than 32 KB does not lie among other objects on the heap.
const slabBytes = 1 << 16

// SlabLen is how many objects of a size are made at a time when there are so many.
func SlabLen(made int, size uintptr) int { return max(1, min(made, slabBytes/int(size))) }

// FreeList keeps what is not used any more, to be used again: a predictor in steady state allocates nothing. Nothing goes back to the collector. The zero FreeList is
// ready to use.
type FreeList[T any] struct {
	// Arena is where they are made. What they point to is then in an arena, too, or what a FreeList without one made.
	Arena Arena

	list  []*T
	slabs [][]T // on the heap: all are referred to from here, those in arenas may be
	made  int   // in use or not
}

// Bytes is what all there are take of the heap, those in use included.
func (s *FreeList[T]) Bytes() int {
	n := 8 * cap(s.list)
	if s.Arena == nil {
		n += s.made * int(unsafe.Sizeof(*new(T)))
	}
	return n
}

// Get returns what was given to Put, as it was then, or a zero T.
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

// Put takes v, which nobody refers to any more.
func (s *FreeList[T]) Put(v *T) { s.list = append(s.list, v) }
