//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// An access that was left out at a busy position (Q2) may be followed by one of another goroutine that is recorded, and nothing orders them. (Q6) finds only those that come in the other order. So the first
// rpMeetAll accesses that a goroutine leaves out are kept in a table, by their addresses, until others of the same kind take the place. A recorded access looks for one of another goroutine that conflicts with it.
// If there is one, an rpMissed follows its record (Q8), and the engine finds out whether the run orders the two (internal/engine/missed.go).
//
// An entry is of several words, which are written without synchronization. A sum shows whether they belong together.

// rpMiss is an access that was left out, within a word.
type rpMiss struct {
	when uint64    // how many tickets were handed out, and from bit 48 on rpReuses
	who  uint64    // the goroutine, and from bit 32 on the site
	pcs  [3]uint32 // the innermost return addresses, as in stacks
	sum  uint32
}

// rpMisses has reads and writes, by rpMissIndex. What was accessed lies by itself, since each access that is recorded looks at it: the address in words, from bit 16 on, and the bytes as in notes (rpTouch).
var (
	rpMisses   [1 << 16]rpMiss
	rpMissWhat [len(rpMisses)]uint64
)

// rpMissedMost is how many rpMissed a position may make from one look to the next, or in a test if it is not busy. rpMissedBy counts them by site, as rpHits counts records. rpMissedLast is which access the last one was
// about, and which goroutine made it: most accesses are ordered by synchronization, and are found again and again.
const rpMissedMost = 32

var (
	rpMissedBy   [1 << 15]uint8
	rpMissedLast [1 << 15]uint32
)

// rpReuses counts the times that memory became free to be reused. An access before such a time may have been of another object.
var rpReuses uint64

// rpMissIndex is where an access of that kind that begins at p is kept. Two fields of one word have different places.
//
//go:nosplit
func rpMissIndex(kind uint64, p uintptr) uintptr {
	return (p>>3^p>>18^p<<12)<<1%uintptr(len(rpMisses)) | uintptr(kind-rpRead)
}

// check is the sum of an entry with the given rpMissWhat.
//
//go:nosplit
func (m *rpMiss) check(what uint64) uint32 {
	h := what*0x9E3779B97F4A7C15 ^ m.when
	h = (h^h>>29)*0xBF58476D1CE4E5B9 ^ m.who
	h = (h^h>>32)*0x94D049BB133111EB ^ uint64(m.pcs[0]) ^ uint64(m.pcs[1])<<32
	h = (h^h>>31)*0x9E3779B97F4A7C15 ^ uint64(m.pcs[2])
	return uint32((h ^ h>>32) * 0xBF58476D1CE4E5B9 >> 32)
}

// misses keeps an access of size bytes at p that is left out at a busy site, unless the goroutine has left out very many. Its caller is the function that the rewritten code calls. It is small enough to be inlined.
//
//go:nosplit
func (s *rpG) misses(kind uint64, p, size uintptr, site *byte) {
	if s.passed <= rpMeetAll {
		s.keepMiss(kind, p, size, site)
	}
}

// keepMiss leaves out what a goroutine does with an object that no other one knows yet, and what the library does.
//
//go:nosplit
//go:noinline
func (s *rpG) keepMiss(kind uint64, p, size uintptr, site *byte) {
	gp := getg()
	if p&7+size > 8 || size == 0 || p-gp.stack.lo < gp.stack.hi-gp.stack.lo || s.ignore|s.unseen != 0 || gp != gp.m.curg || !rpValid(p) ||
		*site&rpOfLibrary != 0 || s.fresh.has(p, size) {
		return
	}
	what := uint64(p>>3)<<16 | rpTouch(kind, p, size)
	m := rpMiss{
		when: atomic.Load64(&rpTickets.n)&rpStampMask | rpReuses<<48,
		who:  uint64(s.id) | uint64(rpSite(site))<<32,
	}
	rpWalk(gp, *(*uintptr)(unsafe.Pointer(getfp())), m.pcs[:]) // from the caller's frame
	m.sum = m.check(what)
	i := rpMissIndex(kind, p)
	rpMisses[i], rpMissWhat[i] = m, what
}

// hasMissed reports whether an access of size bytes at p conflicts with one that was left out and that begins where it does, or where the word does.
//
//go:nosplit
func (s *rpG) hasMissed(kind uint64, p, size uintptr) bool {
	_, found := s.missed(kind, p, size)
	return found
}

// missed is where that access is.
//
//go:nosplit
func (s *rpG) missed(kind uint64, p, size uintptr) (i uintptr, found bool) {
	if p&7+size > 8 {
		return 0, false
	}
	i, found = s.missedAt(kind, p, p, size)
	if !found && p&7 != 0 {
		return s.missedAt(kind, p&^7, p, size)
	}
	return i, found
}

// missedAt is missed for one that begins at from.
//
//go:nosplit
func (s *rpG) missedAt(kind uint64, from, p, size uintptr) (i uintptr, found bool) {
	for _, of := range [...]uint64{rpWrite, rpRead} {
		i = rpMissIndex(of, from)
		if rpConflict(rpMissWhat[i], kind, p, size) && rpMisses[i].isOthers(s) {
			return i, true
		}
	}
	return 0, false
}

// rpConflict reports whether an access of size bytes at p, within a word, conflicts with one that has this as its rpMissWhat.
//
//go:nosplit
func rpConflict(what, kind uint64, p, size uintptr) bool {
	if what>>16 != uint64(p>>3) {
		return false
	}
	bytes := rpTouch(rpRead, p, size)
	if kind == rpRead {
		bytes >>= 8 // what it wrote
	}
	return what&bytes != 0
}

// isOthers reports whether it is of another goroutine, and of the same object as an access now.
//
//go:nosplit
func (m *rpMiss) isOthers(s *rpG) bool {
	return uint32(m.who) != s.id && m.when>>48 == rpReuses&0xffff
}

// reportMissed follows the record of an access, of size bytes at p and made at that site, by an rpMissed if it conflicts with an access that was left out. (Q8)
//
//go:nosplit
func (s *rpG) reportMissed(kind uint64, p, size uintptr, site uint32) {
	if i, found := s.missed(kind, p, size); found {
		s.recordMissed(i, kind, p, size, site)
	}
}

//go:noinline
func (s *rpG) recordMissed(i uintptr, kind uint64, p, size uintptr, site uint32) {
	what, m := rpMissWhat[i], rpMisses[i] // others may write to it meanwhile, so all is checked again
	at := rpHitIndex(site)
	last := uint32(m.when)<<8 ^ uint32(m.who) ^ s.id<<20
	if m.sum != m.check(what) || !rpConflict(what, kind, p, size) || !m.isOthers(s) || rpMissedBy[at] >= rpMissedMost || rpMissedLast[at] == last {
		return
	}
	rpMissedLast[at] = last
	rpMissedBy[at]++
	depth := 0
	for depth < len(m.pcs) && m.pcs[depth] != 0 {
		depth++
	}
	flags := uint64(rpRead)
	if what&0xff != 0 {
		flags = rpWrite
	}
	stack := rpIntern(m.pcs[:depth])
	s.roomInSpan()
	now := atomic.Load64(&rpTickets.n) & rpStampMask
	since := now - m.when&rpStampMask
	if since > 1<<16-1 {
		return
	}
	s.stamped(now, rpMissed, flags, uintptr(uint32(m.who)), since, uint32(m.who>>32), stack) // with a later stamp, since would lead to a later ticket
}
