// Package cells divides memory where the accesses of a trace begin and end: events -> numbered
// cells. An access has all bytes of a cell or none. So a megabyte that is allocated, written and
// read as a whole is one cell for a search or a check. Bytes that no Read and no unseen Write has
// are in no cell, since nothing depends on their last store.
package cells

import (
	"math"

	"github.com/racepred/racepred/internal/trace"
)

// Range is the cells from Lo on that are before Hi.
type Range struct{ Lo, Hi int32 }

// Table has the cells of a trace, in the order of their addresses.
type Table struct {
	N      int32   // how many there are
	bytes  []int32 // by event, the index in ranges of its cells; -1 for an event that is no access and no Alloc
	ranges []Range
}

// New divides memory for n events: accesses and Allocs; others have no cells.
func New(n int, event func(int) *trace.Event) *Table {
	d := distinct{}
	d.grow(1 << 8)
	t := &Table{bytes: make([]int32, n)}
	for i := range n {
		e := event(i)
		t.bytes[i] = -1
		if spec := e.Kind.Spec(); (spec.Access || spec.Stores) && e.Size > 0 {
			t.bytes[i] = d.index(e.Addr, e.Size)
			if e.Kind == trace.Read || e.Unseen() {
				d.list[t.bytes[i]].matters = true
			}
		}
	}
	// The bytes from one cut to the next are one cell, or none. Cells are counted up to each cut.
	cuts := make([]cut, 0, 2*len(d.list))
	for k, b := range d.list {
		cuts = append(cuts, cut{b.addr, int32(2 * k)}, cut{b.end(), int32(2*k + 1)})
	}
	cuts = inOrder(cuts)
	at := make([]int32, len(cuts)) // by end
	n = 0
	for k, c := range cuts {
		if k > 0 && cuts[k-1].at < c.at {
			n++
		}
		at[c.end] = int32(n)
	}
	count := make([]int32, n+2)
	t.ranges = make([]Range, len(d.list))
	for k := range d.list {
		r := Range{at[2*k], at[2*k+1]}
		t.ranges[k] = r
		if d.list[k].matters {
			count[r.Lo]++
			count[r.Hi]--
		}
	}
	around := int32(0) // how many pieces that matter have the bytes
	for k := range count {
		around += count[k]
		count[k] = t.N
		if around > 0 {
			t.N++
		}
	}
	for k, r := range t.ranges {
		t.ranges[k] = Range{count[r.Lo], count[r.Hi]}
	}
	return t
}

// Of are the cells of event i.
func (t *Table) Of(i int32) Range {
	if k := t.bytes[i]; k >= 0 {
		return t.ranges[k]
	}
	return Range{}
}

// piece is the bytes of an access or Alloc.
type piece struct {
	addr    trace.Addr
	size    uint32
	matters bool // a Read or an unseen Write has these bytes
}

func (b *piece) end() trace.Addr {
	if end := b.addr + trace.Addr(b.size); end > b.addr {
		return end
	}
	return math.MaxUint64
}

// cut is where a piece begins or ends.
type cut struct {
	at  trace.Addr
	end int32 // twice the piece's number, and one more where it ends
}

// inOrder sorts cuts by their addresses with a radix sort. There may be very many of them in few
// megabytes, so most digits are the same and are skipped.
func inOrder(cuts []cut) []cut {
	differ := trace.Addr(0)
	for _, c := range cuts {
		differ |= c.at ^ cuts[0].at
	}
	other := make([]cut, len(cuts))
	for shift := 0; differ>>shift != 0; shift += 8 {
		if differ>>shift&0xff == 0 {
			continue
		}
		var from [257]int32
		for _, c := range cuts {
			from[c.at>>shift&0xff+1]++
		}
		for k := range 256 {
			from[k+1] += from[k]
		}
		for _, c := range cuts {
			k := c.at >> shift & 0xff
			other[from[k]] = c
			from[k]++
		}
		cuts, other = other, cuts
	}
	return cuts
}

// distinct numbers pieces, each once.
type distinct struct {
	list []piece
	hash []int32 // open addressing, the piece's number plus one
	bits int     // how far a hash is shifted to be a place in hash
}

func (d *distinct) index(a trace.Addr, size uint32) int32 {
	if 2*len(d.list) >= len(d.hash) {
		d.grow(2 * len(d.hash))
	}
	at := d.place(a, size)
	if d.hash[at] == 0 {
		d.list = append(d.list, piece{addr: a, size: size})
		d.hash[at] = int32(len(d.list))
	}
	return d.hash[at] - 1
}

// place is where a piece is in the table, or where it belongs.
func (d *distinct) place(a trace.Addr, size uint32) uint64 {
	at := (uint64(a) ^ uint64(size)<<40) * 0x9E3779B97F4A7C15 >> d.bits
	for {
		k := d.hash[at]
		if k == 0 || d.list[k-1].addr == a && d.list[k-1].size == size {
			return at
		}
		at = (at + 1) & uint64(len(d.hash)-1)
	}
}

func (d *distinct) grow(n int) {
	d.hash, d.bits = make([]int32, n), 65
	for ; n > 0; n >>= 1 {
		d.bits--
	}
	for k := range d.list {
		d.hash[d.place(d.list[k].addr, d.list[k].size)] = int32(k + 1)
	}
}
