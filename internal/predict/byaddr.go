package predict

import (
	"math/bits"

	"github.com/racepred/racepred/internal/trace"
)

// addrPage is how many bits of an address lie within a page: a span of small objects may have one in each word, and to forget one of them is a look
// at its page, but to forget a big one is a look at all of its pages.
const addrPage = 9

// ByAddr is an Index of what lies at addresses, and knows what lies in a range. The zero ByAddr is ready to use.
//
// A page with something in many of its words, as the buffer of a channel has it, has a table of its words instead of places in the index, which take four to eight times as much.
type ByAddr[T any] struct {
	sparse    Index[trace.Addr, T] // what lies in other pages, or at no word
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

// Arena is where the tables come from. It is called before there is anything. What is put into them is then in an arena, too, or what a FreeList without one made.
func (x *ByAddr[T]) Arena(t *Tables) {
	x.sparse.from, x.pages.from, x.freeLists.pages.Arena, x.freeLists.words.Arena = t, t, t.Arena, t.Arena
}

// Bytes is what the tables take of the heap.
func (x *ByAddr[T]) Bytes() int {
	return x.sparse.Bytes() + x.pages.Bytes() + x.freeLists.pages.Bytes() + x.freeLists.words.Bytes()
}

// Len is how many there are.
func (x *ByAddr[T]) Len() int { return x.n }

// Get is the state of what lies at a, nil when there is nothing.
func (x *ByAddr[T]) Get(a trace.Addr) *T {
	v := x.sparse.Get(a)
	if v == nil && x.dense > 0 && a%wordBytes == 0 {
		if p := x.pages.Get(a >> addrPage); p != nil && p.words != nil {
			return *p.words.of(a)
		}
	}
	return v
}

// of is the bits of a and its neighbours.
func (p *page[T]) of(a trace.Addr) *uint64 { return &p.at[a>>6%trace.Addr(len(p.at))] }

// of is the place of a, which is a word's address.
func (w *words[T]) of(a trace.Addr) **T { return &w[a/wordBytes%trace.Addr(len(w))] }

// Make is the state of what lies at a, one of the unused when there is none.
func (x *ByAddr[T]) Make(a trace.Addr, freeLists *FreeList[T]) *T {
	v := x.Get(a)
	if v == nil {
		v = freeLists.Get()
		x.Put(a, v)
	}
	return v
}

// Put sets the state of what lies at a, which is not nil.
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

// Delete forgets what lies at a.
func (x *ByAddr[T]) Delete(a trace.Addr) {
	if p := x.pages.Get(a >> addrPage); p != nil && *p.of(a)&(1<<(a&63)) != 0 {
		x.delete(a, p)
		x.drop(a>>addrPage, p)
	}
}

// delete forgets what lies at a in p, where something does.
func (x *ByAddr[T]) delete(a trace.Addr, p *page[T]) {
	if x.forgot(a, p); p.words != nil && a%wordBytes == 0 {
		*p.words.of(a) = nil
		return
	}
	x.sparse.Delete(a)
}

// forgot notes that nothing lies at a in p any more.
func (x *ByAddr[T]) forgot(a trace.Addr, p *page[T]) {
	*p.of(a) &^= 1 << (a & 63)
	x.n--
	if a%wordBytes == 0 {
		p.n--
	}
}

// drop forgets a page if nothing lies there.
func (x *ByAddr[T]) drop(no trace.Addr, p *page[T]) {
	if x.emptied(p) {
		x.pages.Delete(no)
	}
}

// emptied reports whether nothing lies in p. Then p is free, and the caller deletes it.
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

// Forget deletes what lies in the size bytes at addr, if done agrees.
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

// Sweep calls done for everything there is, with its address, and deletes it if done agrees. done does not use x.
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
