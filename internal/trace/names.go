package trace

import "math/bits"

// names numbers names from 1, in the order they come up.
type names struct {
	slots []nameSlot // short ones, by open addressing; a power of two
	short int        // how many there are
	long  map[string]uint32
	last  nameSlot
}

// shortName is how many bytes a name has at most that is kept in its slot.
const shortName = 15

// namePad is how many bytes, of no meaning, are behind each name, so that it can be loaded as two words.
const namePad = 16

// nameSlot is a name's bytes, little-endian with its length in the last one, and its number; 0 in an empty slot.
type nameSlot struct {
	lo, hi uint64
	n      uint32
}

// keyOf is a name of size bytes at the beginning of b, which has namePad more.
func keyOf(b []byte, size int) (lo, hi uint64) {
	lo = word(b)
	if size < 8 {
		return lo & (1<<(8*size) - 1), uint64(size) << 56
	}
	return lo, word(b[8:])&(1<<(8*(size-8))-1) | uint64(size)<<56
}

// word is the first eight bytes, little-endian.
func word(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// number is that of the name of size bytes at the beginning of b, which has namePad more.
func (t *names) number(b []byte, size int) uint32 {
	if size > shortName {
		return t.longNumber(b[:size])
	}
	lo, hi := keyOf(b, size)
	if t.last.lo == lo && t.last.hi == hi && t.last.n != 0 {
		return t.last.n
	}
	if 3*t.short >= 2*len(t.slots) {
		t.grow()
	}
	s := t.find(lo, hi)
	if s.n == 0 {
		t.short++
		*s = nameSlot{lo, hi, t.next()}
	}
	t.last = *s
	return s.n
}

// next is the number of the name that was just added.
func (t *names) next() uint32 { return uint32(t.short + len(t.long)) }

func (t *names) longNumber(name []byte) uint32 {
	n, ok := t.long[string(name)]
	if !ok {
		if t.long == nil {
			t.long = map[string]uint32{}
		}
		t.long[string(name)] = 0
		n = t.next()
		t.long[string(name)] = n
	}
	return n
}

// find is the slot of a name, or an empty one for it.
func (t *names) find(lo, hi uint64) *nameSlot {
	mask := uint64(len(t.slots) - 1)
	a, b := bits.Mul64(lo^0x9E3779B97F4A7C15, hi^0xD6E8FEB86659FD93)
	for i := (a ^ b) & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.n == 0 || s.lo == lo && s.hi == hi {
			return s
		}
	}
}

func (t *names) grow() {
	old := t.slots
	t.slots = make([]nameSlot, max(64, 2*len(old)))
	for _, s := range old {
		if s.n != 0 {
			*t.find(s.lo, s.hi) = s
		}
	}
}
