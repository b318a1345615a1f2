package predict

import (
	"math/bits"
	"slices"
	"unsafe"
)

// Arena returns so many zeroed bytes, aligned to eight, of memory that the garbage collector does
// not scan and that is never given back. A nil Arena is the Go heap. Memory of an arena may have
// pointers into the arena, and to objects on the heap that the heap refers to as well, as a
// FreeList without an arena and a vclock.Pool do. What a predictor keeps in an arena costs the
// collector nothing. On the heap it would let the program's own garbage grow as large, and it would
// lie among the program's objects, which would spread them, and the recorder's shadow, over more
// memory.
type Arena func(bytes uintptr) unsafe.Pointer

// MakeSlab returns n zero T in a row.
func MakeSlab[T any](a Arena, n int) []T {
	if a == nil {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(a(uintptr(n)*unsafe.Sizeof(*new(T)))), n)
}

// Tables make tables that grow. An Index that got a larger table gives the old one back, for
// another Index. The zero Tables are on the Go heap.
type Tables struct {
	Arena Arena
	free  [64][]unsafe.Pointer // by the logarithm of their bytes, rounded up
}

// makeTable returns a zeroed table of n elements.
func makeTable[T any](t *Tables, n int) (at []T) {
	switch free := freeTables[T](t, n); {
	case free == nil:
		at = make([]T, n)
	case len(*free) == 0:
		at = unsafe.Slice((*T)(t.Arena(1<<class[T](n))), n)
	default:
		last := len(*free) - 1
		at = unsafe.Slice((*T)((*free)[last]), n)
		*free = (*free)[:last]
	}
	clear(at) // a new one, too: the system maps a page that is read before it is written twice
	return at
}

// dropTable gives a table back.
func dropTable[T any](t *Tables, at []T) {
	if len(at) == 0 {
		return
	}
	if free := freeTables[T](t, len(at)); free != nil {
		*free = append(*free, unsafe.Pointer(unsafe.SliceData(at)))
	}
}

// freeTables are the tables with room for n elements that were given back; nil if the collector
// frees tables.
func freeTables[T any](t *Tables, n int) *[]unsafe.Pointer {
	if t.onHeap() {
		return nil
	}
	return &t.free[class[T](n)]
}

// onHeap reports whether tables are made on the heap.
func (t *Tables) onHeap() bool { return t == nil || t.Arena == nil }

// class is the logarithm of the bytes of n elements, rounded up.
func class[T any](n int) int { return bits.Len(uint(n)*uint(unsafe.Sizeof(*new(T))) - 1) }

// Append is append for a list that lies where t makes tables. Lists of pointers to what an arena
// has need not be on the heap, where the collector looks at each of them. Only Append makes room in
// such a list, and Drop gives its memory back.
func Append[T any](t *Tables, list []T, x T) []T {
	n := len(list)
	if n == cap(list) {
		list = longer(t, list)
	}
	list = list[:n+1]
	list[n] = x
	return list
}

// minListBytes is how large a list is at first.
const minListBytes = 64

// longer is a list with room for more. It fills a table whose bytes are a power of two.
func longer[T any](t *Tables, list []T) []T {
	if t.onHeap() {
		return slices.Grow(list, 1)
	}
	size := int(unsafe.Sizeof(*new(T)))
	bytes := max(minListBytes, 2<<class[T](max(cap(list), 1)))
	more := makeTable[T](t, bytes/size)[:len(list)]
	copy(more, list)
	Drop(t, list)
	return more
}

// Drop gives back the memory of a list that Append made, or of nil.
func Drop[T any](t *Tables, list []T) { dropTable(t, list[:cap(list)]) }

// HeapBytes is what a list that Append made takes of the heap.
func HeapBytes[T any](t *Tables, list []T) int {
	if t.onHeap() {
		return cap(list) * int(unsafe.Sizeof(*new(T)))
	}
	return 0
}

// Make returns a new T, which is never freed unless a is nil.
func Make[T any](a Arena) *T { return &MakeSlab[T](a, 1)[0] }
