//go:build racepred_seam

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// An access that was left out at a busy position (Q2) may be followed by one of another goroutine that is recorded, and nothing orders them. (Q6) finds only those that come in the other order. So the first
// rpMeetAll accesses that a goroutine leaves out are kept in a table, by their words, until others of the same kind take the place. A recorded access looks there, and tells of one of another goroutine that it is
// in conflict with: an rpMissed follows it (Q8). The engine asks then whether the run orders the two (internal/engine/missed.go).
//
// An entry is of several words, which are written without synchronization. A sum tells whether they belong together.

// rpMiss is an access that was left out, within a word.
type rpMiss struct {
	what uint64    // the address in words, from bit 16 on, and the bytes as in notes (rpTouch)
	when uint64    // how many tickets were handed out, and from bit 48 on rpReuses
	who  uint64    // the goroutine, and from bit 32 on the site
	pcs  [3]uint32 // the innermost return addresses, as in stacks
	sum  uint32
}

// rpMisses has reads and writes, by their addresses: two fields of one word have different places. What is looked at for each access that is recorded lies by itself: what of each.
var (
	rpMisses   [1 << 15][2]rpMiss
	rpMissWhat [1 << 15][2]uint64
)

// rpMissedMost is how often a position may tell of such an access from one look to the next, or in a test if it is not busy. rpMissedBy counts it by site, as rpHits counts records, and rpMissedLast is the
// one that was told of last, with the goroutine that did: most are of accesses that come before by synchronization, and are found again and again.
const rpMissedMost = 32

var (
	rpMissedBy   [1 << 15]uint8
	rpMissedLast [1 << 15]uint32
)

// rpReuses counts the times that memory became free to be reused. An access before such a time may have been of another object.
var rpReuses uint64

//go:nosplit
func rpMissIndex(p uintptr) uintptr { return (p>>3 ^ p>>18 ^ p<<12) % uintptr(len(rpMisses)) }

// check is the sum that belongs to the rest of the entry.
//
//go:nosplit
func (m *rpMiss) check() uint32 {
	h := m.what*0x9E3779B97F4A7C15 ^ m.when
	h = (h^h>>29)*0xBF58476D1CE4E5B9 ^ m.who
	h = (h^h>>32)*0x94D049BB133111EB ^ uint64(m.pcs[0]) ^ uint64(m.pcs[1])<<32
	h = (h^h>>31)*0x9E3779B97F4A7C15 ^ uint64(m.pcs[2])
	return uint32((h ^ h>>32) * 0xBF58476D1CE4E5B9 >> 32)
}

// misses keeps an access of size bytes at p that is left out at a busy site. Its caller is the function that the rewritten code calls. What a goroutine does with an object that no other one knows yet is not kept, nor
// what the library does.
//
//go:nosplit
//go:noinline
func (s *rpG) misses(kind uint64, p, size uintptr, site *byte) {
	gp := getg()
	if p&7+size > 8 || size == 0 || p-gp.stack.lo < gp.stack.hi-gp.stack.lo || s.ignore|s.unseen != 0 || gp != gp.m.curg || !rpValid(p) || *site&rpOfLibrary != 0 || s.fresh.has(p, size) {
		return
	}
	m := rpMiss{
		what: uint64(p>>3)<<16 | rpTouch(kind, p, size),
		when: atomic.Load64(&rpTickets.n)&rpStampMask | rpReuses<<48,
		who:  uint64(s.id) | uint64(rpSite(site))<<32,
	}
	fp := *(*uintptr)(unsafe.Pointer(getfp())) // the caller's
	for i := range m.pcs {
		if fp <= gp.stack.lo || fp >= gp.stack.hi-goarch.PtrSize {
			break
		}
		m.pcs[i] = rpOffset(*(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	m.sum = m.check()
	i := rpMissIndex(p)
	at := &rpMisses[i][kind-rpRead]
	at.what, at.when, at.who, at.pcs, at.sum = m.what, m.when, m.who, m.pcs, m.sum
	rpMissWhat[i][kind-rpRead] = m.what
}

// missed is the access that was left out and that an access of size bytes at p, which is recorded, is in conflict with, nil if none is known. It begins where this one does, or where the word does.
//
//go:nosplit
func (s *rpG) missed(kind uint64, p, size uintptr) *rpMiss {
	if p&7+size > 8 {
		return nil
	}
	m := s.missedAt(rpMissIndex(p), kind, p, size)
	if m == nil && p&7 != 0 {
		m = s.missedAt(rpMissIndex(p&^7), kind, p, size)
	}
	return m
}

//go:nosplit
func (s *rpG) missedAt(i uintptr, kind uint64, p, size uintptr) *rpMiss {
	what := &rpMissWhat[i]
	if rpConflict(what[1], kind, p, size) && rpMisses[i][1].isOthers(s) {
		return &rpMisses[i][1]
	}
	if rpConflict(what[0], kind, p, size) && rpMisses[i][0].isOthers(s) {
		return &rpMisses[i][0]
	}
	return nil
}

// rpConflict reports whether an access of size bytes at p, within a word, is in conflict with one that has this as rpMiss.what.
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

// tellsMissed records that the access of size bytes at p just recorded, made at that site, is in conflict with one that was left out.
//
//go:noinline
func (s *rpG) tellsMissed(of *rpMiss, kind uint64, p, size uintptr, site uint32) {
	// Others may write to it meanwhile.
	m := rpMiss{what: of.what, when: of.when, who: of.who, pcs: of.pcs, sum: of.sum}
	at := rpHitIndex(site)
	told := uint32(m.when)<<8 ^ uint32(m.who) ^ s.id<<20
	if m.sum != m.check() || !rpConflict(m.what, kind, p, size) || !m.isOthers(s) || rpMissedBy[at] >= rpMissedMost || rpMissedLast[at] == told {
		return
	}
	rpMissedLast[at] = told
	rpMissedBy[at]++
	depth := 0
	for depth < len(m.pcs) && m.pcs[depth] != 0 {
		depth++
	}
	flags := uint64(rpRead)
	if m.what&0xff != 0 {
		flags = rpWrite
	}
	stack := rpIntern(m.pcs[:depth])
	s.roomInSpan()
	now := atomic.Load64(&rpTickets.n) & rpStampMask
	since := now - m.when&rpStampMask
	if since > 1<<16-1 {
		return
	}
	c := s.w
	n := c.n
	r := &c.recs[n]
	r.what = rpMissed<<56 | flags<<48 | uint64(uint32(m.who))
	r.site = uint32(m.who >> 32)
	r.stack = stack
	r.when = since<<48 | now // not a later stamp, from which since would lead to a later ticket
	c.publish(n + 1)
}
