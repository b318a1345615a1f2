package predict

import (
	"math/bits"
	"unsafe"

	"github.com/racepred/racepred/internal/trace"
)

// Index finds the predictor's state of a lock or object by its name. It is a table with linear probing instead of a map, since in the tested
// process a map tells of each look into it. The zero Index is ready to use.
type Index[K ~uint32 | ~uint64, T any] struct {
	at    []place[K, T] // a power of two, at most half of them taken: most looks are for what is not there, or delete
	n     int
	shift uint    // how far a hash is shifted to become an index
	from  *Tables // where at comes from; nil is the heap
}

type place[K ~uint32 | ~uint64, T any] struct {
	k K
	v *T // nil: free
}

const minIndexBits = 4

func (x *Index[K, T]) home(k K) int { return int(uint64(k) * 0x9E3779B97F4A7C15 >> x.shift) }

// find is where k is, or would be. There is a table.
func (x *Index[K, T]) find(k K) int {
	i := x.home(k)
	for x.at[i].v != nil && x.at[i].k != k {
		i = (i + 1) & (len(x.at) - 1)
	}
	return i
}

// Get is k's state, nil when there is none.
func (x *Index[K, T]) Get(k K) *T {
	if x.n == 0 {
		return nil
	}
	return x.at[x.find(k)].v
}

// Put sets k's state, which is not nil.
func (x *Index[K, T]) Put(k K, v *T) {
	if 2*(x.n+1) > len(x.at) {
		x.resize(max(2*len(x.at), 1<<minIndexBits))
	}
	i := x.find(k)
	if x.at[i].v == nil {
		x.n++
	}
	x.at[i] = place[K, T]{k, v}
}

func (x *Index[K, T]) resize(size int) {
	old := x.at
	x.at, x.shift = makeTable[place[K, T]](x.from, size), uint(64-bits.Len(uint(size-1)))
	for _, p := range old {
		if p.v != nil {
			x.at[x.find(p.k)] = p
		}
	}
	dropTable(x.from, old)
}

// Delete forgets k. What had to give way to it moves up.
func (x *Index[K, T]) Delete(k K) {
	if x.n == 0 {
		return
	}
	if i := x.find(k); x.at[i].v != nil {
		x.deleteAt(i)
	}
}

// deleteAt forgets what is at index free.
func (x *Index[K, T]) deleteAt(free int) {
	mask := len(x.at) - 1
	x.n--
	for i := (free + 1) & mask; x.at[i].v != nil; i = (i + 1) & mask {
		if (i-x.home(x.at[i].k))&mask >= (i-free)&mask {
			x.at[free] = x.at[i]
			free = i
		}
	}
	x.at[free] = place[K, T]{}
	if size := len(x.at); size > 1<<10 && 16*x.n < size {
		x.resize(size / 4)
	}
}

// All reports whether f holds for all states.
func (x *Index[K, T]) All(f func(*T) bool) bool {
	for _, p := range x.at {
		if p.v != nil && !f(p.v) {
			return false
		}
	}
	return true
}

// Bytes is what the table takes of the heap.
func (x *Index[K, T]) Bytes() int {
	if x.from != nil && x.from.Arena != nil {
		return 0
	}
	return len(x.at) * int(unsafe.Sizeof(place[K, T]{}))
}

// Len is how many there are.
func (x *Index[K, T]) Len() int { return x.n }

// addrPage is how many bits of an address lie within a page: a span of small objects may have one in each word, and who forgets one of them looks
// at its page, but who forgets a big one looks at all of its pages.
const addrPage = 9

// ByAddr is an Index of what lies at addresses, and knows what lies in a range. The zero ByAddr is ready to use.
type ByAddr[T any] struct {
	Index[trace.Addr, T]
	pages  Index[trace.Addr, addrs]
	unused Spare[addrs]
}

// addrs are the addresses of a page where something lies, a bit each.
type addrs [1 << addrPage / 64]uint64

// Arena is where the tables come from. It is called before there is anything. What is put into them is then in an arena, too, or what a Spare without one made.
func (x *ByAddr[T]) Arena(t *Tables) {
	x.from, x.pages.from, x.unused.Arena = t, t, t.Arena
}

// Bytes is what the tables take of the heap.
func (x *ByAddr[T]) Bytes() int { return x.Index.Bytes() + x.pages.Bytes() + x.unused.Bytes() }

// of is the bits of a and its neighbours.
func (p *addrs) of(a trace.Addr) *uint64 { return &p[a>>6%trace.Addr(len(p))] }

// Make is the state of what lies at a, one of the unused when there is none.
func (x *ByAddr[T]) Make(a trace.Addr, unused *Spare[T]) *T {
	v := x.Get(a)
	if v == nil {
		v = unused.Get()
		x.Put(a, v)
	}
	return v
}

// Put sets the state of what lies at a.
func (x *ByAddr[T]) Put(a trace.Addr, v *T) {
	page := x.pages.Get(a >> addrPage)
	if page == nil {
		page = x.unused.Get()
		x.pages.Put(a>>addrPage, page)
	}
	*page.of(a) |= 1 << (a & 63)
	x.Index.Put(a, v)
}

// Delete forgets what lies at a.
func (x *ByAddr[T]) Delete(a trace.Addr) {
	if page := x.pages.Get(a >> addrPage); page != nil {
		*page.of(a) &^= 1 << (a & 63)
		x.drop(a>>addrPage, page)
	}
	x.Index.Delete(a)
}

// drop forgets a page if nothing lies there.
func (x *ByAddr[T]) drop(no trace.Addr, page *addrs) {
	if *page == (addrs{}) {
		x.pages.Delete(no)
		x.unused.Put(page)
	}
}

// Forget deletes what lies in the size bytes at addr and has done's leave to go.
func (x *ByAddr[T]) Forget(addr trace.Addr, size uint32, done func(*T) bool) {
	if size == 0 || x.n == 0 {
		return
	}
	last := addr + trace.Addr(size) - 1
	for no := addr >> addrPage; no <= last>>addrPage; no++ {
		page := x.pages.Get(no)
		if page == nil {
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
			word := page.of(a)
			for left := *word & within; left != 0; left &= left - 1 {
				at := a + trace.Addr(bits.TrailingZeros64(left))
				if i := x.find(at); done(x.at[i].v) {
					x.deleteAt(i)
					*word &^= left & -left
				}
			}
		}
		x.drop(no, page)
	}
}
