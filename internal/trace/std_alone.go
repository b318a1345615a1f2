package trace

import (
	"bytes"
	"io"
	"math/bits"
)

// Most accesses of most traces are to variables that only one goroutine uses, or that no goroutine
// writes. They conflict with nothing, so neither a race nor an order of critical sections depends
// on them. These variables are known only at the end of the trace. So a text that can be read twice
// is first surveyed for them, without making events.

// aloneTable notes which goroutine accesses a variable, by a hash of its name. Variables that share
// an entry count as one. That may make two that are alone one that is not alone, never the other
// way round.
type aloneTable struct {
	who   []uint16 // a power of two
	shift int      // of a hash, for an index of goroutines
}

// An entry is the number of a goroutine, and these; 0 before the first access.
const (
	aloneWritten = 1 << 15
	aloneMany    = 1 << 14 // goroutines, or one of a larger number
)

// The table has an entry for a number of bytes of the text, so fewer entries than lines, within
// these bounds.
const (
	bytesPerAlone = 32
	minAlone      = 12 // bits
	maxAlone      = 22
)

func newAloneTable(size int64) *aloneTable {
	n := min(max(bits.Len64(uint64(size)/bytesPerAlone), minAlone), maxAlone)
	return &aloneTable{who: make([]uint16, 1<<n), shift: 64 - n}
}

// shortHash is the hash of the name with that key.
func shortHash(lo, hi uint64) uint64 {
	a, b := bits.Mul64(lo^0x9E3779B97F4A7C15, hi^0xD6E8FEB86659FD93)
	return a ^ b
}

// longHash is the hash of a name that is too long for a key.
func longHash(name []byte) uint64 {
	h := uint64(len(name))
	for _, c := range name {
		h = (h ^ uint64(c)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h * 0xD6E8FEB86659FD93
}

// access notes an access; written is aloneWritten or 0.
func (t *aloneTable) access(h uint64, g uint32, written uint16) {
	e := &t.who[h>>(t.shift&63)]
	now := *e | written
	switch {
	case g >= aloneMany:
		now |= aloneMany
	case now&^aloneWritten == 0:
		now |= uint16(g)
	case now&(aloneMany-1) != uint16(g):
		now |= aloneMany
	}
	if now != *e {
		*e = now
	}
}

// alone reports whether only one goroutine accesses the variable, or none writes it.
func (t *aloneTable) alone(h uint64) bool {
	return t.who[h>>(t.shift&63)]&(aloneMany|aloneWritten) != aloneMany|aloneWritten
}

// Survey reads the text that s is going to read, of about size bytes; from then on s sets
// Event.Alone. It asks stop now and then whether to give up; nil means never. Errors are those of
// reading and of stop; s reports what is wrong with the text.
func (s *STDReader) Survey(r io.Reader, size int64, stop func() error) error {
	v := survey{in: blocks{in: r}, table: newAloneTable(size)}
	for n := 0; ; n++ {
		if stop != nil && n%linesPerStop == 0 {
			if err := stop(); err != nil {
				return err
			}
		}
		if v.common() {
			continue
		}
		line, err := v.in.line()
		if err == io.EOF {
			s.table = v.table
			return nil
		}
		if err != nil {
			return err
		}
		v.line(line)
	}
}

// linesPerStop is how many lines lie between two questions of Survey's stop.
const linesPerStop = 1 << 16

// survey is the state of Survey.
type survey struct {
	in    blocks
	gs    names
	table *aloneTable
}

// common reads a line of the most common kinds, as STDReader.common does, and does not consume
// others.
func (v *survey) common() bool {
	in := &v.in
	if in.to-in.from < commonLine {
		return false
	}
	b := in.buf[in.from:in.to]
	lo, hi := word(b), uint64(0)
	bar := before(lo, bars)
	if bar == 8 {
		hi = word(b[8:])
		bar += before(hi, bars)
	}
	if bar == 0 || bar == namePad || breaksBefore(lo, hi, bar) {
		return false
	}
	at, g, h, written := bar+len("|r("), uint32(0), uint64(0), uint16(0)
	switch op := uint32(word(b[bar:])) << 8; op {
	case '|'<<8 | 'r'<<16 | '('<<24, '|'<<8 | 'w'<<16 | '('<<24:
		if op>>16&0xff == 'w' {
			written = aloneWritten
		}
		argLo, argHi := word(b[at:]), uint64(0)
		end := before(argLo, bars) // of the operand and its parenthesis
		if end == 8 {
			argHi = word(b[at+8:])
			end += before(argHi, bars)
		}
		if end == namePad || end < 2 || b[at+end-1] != ')' || breaksBefore(argLo, argHi, end) {
			return false
		}
		g, h = v.gs.shortNumber(key(lo, hi, bar)), shortHash(key(argLo, argHi, end-1))
		at += end
	}
	n := bytes.IndexByte(b[at:], '\n')
	if n < 0 {
		return false
	}
	in.from += at + n + 1
	if g != 0 {
		v.table.access(h, g, written)
	}
	return true
}

// line reads a line, which has namePad bytes behind it.
func (v *survey) line(line []byte) {
	c, ok := cutSTD(line)
	if !ok {
		return
	}
	written := uint16(0)
	switch kind, _ := stdKind(c.op); kind {
	case Read:
	case Write:
		written = aloneWritten
	default:
		return
	}
	if c.bar == 0 || c.from == c.to {
		return // an error
	}
	line = line[:len(line)+namePad]
	g := v.gs.number(line, c.bar)
	v.table.access(nameHash(line[c.from:], c.to-c.from), g, written)
}

// nameHash is the hash of the name of size bytes at the beginning of b, which has namePad bytes
// more.
func nameHash(b []byte, size int) uint64 {
	if size > shortName {
		return longHash(b[:size])
	}
	return shortHash(key(word(b), word(b[8:]), size))
}
