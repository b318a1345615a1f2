package predict

import (
	"math/bits"

	"github.com/racepred/racepred/internal/trace"
)

// AddrSet is a set of addresses in bounded memory. It is exact to the word until it is full. Then
// it halves its precision: an address is in the set as soon as one of its neighbours is. It never
// loses an address. The zero AddrSet is ready to use.
type AddrSet struct {
	Limit int // bytes of the table; 0 means no bound

	from  *Tables
	at    []addrPage64 // a power of two, at most half of them taken
	n     int
	grain uint // the logarithm of how many words a bit is for
}

// addrPage64 has a bit for each of 64 grains. An entry without bits is free.
type addrPage64 struct {
	page trace.Addr
	bits uint64
}

const (
	addrPageBytes  = 16
	minAddrPages   = 1 << 4
	wordShift      = 3
	grainsPerShift = 6
)

// Tables says where the table is made. It is called before the first Add.
func (x *AddrSet) Tables(t *Tables) { x.from = t }

// Bytes is what the table takes.
func (x *AddrSet) Bytes() int { return addrPageBytes * len(x.at) }

// Has reports whether a is in the set, or may be since an address near it is.
func (x *AddrSet) Has(a trace.Addr) bool {
	if x.n == 0 {
		return false
	}
	grain := a >> (wordShift + x.grain)
	return x.at[x.find(grain>>grainsPerShift)].bits>>(grain&63)&1 != 0
}

// Add puts a into the set.
func (x *AddrSet) Add(a trace.Addr) {
	for 2*(x.n+1) > len(x.at) {
		x.more()
	}
	grain := a >> (wordShift + x.grain)
	x.put(grain>>grainsPerShift, 1<<(grain&63))
}

// Clear takes out the addresses of the size bytes at a, except those that share a grain with other
// bytes.
func (x *AddrSet) Clear(a trace.Addr, size uint32) {
	if x.n == 0 {
		return
	}
	shift := wordShift + x.grain
	first, end := (a+1<<shift-1)>>shift, (a+trace.Addr(size))>>shift
	for first < end && x.n > 0 {
		page := first >> grainsPerShift
		next := min((page+1)<<grainsPerShift, end)
		if i := x.find(page); x.at[i].bits != 0 {
			within := ^uint64(0) >> (64 - (next - first)) << (first & 63)
			if x.at[i].bits &^= within; x.at[i].bits == 0 {
				x.free(i)
			}
		}
		first = next
	}
}

// Reset takes out all.
func (x *AddrSet) Reset() {
	dropTable(x.from, x.at)
	*x = AddrSet{Limit: x.Limit, from: x.from}
}

// home has another factor than an Index: Cells.forget adds addresses in the order of an Index. In a
// table that is still small and has the same order, they would all go to its beginning, each behind
// all others.
func (x *AddrSet) home(page trace.Addr) int {
	return int(uint64(page) * 0xD1342543DE82EF95 >> (64 - uint(bits.Len(uint(len(x.at)-1)))))
}

// find is the index of the page's entry, or of the free one that it would get. The table is not
// empty.
func (x *AddrSet) find(page trace.Addr) int {
	i := x.home(page)
	for x.at[i].bits != 0 && x.at[i].page != page {
		i = (i + 1) & (len(x.at) - 1)
	}
	return i
}

func (x *AddrSet) put(page trace.Addr, bits uint64) {
	p := &x.at[x.find(page)]
	if p.bits == 0 {
		x.n++
		p.page = page
	}
	p.bits |= bits
}

// free closes the gap at index i, whose entry has no bits any more.
func (x *AddrSet) free(i int) {
	mask := len(x.at) - 1
	x.n--
	for j := (i + 1) & mask; x.at[j].bits != 0; j = (j + 1) & mask {
		if (j-x.home(x.at[j].page))&mask >= (j-i)&mask {
			x.at[i] = x.at[j]
			i = j
		}
	}
	x.at[i] = addrPage64{}
}

// more makes room: a larger table, or grains of twice as many words.
func (x *AddrSet) more() {
	size := max(2*len(x.at), minAddrPages)
	coarser := x.Limit > 0 && size*addrPageBytes > max(x.Limit, 2*minAddrPages*addrPageBytes)
	if coarser {
		size = len(x.at)
		x.grain++
	}
	old := x.at
	x.at, x.n = makeTable[addrPage64](x.from, size), 0
	for _, p := range old {
		switch {
		case p.bits == 0:
		case coarser:
			x.put(p.page>>1, halved(p.bits)<<(32*(p.page&1)))
		default:
			x.put(p.page, p.bits)
		}
	}
	dropTable(x.from, old)
}

// halved has a bit for each two of b, in the lower half.
func halved(b uint64) uint64 {
	b = (b | b>>1) & 0x5555555555555555
	b = (b | b>>1) & 0x3333333333333333
	b = (b | b>>2) & 0x0F0F0F0F0F0F0F0F
	b = (b | b>>4) & 0x00FF00FF00FF00FF
	b = (b | b>>8) & 0x0000FFFF0000FFFF
	return (b | b>>16) & 0xFFFFFFFF
}
