package trace

import (
	"bytes"
	"io"
	"math/bits"
)

// Most accesses of most traces are to variables that one goroutine has for itself, or that nobody writes. They are in conflict with nothing, so that neither a race nor an order of
// critical sections depends on them. Which variables these are is only known at the end of the trace: a text that can be read twice is gone over once for
// that, without making events.

// aloneTable says of variables, by a hash of their names, who accesses them. Variables that share an entry are taken for one, which may
// make two that are alone one that is not, never the other way round.
type aloneTable struct {
	who   []uint16 // a power of two
	shift int      // of a hash, for an index of goroutines
}

// An entry is the number of a goroutine, and these; 0 before the first access.
const (
	aloneWritten = 1 << 15
	aloneMany    = 1 << 14 // goroutines, or one of a larger number
)

// The table has an entry for each so many bytes of the text, which is less than one for each line, within these bounds.
const (
	bytesPerAlone = 32
	minAlone      = 12 // bits
	maxAlone      = 22
)

func newAloneTable(size int64) *aloneTable {
	n := min(max(bits.Len64(uint64(size)/bytesPerAlone), minAlone), maxAlone)
	return &aloneTable{who: make([]uint16, 1<<n), shift: 64 - n}
}

// shortHash is that of the name with that key.
func shortHash(lo, hi uint64) uint64 {
	a, b := bits.Mul64(lo^0x9E3779B97F4A7C15, hi^0xD6E8FEB86659FD93)
	return a ^ b
}

// longHash is that of a name that is too long for a key.
func longHash(name []byte) uint64 {
	h := uint64(len(name))
	for _, c := range name {
		h = (h ^ uint64(c)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h * 0xD6E8FEB86659FD93
}

// access takes in an access; written is aloneWritten or 0.
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

// alone reports whether no two goroutines access the variable of whom one writes.
func (t *aloneTable) alone(h uint64) bool {
	return t.who[h>>(t.shift&63)]&(aloneMany|aloneWritten) != aloneMany|aloneWritten
}

// Survey goes over the text that s is going to read, whose size is about that many bytes: from then on s sets Event.Alone. Stop is asked now and then whether to give up; nil
// goes on. What is wrong with the text is left to s; an error is one of reading or of Stop.
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

// survey is a text being gone over.
type survey struct {
	in    blocks
	gs    names
	table *aloneTable
}

// common takes in what most lines are, as STDReader.common does. It leaves all others as they are, so that what this does not know of a line does no harm.
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

// line takes in any line, which has namePad bytes behind it.
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

// nameHash is that of the name of size bytes at the beginning of b, which has namePad more.
func nameHash(b []byte, size int) uint64 {
	if size > shortName {
		return longHash(b[:size])
	}
	return shortHash(key(word(b), word(b[8:]), size))
}
