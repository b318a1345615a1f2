//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Memory that is not Go's: mapped files, shared memory, C's. It is part of the world: recorded code
// that accesses it acts on the world. Races there are not looked for.

// All memory that the program mapped itself lies in [rpForeignLo, rpForeignHi); C maps its own. The
// runtime's own memory may lie there, too.
var rpForeignLo, rpForeignHi uintptr

// rpMapped notes that the program mapped n bytes at p. rpFdLock is held.
func rpMapped(p, n uintptr) {
	if rpForeignHi == 0 || p < rpForeignLo {
		rpForeignLo = p
	}
	rpForeignHi = max(rpForeignHi, p+max(n, 1<<30)) // shmat does not say how much
}

// rpForeign reports whether p may be outside of Go's heap, which has the stacks, too, and of the
// program's image.
//
//go:nosplit
func rpForeign(p uintptr) bool {
	const firstPage = 1 << 16 // nil and its fields
	return (p-rpForeignLo < rpForeignHi-rpForeignLo || iscgo) &&
		p-rpHeapLo >= rpHeapSize && p-firstmoduledata.text >= firstmoduledata.end-firstmoduledata.text && p >= firstPage
}

// rpForeignCount counts what is recorded of foreign memory.
var rpForeignCount uint64

// foreign records an access there, unless it repeats one of the same span and no other was recorded
// since. Writes to two places commute; a place is an offset in its page, which is the same wherever
// the page is mapped.
func (s *rpG) foreign(kind uint64, p uintptr) {
	gp := getg()
	if rpOutsider(gp) == nil || !rpForeign(p) {
		return
	}
	how := uintptr(rpIsTold)
	if kind == rpWrite {
		how = rpTells
	}
	if s.foreignSpan == s.epoch && s.foreignCount == atomic.Load64(&rpForeignCount) && s.foreignHow == how && s.foreignAt == p {
		return
	}
	n := atomic.Xadd64(&rpForeignCount, 1)
	s.pinOutside(rpWorld, how)
	if how == rpTells {
		s.pinOutside(rpCellOf(p), rpChanges)
	}
	s.foreignSpan, s.foreignCount, s.foreignHow, s.foreignAt = s.epoch, n, how, p
	rpPoll()
}

func rpCellOf(p uintptr) uintptr { return rpCellAt + p&(4<<10-1)&^7 }

// rpForeignAtomic is the handle of an atomic operation there.
const rpForeignAtomic = ^uintptr(0)

// foreignAtomicEnd records one under the lock that all of them share, since memory may be mapped at
// several addresses.
func (s *rpG) foreignAtomicEnd(kind int, p uintptr) {
	atomic.Xadd64(&rpForeignCount, 1)
	cell := rpCellOf(p)
	switch kind {
	case 0: // race.AtomicLoad
		s.pinOutside(rpWorld, rpIsTold)
		s.sync(rpAcquire, cell, 0)
	case 1: // race.AtomicStore
		s.sync(rpReleaseMerge, cell, 0)
		s.pinOutside(cell, rpChanges)
		s.pinOutside(rpWorld, rpTells)
	default:
		s.sync(rpReleaseMerge, cell, 0)
		s.sync(rpAcquire, cell, 0)
		s.pinOutside(cell, rpChanges)
		s.pinOutside(rpWorld, rpChanges)
	}
}

// foreignLock records a lock there as hard edges.
func (s *rpG) foreignLock(kind uint64, addr unsafe.Pointer) {
	if !rpForeign(uintptr(addr)) {
		return
	}
	s.sync(kind, uintptr(addr), 0)
}
