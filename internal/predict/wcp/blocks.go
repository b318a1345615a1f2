package wcp

import (
	"unsafe"

	"github.com/racepred/racepred/internal/predict"
)

// blocks has the older marks of lists, in blocks of a power of two of places. In the first place of
// a block, sec is how many marks follow, the oldest first, and slot the logarithm of the block's
// size.
type blocks struct {
	arena  predict.Arena
	chunks [][]mark
	free   [33]uint32 // free blocks by the logarithm of their size, linked by the sec of the first place; 0 none
}

const (
	minBlockBits   = 2
	blockChunkBits = 8
	blockChunk     = 1 << blockChunkBits // places that are allocated at once, unless one block has more
)

func (b *blocks) at(block uint32) []mark { return b.chunks[block>>blockChunkBits][block%blockChunk:] }

// marks are the marks of a block, which may be changed in place; block 0 has none.
func (b *blocks) marks(block uint32) []mark {
	if block == 0 {
		return nil
	}
	at := b.at(block)
	return at[1:][:at[0].sec]
}

// push adds k to a block, which may be 0, as the newest mark.
func (b *blocks) push(block *uint32, k mark) {
	if *block == 0 {
		*block = b.get(minBlockBits)
	}
	at := b.at(*block)
	n := at[0].sec + 1
	if n == 1<<at[0].slot {
		b.grow(block)
		at = b.at(*block)
	}
	at[0].sec, at[n] = n, k
}

// grow makes a block twice the size.
func (b *blocks) grow(block *uint32) {
	old := *block
	all := b.at(old)[:1<<b.at(old)[0].slot]
	*block = b.get(int(all[0].slot) + 1)
	at := b.at(*block)
	at[0].sec = all[0].sec
	copy(at[1:], all[1:])
	b.put(old)
}

// keep drops all marks of a block except the first n. If n is 0, it frees the block.
func (b *blocks) keep(block *uint32, n int) {
	switch {
	case *block == 0:
	case n == 0:
		b.put(*block)
		*block = 0
	default:
		b.at(*block)[0].sec = uint32(n)
	}
}

// get returns a block of that size, without marks.
func (b *blocks) get(c int) uint32 {
	if b.free[c] == 0 {
		b.more(c)
	}
	block := b.free[c]
	first := &b.at(block)[0]
	b.free[c] = first.sec
	first.sec, first.slot = 0, uint16(c)
	return block
}

// put frees a block.
func (b *blocks) put(block uint32) {
	first := &b.at(block)[0]
	first.sec, b.free[first.slot] = b.free[first.slot], block
}

// more makes free blocks of that size. The first one is used first.
func (b *blocks) more(c int) {
	if b.chunks == nil {
		b.chunks = append(b.chunks, nil) // so that no block has number 0
	}
	first, size := uint32(len(b.chunks))<<blockChunkBits, uint32(1)<<c
	n := max(blockChunk, size)
	b.chunks = append(b.chunks, makeMarks(b.arena, n))
	for i := n; i > 0; {
		i -= size
		b.at(first + i)[0].sec = b.free[c]
		b.free[c] = first + i
	}
}

// makeMarks allocates so many marks.
func makeMarks(a predict.Arena, n uint32) []mark {
	if a == nil {
		return make([]mark, n)
	}
	return unsafe.Slice((*mark)(a(uintptr(n)*unsafe.Sizeof(mark{}))), n)
}
