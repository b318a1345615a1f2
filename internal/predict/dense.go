package predict

import "github.com/racepred/racepred/internal/trace"

// gPage is how many goroutines a page has. One of them that does not end keeps its page, which the
// collector scans.
const gPage = 1 << 7

// ByG has a T for each goroutine: the predictor's state of it. Names of goroutines count from 1 and
// are never used again, so it is a table in pages. A page is freed when it has no goroutine any
// more. The zero ByG is ready to use.
type ByG[T any] struct {
	pages     []*gs[T]
	freeLists FreeList[gs[T]]
	from      *Tables // makes pages; nil is the heap
	n         int
}

type gs[T any] struct {
	at [gPage]*T
	n  int
}

// Arena says where pages are. It is called before the first Put. Each T must be in the arena, too,
// or made by a FreeList without one.
func (x *ByG[T]) Arena(t *Tables) { x.from, x.freeLists.Arena = t, t.Arena }

// Get is the goroutine's state, nil when there is none.
func (x *ByG[T]) Get(id trace.G) *T {
	if i := int(id / gPage); i < len(x.pages) {
		if p := x.pages[i]; p != nil {
			return p.at[id%gPage]
		}
	}
	return nil
}

// Put sets the goroutine's state, which is not nil.
func (x *ByG[T]) Put(id trace.G, v *T) {
	i := int(id / gPage)
	for i >= len(x.pages) {
		x.pages = Append(x.from, x.pages, nil)
	}
	p := x.pages[i]
	if p == nil {
		p = x.freeLists.Get()
		x.pages[i] = p
	}
	if p.at[id%gPage] == nil {
		p.n++
		x.n++
	}
	p.at[id%gPage] = v
}

// Make is the goroutine's state, one from the free list when there is none.
func (x *ByG[T]) Make(id trace.G, freeLists *FreeList[T]) *T {
	v := x.Get(id)
	if v == nil {
		v = freeLists.Get()
		x.Put(id, v)
	}
	return v
}

// Delete forgets the goroutine, and returns its state, nil when there was none.
func (x *ByG[T]) Delete(id trace.G) *T {
	i := int(id / gPage)
	v := x.Get(id)
	if v == nil {
		return nil
	}
	p := x.pages[i]
	p.at[id%gPage] = nil
	x.n--
	if p.n--; p.n == 0 { // often, in a program that runs one goroutine after the other
		x.pages[i] = nil
		x.freeLists.Put(p)
	}
	return v
}

// Bytes is what the tables take of the heap.
func (x *ByG[T]) Bytes() int { return x.freeLists.Bytes() + HeapBytes(x.from, x.pages) }

// Len is how many there are.
func (x *ByG[T]) Len() int { return x.n }

// All reports whether f holds for all states.
func (x *ByG[T]) All(f func(*T) bool) bool {
	for _, p := range x.pages {
		if p == nil {
			continue
		}
		for _, v := range p.at {
			if v != nil && !f(v) {
				return false
			}
		}
	}
	return true
}

// Each calls f for all states.
func (x *ByG[T]) Each(f func(trace.G, *T)) {
	for no, p := range x.pages {
		if p == nil {
			continue
		}
		for i, v := range p.at {
			if v != nil {
				f(trace.G(no*gPage+i), v)
			}
		}
	}
}
