package predict

import (
	"math/bits"

	"github.com/racepred/racepred/internal/trace"
)

// addrPage is how many bits of an address lie within a page. Small pages make it slow to forget a
// large object, which has many of them; large pages make it slow to forget a small object.
const addrPage = 9

// ByAddr has a T for each of some addresses: the predictor's state of an object. Like an Index it
// finds one by its address, and it also finds all in a range. The zero ByAddr is ready to use.
//
// A page with states for many of its words, like the buffer of a channel, has a table of its words.
// Entries of the index would take four to eight times the memory.
type ByAddr[T any] struct {
	sparse    Index[trace.Addr, T] // all but those in words tables
	pages     Index[trace.Addr, page[T]]
	freeLists struct {
		pages FreeList[page[T]]
		words FreeList[words[T]]
	}
	dense int // pages with tables
	n     int
}

// page has the addresses of a page where something lies, a bit each.
type page[T any] struct {
	at    [1 << addrPage / 64]uint64
	words *words[T] // nil mostly
	n     int       // words where something lies
}

// words is what lies at a page's words, by their order.
type words[T any] [1 << addrPage / wordBytes]*T

const (
	wordBytes = 8
	manyWords = 16 // a page with so many gets a table
)

// Arena says where tables are made. It is called before the first Put. If t has an arena, each T
// must be in an arena, too, or made by a FreeList without one.
func (x *ByAddr[T]) Arena(t *Tables) {
	x.sparse.Arena(t)
	x.pages.Arena(t)
	x.freeLists.pages.Arena, x.freeLists.words.Arena = t.Arena, t.Arena
}

// Bytes is what the tables take of the heap.
func (x *ByAddr[T]) Bytes() int {
	return x.sparse.Bytes() + x.pages.Bytes() + x.freeLists.pages.Bytes() + x.freeLists.words.Bytes()
}

// Len is how many there are.
func (x *ByAddr[T]) Len() int { return x.n }

// Get is the state of address a, nil if there is none.
func (x *ByAddr[T]) Get(a trace.Addr) *T {
	v := x.sparse.Get(a)
	if v == nil && x.dense > 0 && a%wordBytes == 0 {
		if p := x.pages.Get(a >> addrPage); p != nil && p.words != nil {
			return *p.words.of(a)
		}
	}
	return v
}

// of is the word of p.at with the bit of a.
func (p *page[T]) of(a trace.Addr) *uint64 { return &p.at[a>>6%trace.Addr(len(p.at))] }

// of is the entry of a, which is a word's address.
func (w *words[T]) of(a trace.Addr) **T { return &w[a/wordBytes%trace.Addr(len(w))] }

// Make is the state of address a, one from the free list if there is none.
func (x *ByAddr[T]) Make(a trace.Addr, freeLists *FreeList[T]) *T {
	v := x.Get(a)
	if v == nil {
		v = freeLists.Get()
		x.Put(a, v)
	}
	return v
}

// Put sets the state of address a, which is not nil.
func (x *ByAddr[T]) Put(a trace.Addr, v *T) {
	p := x.pages.Get(a >> addrPage)
	if p == nil {
		p = x.freeLists.pages.Get()
		x.pages.Put(a>>addrPage, p)
	}
	word := a%wordBytes == 0
	if bit := uint64(1) << (a & 63); *p.of(a)&bit == 0 {
		*p.of(a) |= bit
		x.n++
		if word {
			if p.n++; p.n >= manyWords && p.words == nil {
				x.toWords(a&^(1<<addrPage-1), p)
			}
		}
	}
	if word && p.words != nil {
		*p.words.of(a) = v
		return
	}
	x.sparse.Put(a, v)
}

// toWords gives the page at from a table.
func (x *ByAddr[T]) toWords(from trace.Addr, p *page[T]) {
	x.dense++
	p.words = x.freeLists.words.Get()
	for i := range p.words {
		a := from + trace.Addr(i*wordBytes)
		if v := x.sparse.Get(a); v != nil {
			x.sparse.Delete(a)
			p.words[i] = v
		}
	}
}

// Delete forgets the state of address a.
func (x *ByAddr[T]) Delete(a trace.Addr) {
	if p := x.pages.Get(a >> addrPage); p != nil && *p.of(a)&(1<<(a&63)) != 0 {
		x.delete(a, p)
		x.drop(a>>addrPage, p)
	}
}

// delete forgets the state of address a in p. There is one.
func (x *ByAddr[T]) delete(a trace.Addr, p *page[T]) {
	if x.forgot(a, p); p.words != nil && a%wordBytes == 0 {
		*p.words.of(a) = nil
		return
	}
	x.sparse.Delete(a)
}

// forgot notes that address a in p has no state any more.
func (x *ByAddr[T]) forgot(a trace.Addr, p *page[T]) {
	*p.of(a) &^= 1 << (a & 63)
	x.n--
	if a%wordBytes == 0 {
		p.n--
	}
}

// drop frees a page without states.
func (x *ByAddr[T]) drop(no trace.Addr, p *page[T]) {
	if x.emptied(p) {
		x.pages.Delete(no)
	}
}

// emptied reports whether p has no states. Then it frees p, and the caller deletes it from pages.
func (x *ByAddr[T]) emptied(p *page[T]) bool {
	if p.at != [len(p.at)]uint64{} {
		return false
	}
	if p.words != nil {
		x.freeLists.words.Put(p.words)
		p.words = nil
		x.dense--
	}
	x.freeLists.pages.Put(p)
	return true
}

// All reports whether f holds for all states.
func (x *ByAddr[T]) All(f func(*T) bool) bool {
	return x.sparse.All(f) && (x.dense == 0 || x.pages.All(func(p *page[T]) bool {
		if p.words != nil {
			for _, v := range p.words {
				if v != nil && !f(v) {
					return false
				}
			}
		}
		return true
	}))
}

// Forget deletes the states of addresses in the size bytes at addr for which done returns true.
func (x *ByAddr[T]) Forget(addr trace.Addr, size uint32, done func(*T) bool) {
	if size == 0 || x.n == 0 {
		return
	}
	last := addr + trace.Addr(size) - 1
	for no := addr >> addrPage; no <= last>>addrPage; no++ {
		p := x.pages.Get(no)
		if p == nil {
			continue
		}
		first := max(addr, no<<addrPage)
		for a := first &^ 63; a <= min(last, no<<addrPage|(1<<addrPage-1)); a += 64 {
			within := ^uint64(0) // the bits of what is to be forgotten
			if a < first {
				within <<= first - a
			}
			if last-a < 63 {
				within &= 1<<(last-a+1) - 1
			}
			for left := *p.of(a) & within; left != 0; left &= left - 1 {
				at := a + trace.Addr(bits.TrailingZeros64(left))
				if p.words != nil && at%wordBytes == 0 {
					if done(*p.words.of(at)) {
						x.delete(at, p)
					}
				} else if i := x.sparse.find(at); done(x.sparse.at[i].v) {
					x.sparse.deleteAt(i)
					x.forgot(at, p)
				}
			}
		}
		x.drop(no, p)
	}
}

// Sweep calls done for all states and deletes those for which it returns true. done must not use x.
func (x *ByAddr[T]) Sweep(done func(trace.Addr, *T) bool) {
	x.pages.sweep(func(no trace.Addr, p *page[T]) bool {
		for i, left := range p.at {
			for ; left != 0; left &= left - 1 {
				a := no<<addrPage + trace.Addr(64*i+bits.TrailingZeros64(left))
				if p.words != nil && a%wordBytes == 0 {
					if done(a, *p.words.of(a)) {
						x.delete(a, p)
					}
				} else if i := x.sparse.find(a); done(a, x.sparse.at[i].v) {
					x.sparse.deleteAt(i)
					x.forgot(a, p)
				}
			}
		}
		return x.emptied(p)
	})
}
