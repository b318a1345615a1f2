//go:build racepred_seam

package runtime

import "unsafe"

// Locks. Their kinds are numbered from that of rpLock on (internal/race).

// race_takes records that the running goroutine took a lock, or that TryLock failed.
//
//go:linkname race_takes internal/race.takes
func race_takes(addr unsafe.Pointer, kind uint64) {
	kind += rpLock
	gp := getg()
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s == nil || gp.raceignore != 0 || s.ignore != 0 {
		return
	}
	if !rpMarkObject(uintptr(addr)) {
		if kind != rpTryFail {
			s.foreignLock(rpAcquire, addr)
		}
		return
	}
	if kind != rpTryFail {
		s.hold(uintptr(addr))
	}
	stack, size := uint32(0), uint64(0)
	if fp := getfp(); !s.busySync(fp) {
		if gp == gp.m.curg {
			stack = s.knownStack(gp, 0, fp)
		}
		if stack == 0 {
			stack = rpStackHere(gp, 0)
		}
		if kind == rpLock && !rpLocal(uintptr(addr)) {
			size = 1 // the read mode of RWMutex annotates that itself
		}
	} else if kind != rpTryFail && s.nheld == 1 {
		s.quiet = 1 // (Q3)
	}
	s.room()
	s.ticketed(kind, uintptr(addr), size, stack)
	rpPoll()
}

// race_gives records that it is about to give a lock back.
//
//go:linkname race_gives internal/race.gives
func race_gives(addr unsafe.Pointer, kind uint64) {
	gp := getg()
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s == nil || gp.raceignore != 0 || s.ignore != 0 {
		return
	}
	if !rpMarkObject(uintptr(addr)) {
		s.foreignLock(rpReleaseMerge, addr)
		return
	}
	s.letGo(uintptr(addr))
	s.room()
	s.ticketed(kind+rpLock, uintptr(addr), 0, 0)
	rpPoll()
}

// rpMarkObject is rpMarkSync, and reports whether there can be a variable.
//
//go:nosplit
func rpMarkObject(addr uintptr) bool {
	i := addr - rpHeapLo
	if i >= rpHeapSize {
		return addr-rpDataStart < rpDataEnd-rpDataStart // which has one life only
	}
	arena := rpArenas[i>>rpArenaBits]
	if arena == 1 {
		rpMark(addr)
	}
	return arena != 0
}
