package trace

// Operation is the op of x op= y, or of an atomic operation without a result, of those that commute
// with their like; 0 is none.
type Operation uint8

// The operations. Package rt numbers them alike.
const (
	Addition Operation = iota + 1 // and subtraction
	AndBits                       // and &^
	OrBits
	XorBits
	Multiplication
)

// Unseen decides which operations a recorder may flag as unseen: additions to one word trade
// places, and so do bit operations of one kind, but not an addition and a bit operation, or And and
// Or.
//
//	(N1) An operation is unseen if all unseen ones of the word since the last one that is not unseen
//	     are of its kind; otherwise it keeps its place, and the next one may be of any kind. Plain
//	     and atomic ones of a kind are alike.
//
// There may be many words, and most have additions only. Such a word has no entry, only a bit that
// several words share.
//
// The zero Unseen is ready.
type Unseen struct {
	kinds map[Addr]Operation // of words where it is not addition
	added []uint64           // a bit for each word that was added to
}

// addedBits is how many bits there are, a power of two.
const addedBits = 1 << 20

// Flag is FlagUnseen for the next operation of a word in the trace, if it is unseen.
func (u *Unseen) Flag(op Operation, word Addr) Flags {
	switch op {
	case 0:
		return 0
	case Addition:
		return u.add(word)
	}
	last := u.kinds[word]
	if last == op {
		return FlagUnseen
	}
	if u.kinds == nil {
		u.kinds = map[Addr]Operation{}
	}
	u.kinds[word] = op
	if at, bit := addedBit(word); last == 0 && (u.added == nil || u.added[at]&bit == 0) {
		return FlagUnseen // it is the first of all
	}
	return 0
}

func (u *Unseen) add(word Addr) Flags {
	if u.added == nil {
		u.added = make([]uint64, addedBits/64)
	}
	at, bit := addedBit(word)
	u.added[at] |= bit
	if len(u.kinds) == 0 || u.kinds[word] == 0 {
		return FlagUnseen
	}
	delete(u.kinds, word)
	return 0
}

func addedBit(word Addr) (at int, bit uint64) {
	h := uint64(word) * 0x9E3779B97F4A7C15 >> 44
	return int(h / 64 % (addedBits / 64)), 1 << (h % 64)
}
