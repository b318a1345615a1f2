package predict

import "unsafe"

// maxSpare bounds what a Spare keeps, in bytes: who comes and goes by the thousand is served, and what a peak left goes back to the collector.
const maxSpare = 1 << 20

// Spare keeps what is not used any more, to be used again: a predictor in steady state allocates nothing. The zero Spare is ready to use.
type Spare[T any] struct{ list []*T }

// Get returns what was given to Put, as it was then, or a zero T.
func (s *Spare[T]) Get() *T {
	n := len(s.list)
	if n == 0 {
		return new(T)
	}
	v := s.list[n-1]
	s.list = s.list[:n-1]
	return v
}

// Put takes v, which nobody refers to any more.
func (s *Spare[T]) Put(v *T) {
	if uintptr(len(s.list))*unsafe.Sizeof(*v) < maxSpare {
		s.list = append(s.list, v)
	}
}
