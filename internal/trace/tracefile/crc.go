package tracefile

import "sync"

// castagnoli is CRC-32C's polynomial, reversed (RFC 3720, B.4).
const castagnoli = 0x82f63b78

// crcTables are for eight bytes at a time: table k has the checksum of a byte with k zero bytes
// after it. Package hash/crc32 is not among those that package testing imports.
var crcTables = sync.OnceValue(func() *[8][256]uint32 {
	var t [8][256]uint32
	for i := range t[0] {
		c := uint32(i)
		for range 8 {
			c = c>>1 ^ castagnoli&-(c&1)
		}
		t[0][i] = c
	}
	for k := 1; k < len(t); k++ {
		for i := range t[k] {
			c := t[k-1][i]
			t[k][i] = c>>8 ^ t[0][byte(c)]
		}
	}
	return &t
})

// checksum is the CRC-32C of b.
func checksum(b []byte) uint32 {
	t := crcTables()
	c := ^uint32(0)
	for ; len(b) >= 8; b = b[8:] {
		c ^= get32(b)
		c = t[7][byte(c)] ^ t[6][byte(c>>8)] ^ t[5][byte(c>>16)] ^ t[4][c>>24] ^
			t[3][b[4]] ^ t[2][b[5]] ^ t[1][b[6]] ^ t[0][b[7]]
	}
	for _, x := range b {
		c = c>>8 ^ t[0][byte(c)^x]
	}
	return ^c
}

// put32 and get32 are little endian, as all fixed numbers of a file are.
func put32(b []byte, v uint32) {
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

func get32(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
