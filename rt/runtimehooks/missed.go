//go:build racepred_seam

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// An access that was left out at a busy position (Q2) may be followed by one of another goroutine
// that is recorded, and nothing orders them. (Q6) finds only those that come in the other order. So
// the first rpMeetAll accesses that a goroutine leaves out, and as many atomic ones, are kept in a
// table, word by word, until others of the same kind take the place. A recorded access looks for
// one of another goroutine that conflicts with it. If there is one, an rpMissed follows its record
// (Q8), and the engine finds out whether the run orders the two (internal/engine/missed.go).
//
// An entry is of several words, which are written without synchronization. A sum shows whether they
// belong together.

// rpMissKeeps is of how many words of a wide access there are entries, and rpMissLooks how many
// words of a recorded one are looked for. Of a string, a slice's header or an interface, which are
// mostly accessed as a whole, there is one entry.
const (
	rpMissHeader = 3 * goarch.PtrSize
	rpMissKeeps  = 4
	rpMissLooks  = 8
)

// rpMissAtomic is the bit of an entry's rpMissWhat that says that the access was atomic, and
// rpAtomically that of a kind, rpRead or rpWrite. Two atomic ones are not in conflict.
const (
	rpMissAtomic = 1 << 63
	rpAtomically = 1 << 8
)

// rpMiss is an access that was left out, or a word of it.
type rpMiss struct {
	when uint64    // how many tickets were handed out, and from bit 48 on rpReuses
	who  uint64    // the goroutine, and from bit 32 on the site
	pcs  [3]uint32 // the innermost return addresses, as in stacks
	sum  uint32
}

// rpMisses has reads and writes, by rpMissIndex. What was accessed lies by itself, since each
// access that is recorded looks at it: the address in words, from bit 16 on, the bytes as in notes
// (rpTouch), and rpMissAtomic.
var (
	rpMisses   [1 << 16]rpMiss
	rpMissWhat [len(rpMisses)]uint64
)

// rpMissedMost is how many rpMissed a position may make from one look to the next, or in a test if
// it is not busy. rpMissedBy counts them, with indexes as rpMeetings has. rpMissedLast is which
// access the last one was about, and which goroutine made it: most accesses are ordered by
// synchronization, and are found again and again.
const rpMissedMost = 32

var (
	rpMissedBy   [len(rpMeetings)]uint8
	rpMissedLast [len(rpMeetings)]uint32
)

// rpReuses counts the times that memory became free to be reused. An access before such a time may
// have been of another object (sameObject).
var rpReuses uint64

// rpMissIndex is where an access of that kind that begins at p is kept. Two fields of one word have
// different places.
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

// misses keeps an access of size bytes at p that is left out at a busy site, unless the goroutine
// has left out very many. Its caller is the function that the rewritten code calls. It is small
// enough to be inlined.
//
//go:nosplit
func (s *rpG) misses(kind uint64, p, size uintptr, site *byte) {
	if s.passed <= rpMeetAll {
		s.keepMiss(kind, p, size, site)
	}
}

// keepMiss is the rest of misses.
//
//go:nosplit
//go:noinline
func (s *rpG) keepMiss(kind uint64, p, size uintptr, site *byte) {
	gp := getg()
	if *site&rpOfLibrary != 0 || !s.mayMiss(gp, p, size) {
		return
	}
	m := rpMiss{who: uint64(s.id) | uint64(rpSite(site))<<32}
	rpWalk(gp, *(*uintptr)(unsafe.Pointer(getfp())), m.pcs[:]) // from the caller's frame
	m.put(kind, p, size)
}

// keepHookMiss is misses for an access that the runtime makes for the code at place, a return
// address some frames above.
//
//go:noinline
func (s *rpG) keepHookMiss(kind uint64, p, size, place uintptr) {
	gp := getg()
	if s.passed > rpMeetAll || !s.mayMiss(gp, p, size) {
		return
	}
	var above [8]uint32
	pcs := above[:rpWalk(gp, *(*uintptr)(unsafe.Pointer(getfp())), above[:])]
	for len(pcs) > 0 && pcs[0] != rpOffset(place) {
		pcs = pcs[1:]
	}
	if len(pcs) > 0 {
		m := rpMiss{who: uint64(s.id)}
		copy(m.pcs[:], pcs)
		m.put(kind, p, size)
	}
}

// keepAtomicMiss is misses for an atomic operation, which is recorded afterwards, but as
// synchronization alone. Its caller is race_AtomicEnd, and that one's caller belongs to package
// sync/atomic.
//
//go:noinline
func (s *rpG) keepAtomicMiss(kind uint64, p, size uintptr) {
	gp := getg()
	if s.passedAtomic >= rpMeetAll || !s.mayMiss(gp, p, size) {
		return
	}
	s.passedAtomic++
	var pcs [1 + len(rpMiss{}.pcs)]uint32
	rpWalk(gp, *(*uintptr)(unsafe.Pointer(getfp())), pcs[:])
	m := rpMiss{who: uint64(s.id)}
	copy(m.pcs[:], pcs[1:])
	m.put(kind|rpAtomically, p, size)
}

// mayMiss reports whether an access of gp, which is s, is one of shared memory, and not of an
// object that no other goroutine knows yet.
//
//go:nosplit
func (s *rpG) mayMiss(gp *g, p, size uintptr) bool {
	return size != 0 && p-gp.stack.lo >= gp.stack.hi-gp.stack.lo && s.ignore|s.unseen == 0 && gp == gp.m.curg && rpValid(p) && !s.fresh.has(p, size)
}

// put enters the first words of the access of size bytes at p, made now, into the table.
//
//go:nosplit
func (m *rpMiss) put(kind uint64, p, size uintptr) {
	m.when = atomic.Load64(&rpTickets.n)&rpStampMask | rpReuses<<48
	words := rpMissKeeps
	if size <= rpMissHeader {
		words = 1
	}
	for end := p + size; p < end && words > 0; words-- {
		next := min(p&^7+8, end)
		what := uint64(p>>3)<<16 | rpTouch(kind&^rpAtomically, p, next-p)
		if kind&rpAtomically != 0 {
			what |= rpMissAtomic
		}
		m.sum = m.check(what)
		i := rpMissIndex(kind&^rpAtomically, p)
		rpMisses[i], rpMissWhat[i] = *m, what
		p = next
	}
}

// hasMissed reports whether an access of size bytes at p conflicts with one that was left out and
// that begins where it or one of its words does.
//
//go:nosplit
func (s *rpG) hasMissed(kind uint64, p, size uintptr) bool {
	_, _, found := s.missed(kind, p, size)
	return found
}

// missed is where that access is, and the part of the word at which the two meet.
//
//go:nosplit
func (s *rpG) missed(kind uint64, p, size uintptr) (i, at uintptr, found bool) {
	for end, n := p+size, 0; p < end && n < rpMissLooks; n++ {
		next := min(p&^7+8, end)
		if i, found = s.missedAt(kind, p, p, next-p); found {
			return i, p, true
		}
		if p&7 != 0 {
			if i, found = s.missedAt(kind, p&^7, p, next-p); found {
				return i, p, true
			}
		}
		p = next
	}
	return 0, 0, false
}

// missedAt is missed for one that begins at from, and size bytes within a word.
//
//go:nosplit
func (s *rpG) missedAt(kind uint64, from, p, size uintptr) (i uintptr, found bool) {
	for _, of := range [...]uint64{rpWrite, rpRead} {
		i = rpMissIndex(of, from)
		if rpConflict(rpMissWhat[i], kind, p, size) && rpMisses[i].isOthers(s, p) {
			return i, true
		}
	}
	return 0, false
}

// rpConflict reports whether an access of size bytes at p, within a word, conflicts with one that
// has this as its rpMissWhat.
//
//go:nosplit
func rpConflict(what, kind uint64, p, size uintptr) bool {
	if what&^rpMissAtomic>>16 != uint64(p>>3) || what&rpMissAtomic != 0 && kind&rpAtomically != 0 {
		return false
	}
	bytes := rpTouch(rpRead, p, size)
	if kind&^rpAtomically == rpRead {
		bytes >>= 8 // what it wrote
	}
	return what&bytes != 0
}

// isOthers reports whether it is of another goroutine than s, and of the object at p.
//
//go:nosplit
func (m *rpMiss) isOthers(s *rpG, p uintptr) bool {
	return uint32(m.who) != s.id && (m.when>>48 == rpReuses&0xffff || m.sameObject(p))
}

// sameObject reports whether what lies at p now is known to be the object that was there at the
// access. A package's variable stays. After one collection of garbage an object is still the same
// one if it was marked by it: in a span that has not been swept nothing is new, and what has been
// swept shows by its bits what was marked. Of two collections only the last one is known.
//
//go:nosplit
func (m *rpMiss) sameObject(p uintptr) bool {
	if p-rpDataStart < rpDataEnd-rpDataStart {
		return true
	}
	if (m.when>>48+1)&0xffff != rpReuses&0xffff {
		return false
	}
	span := spanOf(p)
	if span == nil || span.state.get() != mSpanInUse {
		return false
	}
	if atomic.Load(&span.sweepgen)+2-mheap_.sweepgen <= 1 { // it is two or one less: to be swept, or being swept
		return true
	}
	return span.allocBitsForIndex(span.objIndex(p)).isMarked()
}

// reportMissed follows the record of an access, of size bytes at p and made at that site, or at
// s.place, by an rpMissed if it conflicts with an access that was left out. (Q8)
//
//go:nosplit
func (s *rpG) reportMissed(kind uint64, p, size uintptr, site uint32) {
	if i, at, found := s.missed(kind, p, size); found {
		s.recordMissed(i, kind, at, min(at&^7+8, p+size)-at, site)
	}
}

// recordMissed is the rest, for the size bytes at p, within a word, that the entry at i is about.
//
//go:noinline
func (s *rpG) recordMissed(i uintptr, kind uint64, p, size uintptr, site uint32) {
	what, m := rpMissWhat[i], rpMisses[i] // others may write to it meanwhile, so all is checked again
	at := rpHitIndex(site)
	if site == 0 {
		at = uint32(rpPlaceIndex(s.place)) + rpMeetPlaces
	}
	last := uint32(m.when)<<8 ^ uint32(m.who) ^ s.id<<20
	if m.sum != m.check(what) || !rpConflict(what, kind, p, size) || !m.isOthers(s, p) || rpMissedBy[at] >= rpMissedMost || rpMissedLast[at] == last {
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
	if what&rpMissAtomic != 0 {
		flags |= rpMissedAtomic
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
