package predict

import "unsafe"

// Arena is where memory without pointers comes from that is never given back: it returns so many zeroed bytes, aligned to
// eight. A nil Arena is the Go heap. Apart from the heap, what a predictor keeps does not make the collector let the program's
// own garbage grow by as much.
type Arena func(bytes uintptr) unsafe.Pointer

// Make returns a new T, which has no pointers into the Go heap and is never freed unless a is nil.
func Make[T any](a Arena) *T {
	if a == nil {
		return new(T)
	}
	return (*T)(a(unsafe.Sizeof(*new(T))))
}
