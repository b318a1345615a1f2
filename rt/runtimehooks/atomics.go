//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Atomic operations (R4): the operation and its record happen under one lock
// per address, in which nothing is preempted.

// rpCounter reports whether p is a counter of -covermode=atomic: nobody waits for those.
//
//go:nosplit
func rpCounter(p uintptr) bool {
	return p-firstmoduledata.covctrs < firstmoduledata.ecovctrs-firstmoduledata.covctrs
}

type rpAtomicLock struct {
	held uint32
	_    [15]uint32
}

var rpAtomicLocks [256]rpAtomicLock

//go:linkname race_AtomicBegin internal/race.AtomicBegin
func race_AtomicBegin(addr unsafe.Pointer) uintptr {
	s := rpSyncSelf()
	if s == nil || !rpValid(uintptr(addr)) {
		return 0
	}
	gp := getg()
	if gp != gp.m.curg || rpLocal(uintptr(addr)) || rpCounter(uintptr(addr)) {
		return 0
	}
	rpMarkSync(uintptr(addr))
	stack := uint32(0)
	if !rpSparse || !s.busyHere(getfp()) {
		stack = rpStackHere(gp, 0)
	}
	s.room()
	acquirem()
	l := &rpAtomicLocks[(uintptr(addr)>>3*0x9E3779B97F4A7C15)>>56]
	for n := 0; !atomic.Cas(&l.held, 0, 1); n++ {
		if n < 16 {
			procyield(10)
		} else {
			osyield() // the thread that has it is not running
		}
	}
	return uintptr(stack) + 1
}

//go:linkname race_AtomicEnd internal/race.AtomicEnd
func race_AtomicEnd(h uintptr, addr unsafe.Pointer, size uintptr, kind int) {
	if h == 0 {
		return
	}
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if kind >= 0 {
		s.ticketed(rpAtomicLoad+uint64(kind), uintptr(addr), uint64(size), uint32(h-1))
	}
	l := &rpAtomicLocks[(uintptr(addr)>>3*0x9E3779B97F4A7C15)>>56]
	atomic.StoreRel(&l.held, 0)
	releasem(getg().m)
	rpPoll()
}
