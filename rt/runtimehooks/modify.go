//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// While a lock is held, x op= y is recorded as one event, rpModify, if the operation commutes with
// itself: the old value of x goes only into x. Without a lock, and for other operations, it is a
// read and a write: only sections may trade places.
//
//	(U1) A repeat within a span is left out if it is one of the same operation and bytes, as the
//	     table of repeats says (fastpath.go). There is an entry among the writes, with a size that
//	     no access has. The shadow, which has no room for the operation, is not asked.
//	(U2) It covers no read and no write: a reader sees what others added, and a writer is seen.
//	(U3) The shadow has a mark, so that a new life of the memory is recorded. It is a note without
//	     an epoch, which no span has: by (U2) it covers nothing, but busy code of another goroutine
//	     meets it (Q6).

// What changes a map, m[k] = v, delete(m, k) or clear(m), is such a modification of the map's one
// byte, wherever it is done: it leaves the other keys as they are, so len(m), m[j] and a loop over
// m after it show what others did before (U2). Two changes may be of one key, so the order of those
// that a reader finds counts (rpModifyMap).

// RacepredModify records op, with *p on its left side, and returns p.
func RacepredModify[T any](p *T, op uint8, read, write *byte) *T {
	rpModifyAt(unsafe.Pointer(p), unsafe.Sizeof(*p)|uintptr(op)<<8, read, write)
	return p
}

// rpModifyAt records a read-modify-write of the what&0xff bytes at p by operation what>>8. It is
// what rpReadAt and rpWriteAt are for accesses.
//
//go:nosplit
//go:noinline
func rpModifyAt(p unsafe.Pointer, what uintptr, read, write *byte) {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if s == nil || rpLocal(uintptr(p)) {
		return
	}
	size := what & 0xff
	if s.nheld != 0 {
		if *write&rpIsBusy != 0 && (s.passes(uintptr(p)) || !s.meetsAt(write, rpWrite, uintptr(p), size)) {
			s.misses(rpWrite, uintptr(p), size, write)
			s.omitsWrite(uintptr(p), size)
			s.omits(rpWrite, write)
			return
		}
		if s.knowsModify(uintptr(p), what) {
			s.filtered++
			return
		}
		s.modify(uintptr(p), what, rpSite(write))
		return
	}
	if *read&rpIsBusy == 0 || !s.passes(uintptr(p)) && s.meetsAt(read, rpRead, uintptr(p), size) {
		if s.isLast(uintptr(p), size) || s.knows(rpRead, uintptr(p), size) || s.isFresh(rpRead, uintptr(p), size) {
			s.noRecord(rpSite(read))
		} else {
			s.access(rpRead, uintptr(p), size, rpSite(read))
		}
	}
	if *write&rpIsBusy == 0 || !s.passes(uintptr(p)) && s.meetsAt(write, rpWrite, uintptr(p), size) {
		if s.isLast(uintptr(p), size) || s.knows(rpWrite, uintptr(p), size) || s.isFresh(rpWrite, uintptr(p), size) {
			s.noRecord(rpSite(write))
		} else {
			s.access(rpWrite, uintptr(p), size, rpSite(write))
		}
	} else {
		s.misses(rpWrite, uintptr(p), size, write)
		s.omitsWrite(uintptr(p), size)
	}
}

// rpModifyEntry is the entry of one at p in the span of key: sizes 1, 2, 4 and 8 of operation op
// are rpFastSize and 4*op-3, 4*op-2, 4*op-1, 4*op.
//
//go:nosplit
func rpModifyEntry(p, what, key uintptr) uintptr {
	size := what & 0xff
	return p + (rpFastSize+what>>8*4-3+(size>>1-size>>3))*rpFastSizeUnit + key
}

//go:nosplit
func (s *rpG) knowsModify(p, what uintptr) bool { // (U1)
	return s.cache.writes[rpFastIndex(p)] == rpModifyEntry(p, what, s.key)
}

// modify records a modification that rpModifyAt did not find in the table, of memory outside of the
// goroutine's stack. It is nosplit like access.
//
//go:nosplit
//go:noinline
func (s *rpG) modify(p, what uintptr, site uint32) {
	gp := getg()
	size := what & 0xff
	if s.ignore != 0 || !rpValid(p) {
		return
	}
	s.keep()
	if s.fresh.has(p, size) || s.mayLeave() && s.ownsAll(p, size) && !s.hasMissed(rpWrite, p, size) {
		s.filtered++
		return
	}
	if !s.shown { // (V3)
		s.shows()
	}
	s.marksModify(p, size, site)
	s.countHit(site, size)
	h := s.cache
	if h == &rpNoCache || gp != gp.m.curg {
		s.recordModify(p, what, site)
		return
	}
	fp := *(*uintptr)(unsafe.Pointer(getfp())) // the caller's
	e := h.last[rpStackIndex(gp, site, fp)]
	c := s.w
	n := c.n
	if n >= rpChunkLen || e == nil || !e.sameWalk(gp, fp) {
		s.recordModify(p, what, site)
		return
	}
	if !rpFilterOff {
		h.writes[rpFastIndex(p)] = rpModifyEntry(p, what, s.key)
	}
	r := &c.recs[n]
	r.what = rpModify<<56 | uint64(what>>8)<<48 | uint64(p)&rpAddrMask
	r.site = site
	r.stack = e.id
	r.when = uint64(size)<<48 | atomic.Load64(&rpTickets.n)&rpStampMask
	c.publish(n + 1)
	s.reportMissed(rpWrite, p, size, site)
}

// marksModify is (U3). It leaves notes of spans as they are.
//
//go:nosplit
func (s *rpG) marksModify(p, size uintptr, site uint32) {
	rpMarkSync(p)
	sh := rpShadow(p)
	if sh == nil || size == 0 || p&7+size > 8 {
		return
	}
	note := uint64(s.id&rpSpanOwner)<<rpSpanAt | rpTouch(rpWrite, p, size) | s.rare(site)
	for i := range sh {
		if was := sh[i]; was>>rpSpanAt <= rpSpanOwner && atomic.Cas64(&sh[i], was, note) {
			return
		}
	}
}

// recordModify is the rest of modify, as record is that of access.
//
//go:noinline
func (s *rpG) recordModify(p, what uintptr, site uint32) {
	var stack uint32
	if gp := getg(); gp == gp.m.curg {
		stack = rpNewStack(gp, site, 3)
	} else {
		stack = rpStackHere(gp, 0)
	}
	if h := s.cache; !rpFilterOff && h != &rpNoCache {
		h.writes[rpFastIndex(p)] = rpModifyEntry(p, what, s.key)
	}
	s.room()
	s.plain(rpModify, uint64(what>>8), p, uint64(what&0xff), site, stack)
	s.reportMissed(rpWrite, p, what&0xff, site)
	rpPoll()
}

// rpMapChange is what a change of a map modifies: one byte.
const rpMapChange = 1 | rpModifyMap<<8

// rpMapChangeAt records a change of the map at p, outside of the goroutine's stack.
//
//go:nosplit
//go:noinline
func rpMapChangeAt(p unsafe.Pointer) {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if s == nil {
		return
	}
	if s.knowsModify(uintptr(p), rpMapChange) {
		s.filtered++
		return
	}
	s.modify(uintptr(p), rpMapChange, 0)
}

// rpMapChangeKnown reports whether the running goroutine has recorded a change of the map in its
// span.
//
//go:nosplit
func rpMapChangeKnown(p uintptr) bool {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if s == nil || !s.knowsModify(p, rpMapChange) {
		return false
	}
	s.filtered++
	return true
}
