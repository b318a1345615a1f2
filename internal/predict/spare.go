package predict

import "unsafe"

// maxSpare is how many bytes a Spare keeps whatever there is in use, and otherwise as much as that: who comes and goes is served, by the million as well, and what a peak
// left goes back to the collector.
const maxSpare = 1 << 20

// Spare keeps what is not used any more, to be used again: a predictor in steady state allocates nothing. The zero Spare is ready to use.
type Spare[T any] struct {
	list []*T
	made int // and not given back to the collector
}

// Bytes is what all there are take, those in use included.
func (s *Spare[T]) Bytes() int { return s.made*int(unsafe.Sizeof(*new(T))) + 8*cap(s.list) }

// Get returns what was given to Put, as it was then, or a zero T.
func (s *Spare[T]) Get() *T {
	n := len(s.list)
	if n == 0 {
		s.made++
		return new(T)
	}
	v := s.list[n-1]
	s.list = s.list[:n-1]
	return v
}

// Put takes v, which nobody refers to any more.
func (s *Spare[T]) Put(v *T) {
	if n := len(s.list); 2*n < s.made || uintptr(n)*unsafe.Sizeof(*v) < maxSpare {
		s.list = append(s.list, v)
	} else {
		s.made--
	}
}
