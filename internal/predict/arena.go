package predict

import (
	"math/bits"
	"unsafe"
)

// Arena is where memory comes from that the collector does not look at and that is never given back: it returns so many zeroed bytes, aligned to
// eight. A nil Arena is the Go heap. What lies there may point to what lies there, and to what something on the heap refers to for as long, as a Spare without an arena
// and a vclock.Pool do. Apart from the heap, what a predictor keeps costs the collector nothing, does not make it let the program's own garbage grow
// by as much, and does not lie among the program's objects, which would spread over more memory, and the recorder's shadow with them.
type Arena func(bytes uintptr) unsafe.Pointer

// MakeSlab is Make for n in a row.
func MakeSlab[T any](a Arena, n int) []T {
	if a == nil {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(a(uintptr(n)*unsafe.Sizeof(*new(T)))), n)
}

// Tables are where tables come from that grow: who has a larger one gives the old one back for another. The zero Tables are on the Go heap.
type Tables struct {
	Arena Arena
	free  [64][]unsafe.Pointer // by the logarithm of their bytes
}

// makeTable returns a zeroed table; n is a power of two.
func makeTable[T any](t *Tables, n int) []T {
	if t == nil || t.Arena == nil {
		at := make([]T, n)
		clear(at) // memory from the system that is read first is mapped twice
		return at
	}
	free := &t.free[bits.Len(uint(n)*uint(unsafe.Sizeof(*new(T))))]
	if k := len(*free); k > 0 {
		at := unsafe.Slice((*T)((*free)[k-1]), n)
		*free = (*free)[:k-1]
		clear(at)
		return at
	}
	at := MakeSlab[T](t.Arena, n)
	clear(at)
	return at
}

// dropTable gives a table back.
func dropTable[T any](t *Tables, at []T) {
	if t != nil && t.Arena != nil && len(at) > 0 {
		free := &t.free[bits.Len(uint(len(at))*uint(unsafe.Sizeof(*new(T))))]
		*free = append(*free, unsafe.Pointer(unsafe.SliceData(at)))
	}
}

// Make returns a new T, which is never freed unless a is nil.
func Make[T any](a Arena) *T {
	if a == nil {
		return new(T)
	}
	return (*T)(a(unsafe.Sizeof(*new(T))))
}
