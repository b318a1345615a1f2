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
	rpMarkAtomic(uintptr(addr))
	stack := uint32(0)
	if !rpSparse || !s.busyHere(getfp()) {
		stack = rpStackHere(gp, 0)
	}
	s.room()
	rpAtomicLockOf(uintptr(addr)).lock()
	return uintptr(stack) + 1
}

//go:nosplit
func rpAtomicLockOf(addr uintptr) *rpAtomicLock {
	return &rpAtomicLocks[(addr>>3*0x9E3779B97F4A7C15)>>56]
}

// lock takes the lock, in which nothing is preempted.
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
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if h == rpForeignAtomic {
		if kind >= 0 {
			s.foreignAtomicEnd(kind, uintptr(addr))
		}
		rpAtomicLocks[0].unlock()
		rpPoll()
		return
	}
	stack, loads := uint32(h-1), kind == 0 // race.AtomicLoad
	again := loads && rpSparse && stack == 0 && s.nothingNew(uintptr(addr))
	if kind >= 0 && !again {
		s.ticketed(rpAtomicLoad+uint64(kind), uintptr(addr), uint64(size), stack)
		s.knowsAtomic(uintptr(addr), !loads)
	}
	rpAtomicLockOf(uintptr(addr)).unlock()
	if again {
		s.lookedUp()
		return
	}
	rpPoll()
}

// In sparse parts a load that lets its goroutine know nothing new is not recorded: nothing was stored in the word since its memory has this life, or since
// the goroutine last got to know what the word's object holds. Half of what programs with contexts synchronize is such.
//
// The first word of the shadow tells of the last store: it is a note of the span that began with that (filter.go), with nothing touched, and rpNoStore before
// there is one. Whoever notes an access there, or synchronizes by other means than atomic operations, takes its place; then all is recorded. A note of a store is
// never lost to one that says less: who puts rpNoStore there does so only while there is nothing.

// rpNoStore is the note of a word that only atomic operations are known of, and no store: that of the first span of all, before which there is none.
const rpNoStore = 1 << 16

// rpMarkAtomic is rpMarkSync for an atomic operation.
//
//go:nosplit
func rpMarkAtomic(addr uintptr) {
	sh := rpShadow(addr)
	if sh == nil {
		return
	}
	heap := addr-rpHeapLo < rpHeapSize
	if heap && *rpNotedAt(addr) == 0 || sh[0] == 0 { // in this order: see rpMark
		atomic.Cas64(&sh[0], 0, rpNoStore)
		if heap {
			rpNoted(addr)
		}
	}
}

// knowsAtomic notes that s, by the operation that its span began with, knows all that the object of the word at addr holds. The word's lock is held.
//
//go:nosplit
func (s *rpG) knowsAtomic(addr uintptr, stored bool) {
	if sh := rpShadow(addr); stored && sh != nil {
		if last := sh[0]; last&rpTouched == 0 {
			atomic.Cas64(&sh[0], last, s.epoch<<16)
		}
	}
	e := &s.atomics[rpAtomicIndex(addr)]
	e.addr, e.epoch = addr, s.epoch
}

// nothingNew reports whether s already knows all that the object of the word at addr holds. The word's lock is held.
//
//go:nosplit
func (s *rpG) nothingNew(addr uintptr) bool {
	sh := rpShadow(addr)
	if sh == nil {
		return false
	}
	last := sh[0]
	if last&rpTouched != 0 || last == 0 {
		return false
	}
	e := &s.atomics[rpAtomicIndex(addr)]
	return last == rpNoStore || e.addr == addr && e.epoch >= last>>16
}

//go:nosplit
func rpAtomicIndex(addr uintptr) uintptr { return (addr>>3 ^ addr>>7) % rpAtomicsLen }
