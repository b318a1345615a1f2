package engine

import (
	"unsafe"

	"github.com/racepred/racepred/internal/predict"
)

// arena is a predict.Arena whose memory can be used again, by whomever, when the predictor that had it is gone.
type arena struct {
	from predict.Arena // nil: the Go heap
	used []block
	free map[uintptr][]block // by size
}

type block struct {
	p    unsafe.Pointer
	size uintptr
}

// get is the Arena for what goes at a reset.
func (a *arena) get(size uintptr) unsafe.Pointer {
	b := a.take(size)
	a.used = append(a.used, b)
	return b.p
}

// keep is the Arena for what stays.
func (a *arena) keep(size uintptr) unsafe.Pointer { return a.take(size).p }

func (a *arena) take(size uintptr) (b block) {
	if free := a.free[size]; len(free) > 0 {
		b = free[len(free)-1]
		a.free[size] = free[:len(free)-1]
		clear(unsafe.Slice((*byte)(b.p), size))
	} else if a.from != nil {
		b = block{a.from(size), size}
	} else {
		words := make([]uint64, (size+7)/8)
		b = block{unsafe.Pointer(unsafe.SliceData(words)), size}
	}
	return b
}

// reset takes back the memory that get gave out. Nobody may use it any more.
func (a *arena) reset() {
	for _, b := range a.used {
		if a.free == nil {
			a.free = map[uintptr][]block{}
		}
		a.free[b.size] = append(a.free[b.size], b)
	}
	a.used = a.used[:0]
}
