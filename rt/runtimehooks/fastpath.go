//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The fast path, for accesses that repeat one of their span.
//
// A goroutine that records much has a table of its own of the accesses that it need not record
// again until its span ends, by address, one for reads and one for writes. It belongs to one
// goroutine. So reading and changing it needs no synchronization and no cache line of another
// processor, two goroutines that scan one slice do not disturb each other, and it works for any
// memory. Accesses for which the table has no room are found in the shadow (filter.go), by the slow
// path.
//
// The table has an entry for an access to memory outside of the goroutine's stack that was recorded
// or need not be. The entry is the sum of
//
//	the address                    bits 0-46
//	the size, 1 to rpFastSize      bits 47-53 (numbers above rpFastSize: modify.go)
//	the goroutine's count of spans bits 54-63
//
// so that a new span outdates all entries at once. The table is cleared when the count starts
// again at 0. Memory is reused only after a garbage collection: it increments the
// counts of all goroutines while the world is stopped.
//
// The check is a function that is not inlined: a call alone costs 57 of the 80 nodes that the
// inliner allows, the generic wrapper 13, and the check would need 21. The check for a busy site is
// not inlined either: it records what is left out in a section.

const (
	rpFastSize     = 100 // bytes; the sizes above are used by modify.go
	rpFastSizeUnit = 1 << 47
	rpFastSpan     = 1 << 54
)

// rpNoCache is the table of goroutines without one of their own. It stays empty.
var rpNoCache rpCache

var (
	rpCaches     *rpCache // all, linked by next
	rpFreeCaches *rpCache // those without an owner, linked by free
	rpCacheCount uint32
)

// A goroutine gets a table after rpCacheAt repeats that it found in the shadow, or when it has
// filled a chunk.
const rpCacheAt = 1 << 9

// rpMaxCaches bounds the memory of the tables (22 KB each).
const rpMaxCaches = 4096

//go:nosplit
func rpFastIndex(p uintptr) uintptr { return (p>>3 ^ p<<6) % rpFastLen }

// newSpan starts the span with this epoch.
//
//go:nosplit
func (s *rpG) newSpan(epoch uint64) {
	s.names(epoch)
	s.fresh.rpFreshCount, s.shown = rpFreshCount{}, false
	s.keep()
	s.newKey()
}

//go:nosplit
func (h *rpCache) clear() {
	memclrNoHeapPointers(unsafe.Pointer(&h.reads), unsafe.Sizeof(h.reads)+unsafe.Sizeof(h.writes))
}

//go:nosplit
func (h *rpCache) clearKnown() {
	memclrNoHeapPointers(unsafe.Pointer(&h.known), unsafe.Sizeof(h.known))
}

// newKey outdates the entries of s's table.
//
//go:nosplit
func (s *rpG) newKey() {
	if s.key += rpFastSpan; s.key == 0 {
		s.newRound()
	}
}

// newRound clears the table when the count of spans starts again at 0.
//
//go:nosplit
//go:noinline
func (s *rpG) newRound() {
	if s.cache != &rpNoCache {
		s.cache.clear()
	}
}

// repeats enters an access into the table: it need not be recorded again in this span.
//
//go:nosplit
func (s *rpG) repeats(kind uint64, p, size uintptr) {
	if h := s.cache; h != &rpNoCache && size <= rpFastSize {
		i, e := rpFastIndex(p), p+size*rpFastSizeUnit+s.key
		h.reads[i] = e
		if kind == rpWrite {
			h.writes[i] = e
		}
	}
}

// found is repeats for an access that was looked for where that takes longer than in the table.
//
//go:nosplit
func (s *rpG) found(kind uint64, p, size uintptr) {
	s.repeats(kind, p, size)
	if s.lookups++; s.cache == &rpNoCache && s.lookups%rpCacheAt == 0 {
		if gp := getg(); gp == gp.m.curg {
			s.takeCache()
		}
	}
}

// knows reports whether the table has the access.
//
//go:nosplit
func (s *rpG) knows(kind uint64, p, size uintptr) bool {
	entries := &s.cache.reads
	if kind == rpWrite {
		entries = &s.cache.writes
	}
	return entries[rpFastIndex(p)] == p+size*rpFastSizeUnit+s.key && size <= rpFastSize
}

// takeCache gives s a table of its own, unless there are rpMaxCaches in use.
func (s *rpG) takeCache() {
	lock(&rpGLock)
	h := rpFreeCaches
	if h != nil {
		rpFreeCaches = h.free
		h.owner = s
	}
	grown := h == nil && rpCacheCount < rpMaxCaches
	if grown {
		rpCacheCount++
	}
	unlock(&rpGLock)
	if grown {
		h = (*rpCache)(persistentalloc(unsafe.Sizeof(rpCache{}), 8, &memstats.other_sys))
		h.clear() // written before it is read: see rpMark
		h.clearKnown()
		h.owner = s
		lock(&rpGLock)
		h.next = rpCaches
		rpCaches = h
		unlock(&rpGLock)
	}
	if h != nil {
		s.cache = h
	}
}

// dropCache frees the table of s, which ended. rpGLock is held.
func (s *rpG) dropCache() {
	h := s.cache
	if h == &rpNoCache {
		return
	}
	s.cache = &rpNoCache
	h.owner, h.free = nil, rpFreeCaches
	h.clear()
	h.last = [rpLastStacks]*rpStackEntry{}
	h.clearKnown()
	rpFreeCaches = h
}

// rpCollected outdates the tables of all goroutines: the memory of garbage
// may be reused from now on. The world is stopped.
func rpCollected() {
	rpReuses++
	for h := rpCaches; h != nil; h = h.next {
		if h.owner != nil {
			h.owner.newKey()
		}
	}
}

// RacepredRead records a read of the size bytes at p.
func RacepredRead(p unsafe.Pointer, size uintptr, site *byte) {
	rpReadAt(p, size, site)
}

// RacepredWrite records a write of the size bytes at p.
func RacepredWrite(p unsafe.Pointer, size uintptr, site *byte) {
	rpWriteAt(p, size, site)
}

// RacepredR records a read of *p and returns p.
func RacepredR[T any](p *T, site *byte) *T {
	rpReadAt(unsafe.Pointer(p), unsafe.Sizeof(*p), site)
	return p
}

// RacepredW records a write of *p and returns p.
func RacepredW[T any](p *T, site *byte) *T {
	rpWriteAt(unsafe.Pointer(p), unsafe.Sizeof(*p), site)
	return p
}

//go:nosplit
//go:noinline
func rpReadAt(p unsafe.Pointer, size uintptr, site *byte) {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if s == nil || rpLocal(uintptr(p)) {
		return
	}
	if site != nil && *site&rpIsBusy != 0 && (s.passes(uintptr(p)) || !s.meetsAt(site, rpRead, uintptr(p), size)) { // (Q2)
		s.misses(rpRead, uintptr(p), size, site)
		s.omits(rpRead, site)
		return
	}
	if s.isLast(uintptr(p), size) || s.knows(rpRead, uintptr(p), size) || s.isFresh(rpRead, uintptr(p), size) {
		s.noRecord(rpSite(site))
		return
	}
	s.access(rpRead, uintptr(p), size, rpSite(site))
}

//go:nosplit
//go:noinline
func rpWriteAt(p unsafe.Pointer, size uintptr, site *byte) {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if s == nil || rpLocal(uintptr(p)) {
		return
	}
	if site != nil && *site&rpIsBusy != 0 && (s.passes(uintptr(p)) || !s.meetsAt(site, rpWrite, uintptr(p), size)) { // (Q2)
		s.misses(rpWrite, uintptr(p), size, site)
		s.omitsWrite(uintptr(p), size)
		s.omits(rpWrite, site)
		return
	}
	if s.isLast(uintptr(p), size) || s.knows(rpWrite, uintptr(p), size) || s.isFresh(rpWrite, uintptr(p), size) {
		s.noRecord(rpSite(site))
		return
	}
	s.access(rpWrite, uintptr(p), size, rpSite(site))
}

// access records a read or write of the size bytes at p, which may be anywhere but in the
// goroutine's stack or in a fresh object. It is nosplit because the walk of the stack begins at the
// caller of rpReadAt or rpWriteAt. While race.Unseen is in effect, the library's own accesses are
// left out, as the synchronization is that orders them.
//
//go:nosplit
//go:noinline
func (s *rpG) access(kind uint64, p, size uintptr, site uint32) {
	gp := getg()
	if s.ignore|s.unseen != 0 {
		return
	}
	if p-rpHeapLo < rpHeapSize && rpArenas[(p-rpHeapLo)>>rpArenaBits] == 1 && p&7+size <= 8 && size != 0 {
		// The same as leaveOut, for most accesses.
		sh := (*[2]uint64)(unsafe.Pointer(rpShadowBase + (p&^7)*2))
		touch := rpTouch(kind, p, size)
		s.keep()
		if !rpFilterOff && (s.noted(sh, p)&touch == touch || s.mayLeave() && s.ownsWord(p, sh) && !s.hasMissed(kind, p, size)) { // (L2)
			s.noRecord(site)
			s.found(kind, p, size)
			return
		}
		s.note(sh, p, touch|s.rare(site))
	} else if s.leaveOut(kind, p, size, site) {
		return
	}
	if kind == rpWrite && !s.shown { // (V3)
		s.shows()
	}
	s.countHit(site, size)
	h := s.cache
	if h == &rpNoCache || gp != gp.m.curg || size > rpFastSize {
		s.record(kind, p, size, site)
		return
	}
	fp := *(*uintptr)(unsafe.Pointer(getfp())) // the caller's
	e := h.last[rpStackIndex(gp, site, fp)]
	c := s.w
	n := c.n
	if n >= rpChunkLen || e == nil || !e.sameWalk(gp, fp) {
		s.record(kind, p, size, site)
		return
	}
	if !rpFilterOff {
		i, entry := rpFastIndex(p), p+size*rpFastSizeUnit+s.key
		h.reads[i] = entry
		if kind == rpWrite {
			h.writes[i] = entry
		}
	}
	r := &c.recs[n]
	r.what = kind<<56 | uint64(p)&rpAddrMask
	r.site = site
	r.stack = e.id
	r.when = uint64(size)<<48 | atomic.Load64(&rpTickets.n)&rpStampMask
	c.publish(n + 1)
	s.reportMissed(kind, p, size, site)
}

// leaveOut reports whether an access need not be recorded, or is no access of a variable.
//
//go:nosplit
func (s *rpG) leaveOut(kind uint64, p, size uintptr, site uint32) bool {
	if size == 0 {
		return true
	}
	if !rpValid(p) {
		if p-rpForeignLo < rpForeignHi-rpForeignLo || iscgo {
			s.foreign(kind, p)
		}
		return true
	}
	s.keep()
	if s.mayLeave() && s.ownsAll(p, size) && !s.hasMissed(kind, p, size) || rpFilter(s, kind, p, size, site) {
		s.noRecord(site)
		s.repeats(kind, p, size)
		return true
	}
	return false
}

// record is the rest of access, for what is rare: a full chunk, a stack that is new, a range. The
// stack begins at the frame of its caller's caller.
//
//go:noinline
func (s *rpG) record(kind uint64, p, size uintptr, site uint32) {
	var stack uint32
	if gp := getg(); gp == gp.m.curg {
		stack = rpNewStack(gp, site, 3)
	} else {
		stack = rpStackHere(gp, 0)
	}
	if !rpFilterOff {
		s.repeats(kind, p, size)
	}
	if size > rpFastSize {
		atomic.Xadd64((*uint64)(unsafe.Pointer(&rpWide)), int64(size/rpWideUnit))
	}
	for first := true; ; first = false {
		n := size
		if n > rpPartMax {
			n = rpPartMax - p&7
		}
		s.roomInSpan()
		s.plain(kind, 0, p, uint64(n), site, stack)
		if first { // it looks at the first words only, and the engine takes it to be about the latest record
			s.reportMissed(kind, p, n, site)
		}
		size -= n
		if size == 0 {
			break
		}
		p += n
	}
	rpPoll()
}
