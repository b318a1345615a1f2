//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Atomic operations (R4): the operation and its record are made under one lock
// for each address, and are not preempted.

// rpCounter reports whether p is a counter of -covermode=atomic, which no goroutine waits for.
//
//go:nosplit
func rpCounter(p uintptr) bool {
	return p-firstmoduledata.covctrs < firstmoduledata.ecovctrs-firstmoduledata.covctrs
}

type rpAtomicLock struct {
	held    uint32
	changed uint64 // the epoch of the latest operation under the lock that was more than a load
	_       [6]uint64
}

var rpAtomicLocks [256]rpAtomicLock

// rpLeftAtomic is what AtomicBegin returns for an operation that is left out.
const rpLeftAtomic = rpForeignAtomic - 1

//go:linkname race_AtomicBegin internal/race.AtomicBegin
func race_AtomicBegin(addr unsafe.Pointer) uintptr {
	s := rpSyncSelf()
	if s == nil {
		return 0
	}
	gp := getg()
	if !rpValid(uintptr(addr)) {
		if gp != gp.m.curg || !rpForeign(uintptr(addr)) {
			return 0
		}
		s.room()
		rpAtomicLocks[0].lock()
		return rpForeignAtomic
	}
	if gp != gp.m.curg || rpLocal(uintptr(addr)) || rpCounter(uintptr(addr)) {
		return 0
	}
	if s.leaves(uintptr(addr)) { // (L2)
		acquirem()
		return rpLeftAtomic
	}
	stack := uint32(0)
	if !s.busySync(getfp()) {
		stack = rpStackHere(gp, 0)
	}
	s.room()
	rpAtomicLockOf(uintptr(addr)).lock()
	s.uses(uintptr(addr))
	return uintptr(stack) + 1
}

//go:nosplit
func rpAtomicLockOf(addr uintptr) *rpAtomicLock {
	return &rpAtomicLocks[(addr>>3*0x9E3779B97F4A7C15)>>56]
}

// lock takes the lock. Its holder is not preempted.
func (l *rpAtomicLock) lock() {
	acquirem()
	for n := 0; !atomic.Cas(&l.held, 0, 1); n++ {
		if n < 16 {
			procyield(10)
		} else {
			osyield() // the thread that has it is not running
		}
	}
}

func (l *rpAtomicLock) unlock() {
	atomic.StoreRel(&l.held, 0)
	releasem(getg().m)
}

//go:linkname race_AtomicEnd internal/race.AtomicEnd
func race_AtomicEnd(h uintptr, addr unsafe.Pointer, size uintptr, kind int) {
	if h == 0 {
		return
	}
	if h == rpLeftAtomic {
		releasem(getg().m)
		return
	}
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if h == rpForeignAtomic {
		if kind >= 0 {
			s.foreignAtomicEnd(kind, uintptr(addr))
		}
		rpAtomicLocks[0].unlock()
		rpPoll()
		return
	}
	l := rpAtomicLockOf(uintptr(addr))
	switch {
	case kind > 0:
		s.ticketed(rpAtomicLoad+uint64(kind), uintptr(addr), uint64(size), uint32(h-1))
		l.changed = s.epoch
	case kind == 0 && !s.loadedAgain(uintptr(addr), uint64(size), l.changed):
		s.ticketed(rpAtomicLoad, uintptr(addr), uint64(size), uint32(h-1))
	}
	l.unlock()
	rpPoll()
}

// loadedAgain reports whether the latest record is a load of the same bytes that saw the same value: a goroutine that waits in a loop loads a variable again and
// again. There is no event of the goroutine between the two, so every schedule with the first has room for the second right after it.
//
//go:nosplit
func (s *rpG) loadedAgain(addr uintptr, size, changed uint64) bool {
	c := s.w
	if c.n == 0 || rpFilterOff {
		return false
	}
	r := &c.recs[c.n-1]
	again := r.what == rpAtomicLoad<<56|uint64(s.unseen)*rpUnseen|uint64(addr) && r.when>>48 == size && r.when&rpStampMask >= changed
	if again {
		s.filtered++
	}
	return again
}
