package predict

import (
	"math/bits"
	"unsafe"
)

// Arena is where memory comes from that the collector does not look at and that is never given back: it returns so many zeroed bytes, aligned to
// eight. A nil Arena is the Go heap. What lies there may point to what lies there, and to what something on the heap refers to for as long, as a FreeList without an arena
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

// Tables make tables that grow. An Index that got a larger table gives the old one back, for another Index. The zero Tables are on the Go heap.
type Tables struct {
	Arena Arena
	free  [64][]unsafe.Pointer // by the logarithm of their bytes
}

// makeTable returns a zeroed table; n is a power of two.
func makeTable[T any](t *Tables, n int) (at []T) {
	switch free := freeTables[T](t, n); {
	case free == nil:
		at = make([]T, n)
	case len(*free) == 0:
		at = MakeSlab[T](t.Arena, n)
	default:
		last := len(*free) - 1
		at = unsafe.Slice((*T)((*free)[last]), n)
		*free = (*free)[:last]
	}
	clear(at) // what is new, too: memory from the system that is read first is mapped twice
	return at
}

// dropTable gives a table back.
func dropTable[T any](t *Tables, at []T) {
	if free := freeTables[T](t, len(at)); free != nil && len(at) > 0 {
		*free = append(*free, unsafe.Pointer(unsafe.SliceData(at)))
	}
}

// freeTables are those of n elements that were given back; nil if the heap takes care of them.
func freeTables[T any](t *Tables, n int) *[]unsafe.Pointer {
	if t == nil || t.Arena == nil {
		return nil
	}
	return &t.free[bits.Len(uint(n)*uint(unsafe.Sizeof(*new(T))))]
}

// Make returns a new T, which is never freed unless a is nil.
func Make[T any](a Arena) *T { return &MakeSlab[T](a, 1)[0] }
