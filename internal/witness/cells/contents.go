package cells

import "math/bits"

// Contents has a number for each cell, 0 at first. It keeps neighbours that were set together as
// one, so that setting many cells costs little more than setting one.
type Contents struct {
	n     int32
	value []int32  // by cell; a cell without its bit in begin has the number of the nearest cell before it that has one
	begin []uint64 // a bit for each cell
}

// NewContents returns the contents of n cells.
func NewContents(n int32) *Contents {
	c := &Contents{n: n, value: make([]int32, n), begin: make([]uint64, (n+63)/64)}
	for k := range c.begin {
		c.begin[k] = 1 // so that beginOf need not go far
	}
	return c
}

// Set sets the number of the cells to v.
func (c *Contents) Set(r Range, v int32) {
	if r.Lo >= r.Hi {
		return
	}
	if r.Hi < c.n && c.begin[r.Hi>>6]>>(r.Hi&63)&1 == 0 {
		c.value[r.Hi] = c.value[c.beginOf(r.Hi)]
		c.begin[r.Hi>>6] |= 1 << (r.Hi & 63)
	}
	first, last := r.Lo>>6, (r.Hi-1)>>6
	from, to := ^uint64(0)<<(r.Lo&63), ^uint64(0)>>(63-(r.Hi-1)&63)
	if first == last {
		c.begin[first] &^= from & to
	} else {
		c.begin[first] &^= from
		clear(c.begin[first+1 : last])
		c.begin[last] &^= to
	}
	c.begin[first] |= 1 << (r.Lo & 63)
	c.value[r.Lo] = v
}

// beginOf is the nearest cell at or before k with its bit set, which has the number of k.
func (c *Contents) beginOf(k int32) int32 {
	w := k >> 6
	m := c.begin[w] & (^uint64(0) >> (63 - k&63))
	for m == 0 {
		w--
		m = c.begin[w]
	}
	return w<<6 + 63 - int32(bits.LeadingZeros64(m))
}

// after is the first cell after k with its bit set, but not beyond hi.
func (c *Contents) after(k, hi int32) int32 {
	if k++; k >= hi {
		return hi
	}
	w := k >> 6
	m := c.begin[w] & (^uint64(0) << (k & 63))
	for m == 0 {
		if w++; w<<6 >= hi {
			return hi
		}
		m = c.begin[w]
	}
	return min(hi, w<<6+int32(bits.TrailingZeros64(m)))
}

// Each calls f with the parts of r that have one number each, in order, until f returns false.
func (c *Contents) Each(r Range, f func(part Range, v int32) bool) {
	if r.Lo >= r.Hi {
		return
	}
	for k, v := r.Lo, c.value[c.beginOf(r.Lo)]; ; v = c.value[k] {
		next := c.after(k, r.Hi)
		if !f(Range{k, next}, v) || next == r.Hi {
			return
		}
		k = next
	}
}
