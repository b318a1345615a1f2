package trace

// names numbers names from 1, in the order of their first appearance.
type names struct {
	keys    []nameKey // short ones, by open addressing; a power of two, or none
	numbers []uint32  // of the keys, apart from them, so that more of them share a cache line
	short   int       // how many there are
	long    map[string]uint32
	last    nameKey
	lastNo  uint32
}

// shortName is how many bytes a name has at most that is a key.
const shortName = 15

// namePad is how many bytes, of no meaning, are behind each name, so that it can be loaded as two
// words.
const namePad = 16

// nameKey is a name's bytes, little-endian with its length in the last one; zero for none.
type nameKey struct{ lo, hi uint64 }

// key is the key of the first size bytes of two words, 0 < size <= shortName.
func key(lo, hi uint64, size int) (uint64, uint64) {
	if size < 8 {
		return lo & (1<<(8*size&63) - 1), uint64(size) << 56
	}
	return lo, hi&(1<<(8*(size-8)&63)-1) | uint64(size)<<56
}

// word is the first eight bytes, little-endian.
func word(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// number is the number of the name of size bytes at the beginning of b, which has namePad bytes
// more.
func (t *names) number(b []byte, size int) uint32 {
	if size > shortName {
		return t.longNumber(b[:size])
	}
	lo, hi := key(word(b), word(b[8:]), size)
	return t.shortNumber(lo, hi)
}

// shortNumber is the number of the name with that key.
func (t *names) shortNumber(lo, hi uint64) uint32 {
	if t.last.lo == lo && t.last.hi == hi {
		return t.lastNo
	}
	if 3*t.short >= 2*len(t.keys) {
		t.grow()
	}
	i := t.find(lo, hi)
	if t.keys[i].hi == 0 {
		t.short++
		t.keys[i], t.numbers[i] = nameKey{lo, hi}, t.next()
	}
	t.last, t.lastNo = nameKey{lo, hi}, t.numbers[i]
	return t.lastNo
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

// find is where a key is, or where there is room for it.
func (t *names) find(lo, hi uint64) uint64 {
	mask := uint64(len(t.keys) - 1)
	for i := shortHash(lo, hi) & mask; ; i = (i + 1) & mask {
		if k := &t.keys[i]; k.hi == 0 || k.lo == lo && k.hi == hi {
			return i
		}
	}
}

func (t *names) grow() {
	keys, numbers := t.keys, t.numbers
	n := max(64, 2*len(keys))
	t.keys, t.numbers = make([]nameKey, n), make([]uint32, n)
	for i, k := range keys {
		if k.hi != 0 {
			at := t.find(k.lo, k.hi)
			t.keys[at], t.numbers[at] = k, numbers[i]
		}
	}
}

// all are the names in the order of their numbers.
func (t *names) all() []string {
	list := make([]string, t.next())
	for i, k := range t.keys {
		if k.hi == 0 {
			continue
		}
		var b [namePad]byte
		for j := range 8 {
			b[j], b[8+j] = byte(k.lo>>(8*j)), byte(k.hi>>(8*j))
		}
		list[t.numbers[i]-1] = string(b[:b[namePad-1]])
	}
	for name, n := range t.long {
		list[n-1] = name
	}
	return list
}
