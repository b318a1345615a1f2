package trace

import "math/bits"

// commonLine is how many bytes must be there for common to look at them: more than the longest line
// it takes.
const commonLine = 2*namePad + len("acq()||2147483647\r\n") + 8

// Eight times the same byte.
const (
	ones   = 0x0101010101010101
	bars   = '|' * ones
	breaks = '\n' * ones
	zeros  = '0' * ones
)

// before is how many of w's bytes come before the first that equals the byte that sought has eight
// times; 8 if none does.
func before(w, sought uint64) int {
	w ^= sought
	return bits.TrailingZeros64((w-ones)&^w&(ones<<7)) >> 3
}

// breaksBefore reports whether a line ends before byte n of two words.
func breaksBefore(lo, hi uint64, n int) bool {
	return before(lo, breaks) < min(n, 8) || before(hi, breaks)+8 < n
}

// common reads a line of the most common kinds: a correct access, acquire or release, with names of
// less than namePad bytes. It reads eight bytes at a time, in place. ok says whether the line was
// one of these, event whether it makes an event. It does not consume other lines.
func (s *STDReader) common(ev *Event) (ok, event bool) {
	in := &s.in
	if in.to-in.from < commonLine {
		return false, false
	}
	b := in.buf[in.from:in.to]

	lo, hi := word(b), uint64(0)
	bar := before(lo, bars)
	if bar == 8 {
		hi = word(b[8:])
		bar += before(hi, bars)
	}
	if bar == 0 || bar == namePad || breaksBefore(lo, hi, bar) {
		return false, false
	}
	lo, hi = key(lo, hi, bar)

	kind, at := Read, bar+len("|r(")
	switch op := word(b[bar:]); {
	case uint32(op)<<8 == '|'<<8|'r'<<16|'('<<24:
	case uint32(op)<<8 == '|'<<8|'w'<<16|'('<<24:
		kind = Write
	case op<<24 == '|'<<24|'a'<<32|'c'<<40|'q'<<48|'('<<56:
		kind, at = Acquire, bar+len("|acq(")
	case op<<24 == '|'<<24|'r'<<32|'e'<<40|'l'<<48|'('<<56:
		kind, at = Release, bar+len("|rel(")
	default:
		return false, false
	}

	argLo, argHi := word(b[at:]), uint64(0)
	end := before(argLo, bars) // of the operand and its parenthesis
	if end == 8 {
		argHi = word(b[at+8:])
		end += before(argHi, bars)
	}
	if end == namePad || end < 2 || b[at+end-1] != ')' || breaksBefore(argLo, argHi, end) {
		return false, false
	}
	argLo, argHi = key(argLo, argHi, end-1)

	at += end + 1
	site, n := Site(0), before(word(b[at:]), breaks)
	if n < 8 {
		site, ok = digits(word(b[at:]), n)
	} else {
		for b[at+n] != '\n' {
			if n++; n > len("2147483647") {
				return false, false
			}
		}
		site, ok = stdLocation(b[at : at+n])
	}
	if !ok {
		return false, false
	}
	in.from += at + n + 1
	s.n++

	ev.Kind, ev.Flags, ev.Alone, ev.G = kind, 0, false, G(s.names[OnG].shortNumber(lo, hi))
	ev.Site, ev.Stack, ev.Other = site, 0, 0
	if kind == Read || kind == Write {
		n := s.names[OnBytes].shortNumber(argLo, argHi)
		ev.Addr, ev.Size = Addr(n)*8, 8
		if s.table != nil {
			if int(n) > len(s.alone) { // names are numbered as they come up
				s.alone = append(s.alone, s.table.alone(shortHash(argLo, argHi)))
			}
			ev.Alone = s.alone[n-1]
		}
		return true, true
	}
	lock := s.names[OnLock].shortNumber(argLo, argHi)
	ev.Addr, ev.Size = Addr(lock)*8, 0
	return true, s.outermost(kind, ev.G, lock)
}

// digits is the number whose n < 8 digits are the first bytes of w.
func digits(w uint64, n int) (Site, bool) {
	if n == 0 {
		return 0, false
	}
	w = w<<(64-8*n) | zeros>>(8*n) // with zeros before it
	if w&(0xf0*ones) != zeros || (w&(0xf*ones)+6*ones)&(0xf0*ones) != 0 {
		return 0, false
	}
	w = w & (0xf * ones) * (10<<8 + 1) >> 8 // numbers of two digits, of four, of eight
	w = w & 0x00ff00ff00ff00ff * (100<<16 + 1) >> 16
	w = w & 0x0000ffff0000ffff * (10000<<32 + 1) >> 32
	return Site(w), true
}
