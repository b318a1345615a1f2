//go:build racepred_seam

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// Call stacks are walked by frame pointers and interned (intern.go). They are physical frames:
// inlining is undone when a stack is printed.

// rpMaxDepth bounds a recorded stack; deeper callers are cut off.
const rpMaxDepth = 64

// rpText is where the program's text begins; all of it lies within 4 GiB.
var rpText uintptr

// rpOffset is a return address in four bytes. One outside of the program's text would be printed as
// another.
//
//go:nosplit
func rpOffset(pc uintptr) uint32 { return uint32(pc - rpText) }

// rpStackHere interns the stack of user code that called into the runtime at gp, which is the
// running g (possibly a system stack), from its caller's caller on, or skip frames further up:
// those are the recorder's own.
//
//go:noinline
func rpStackHere(gp *g, skip int) uint32 {
	if gp != gp.m.curg {
		if up := gp.m.curg; up != nil && gp == gp.m.g0 {
			return rpStackBelow(up)
		}
		return 0
	}
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s == nil {
		return 0
	}
	fp := getfp()
	for n := skip; n >= 0; n-- {
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	if id := s.knownStack(gp, 0, fp); id != 0 {
		return id
	}
	return rpNewStack(gp, 0, skip+2)
}

// rpStackBelow interns the stack of gp, which is parked or on a system stack, without the function
// that left that stack.
func rpStackBelow(gp *g) uint32 {
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s == nil {
		return 0
	}
	fp := gp.sched.bp
	if id := s.knownStack(gp, 0, fp); id != 0 {
		return id
	}
	var pcs [rpMaxDepth]uint32
	n := rpWalk(gp, fp, pcs[:])
	return s.remember(rpStackIndex(gp, 0, fp), pcs[:n])
}

// rpNewStack interns the stack of gp, the running goroutine, from the frame on that is skip frames
// above its own, and remembers it for site. The frame pointer is read here, after the last call
// that may move the stack.
//
//go:noinline
func rpNewStack(gp *g, site uint32, skip int) uint32 {
	var pcs [rpMaxDepth]uint32
	fp := getfp()
	for ; skip > 0 && fp != 0; skip-- {
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	n := rpWalk(gp, fp, pcs[:])
	i := rpStackIndex(gp, site, fp)
	return (*rpG)(unsafe.Pointer(gp.racectx)).remember(i, pcs[:n])
}

// knownStack is the stack from the frame fp up if it is one that the goroutine recorded a moment
// ago at that site, else 0: a walk beside that one's entry needs neither a buffer nor a hash.
//
//go:nosplit
func (s *rpG) knownStack(gp *g, site uint32, fp uintptr) uint32 {
	h := s.cache
	if h == &rpNoCache {
		return 0
	}
	if site != 0 {
		if e := h.last[rpStackIndex(gp, site, fp)]; e != nil && e.sameWalk(gp, fp) {
			return e.id
		}
		return 0
	}
	mostly := &h.last[rpStackMostly(gp, fp)]
	if e := *mostly; e != nil && e.sameWalk(gp, fp) {
		return e.id
	}
	if e := h.last[rpStackIndex(gp, 0, fp)]; e != nil && e.sameWalk(gp, fp) {
		*mostly = e
		return e.id
	}
	return 0
}

// rpStackMostly is where a stack without a site is looked for first: by the frame and by where its
// caller returns to.
//
//go:nosplit
func rpStackMostly(gp *g, fp uintptr) uintptr {
	h := fp >> 4
	lo := gp.stack.lo + 1
	size := gp.stack.hi - goarch.PtrSize - lo
	if fp-lo < size {
		if up := *(*uintptr)(unsafe.Pointer(fp)); up-lo < size {
			h += *(*uintptr)(unsafe.Pointer(up + goarch.PtrSize))
			h ^= h >> 7
		}
	}
	return h % rpLastStacks
}

// rpStackIndex is where a stack is remembered: by the site and the frame, or without a site by the
// frame and the innermost return addresses, some of which are the library's.
//
//go:nosplit
func rpStackIndex(gp *g, site uint32, fp uintptr) uintptr {
	h := uintptr(site) + fp>>4
	if site == 0 {
		h += rpPlace(gp, fp)
		h ^= h >> 7
	}
	return h % rpLastStacks
}

// rpPlaceFrames is how many frames name the position of an access in the library: what it is called
// for differs.
const rpPlaceFrames = 4

// rpPlace names the position of gp's function with the frame at fp by where it and its callers
// return to.
//
//go:nosplit
func rpPlace(gp *g, fp uintptr) (place uintptr) {
	lo := gp.stack.lo + 1
	size := gp.stack.hi - goarch.PtrSize - lo
	for n := rpPlaceFrames; n > 0 && fp-lo < size; n-- {
		place = place*31 + *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return place
}

// rpTopStack interns the frames that rpPlace names a position by, from the frame at fp on, as a
// stack. last is where the last one is kept that was looked for at such a position.
func rpTopStack(gp *g, fp uintptr, last **rpStackEntry) uint32 {
	if e := (*rpStackEntry)(atomic.Loadp(unsafe.Pointer(last))); e != nil && e.isTop(gp, fp) {
		return e.id
	}
	var pcs [rpPlaceFrames]uint32
	n := rpWalk(gp, fp, pcs[:])
	id := rpIntern(pcs[:n])
	atomic.StorepNoWB(unsafe.Pointer(last), unsafe.Pointer(rpEntry(id)))
	return id
}

// isTop reports whether rpWalk from fp would begin with the addresses of e.
//
//go:nosplit
func (e *rpStackEntry) isTop(gp *g, fp uintptr) bool {
	lo := gp.stack.lo + 1
	size := gp.stack.hi - goarch.PtrSize - lo
	for _, pc := range e.pcs() {
		if pc == 0 {
			break
		}
		if fp-lo >= size || rpOffset(*(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))) != pc {
			return false
		}
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return true
}

// rpFrame is what lies where a frame pointer points to.
type rpFrame struct {
	up *rpFrame
	pc uintptr // where the function returns to
}

// sameWalk reports whether rpWalk from fp would give the addresses of e. They are followed by a
// zero, which is none.
//
//go:nosplit
func (e *rpStackEntry) sameWalk(gp *g, fp uintptr) bool {
	p := (*uint32)(unsafe.Pointer(e.pcs()))
	hi, text := gp.stack.hi-goarch.PtrSize, rpText
	if fp <= gp.stack.lo || fp >= hi {
		return *p == 0
	}
	for {
		f := (*rpFrame)(unsafe.Pointer(fp)) // on the stack
		if uint32(f.pc-text) != *p {        // rpOffset
			return *p == 0 && (f.pc == 0 || p == &e.pcs()[rpMaxDepth])
		}
		p = (*uint32)(add(unsafe.Pointer(p), 4))
		up := uintptr(unsafe.Pointer(f.up))
		if up <= fp || up >= hi {
			return *p == 0
		}
		fp = up
	}
}

// rpStackOf interns the stack of gp, which is running here or parked, as rpStackHere does for its
// caller.
//
//go:noinline
func rpStackOf(gp *g) uint32 {
	if gp == getg() || gp == getg().m.curg {
		return rpStackHere(getg(), 1)
	}
	return rpStackBelow(gp)
}

// rpWalk follows the frame pointers from fp up, as long as they stay on gp's stack.
//
//go:nosplit
func rpWalk(gp *g, fp uintptr, pcs []uint32) int {
	n := 0
	lo, hi := gp.stack.lo, gp.stack.hi
	for n < len(pcs) && fp > lo && fp < hi-goarch.PtrSize {
		pc := *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		if pc == 0 {
			break
		}
		pcs[n] = rpOffset(pc)
		n++
		up := *(*uintptr)(unsafe.Pointer(fp))
		if up <= fp {
			break
		}
		fp = up
	}
	return n
}

// remember interns a stack and keeps it at i of what s remembers.
func (s *rpG) remember(i uintptr, pcs []uint32) uint32 {
	id := rpIntern(pcs)
	if s.cache != &rpNoCache {
		s.cache.last[i] = rpEntry(id)
	}
	return id
}
