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
	changed uint64 // the epoch after the latest operation under the lock that was more than a load
}

// rpAtomicLocks are so many since a change of one variable makes the next loads of all that share
// its lock acquire again (knowsAll).
var rpAtomicLocks [1 << rpAtomicLockBits]rpAtomicLock

const rpAtomicLockBits = 12

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
	if s.leaves(uintptr(addr)) || s.leavesFresh(uintptr(addr)) { // (L2), (V2)
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
	return &rpAtomicLocks[rpPointerHash(addr)>>(64-rpAtomicLockBits)]
}

// rpPointerHash is a hash of an address, of which the highest bits are the best.
//
//go:nosplit
func rpPointerHash(p uintptr) uint64 { return uint64(p>>3) * 0x9E3779B97F4A7C15 }

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
	l, p, stack := rpAtomicLockOf(uintptr(addr)), uintptr(addr), uint32(h-1)
	access := uint64(rpRead)
	if kind > 0 {
		access = rpWrite
	}
	if stack == 0 && kind >= 0 {
		s.keepAtomicMiss(access, p, size) // before it has a ticket: others may learn of it from then on
	}
	switch {
	case kind > 0:
		what := rpAtomicLoad + uint64(kind)
		s.ticketed(what, p, uint64(size), stack)
		l.changed = s.epoch
		if what <= rpAtomicRMW {
			s.knowsNow(p)
		}
	case kind < 0 || s.loadedAgain(p, uint64(size), l.changed):
	case s.knowsAll(p, l.changed):
		s.plain(rpReload, 0, p, uint64(size), 0, stack)
	default:
		s.ticketed(rpAtomicLoad, p, uint64(size), stack)
		s.knowsNow(p)
	}
	l.unlock()
	if stack != 0 && kind >= 0 && s.unseen == 0 {
		s.reportMissed(access|rpAtomically, p, size, 0)
	}
	rpPoll()
}

// loadedAgain reports whether the latest record is a load of the same bytes that saw the same
// value: a goroutine that waits in a loop loads a variable again and again. There is no event of
// the goroutine between the two, so every schedule with the first has room for the second right
// after it.
//
//go:nosplit
func (s *rpG) loadedAgain(addr uintptr, size, changed uint64) bool {
	c := s.w
	if c.n == 0 || rpFilterOff {
		return false
	}
	r := &c.recs[c.n-1]
	load := r.what == rpAtomicLoad<<56|uint64(s.unseen)*rpUnseen|uint64(addr) || r.what == rpReload<<56|uint64(addr) && s.unseen == 0
	again := load && r.when>>48 == size && r.when&rpStampMask >= changed
	if again {
		s.filtered++
	}
	return again
}

// knowsNow notes that s has just acquired all that the atomic variable at addr holds, or has
// replaced it.
//
//go:nosplit
func (s *rpG) knowsNow(addr uintptr) {
	if h := s.cache; h != &rpNoCache && s.unseen == 0 {
		h.known[rpKnownIndex(addr)] = rpKnownAtomic{addr, s.epoch}
	}
}

// knowsAll reports whether s has acquired all that the variable holds: nothing has changed it
// since. Then a load acquires nothing, and its record takes no ticket. It lies between the right
// changes (records/D2): their tickets are taken under the lock, too. changed is that of the lock.
//
//go:nosplit
func (s *rpG) knowsAll(addr uintptr, changed uint64) bool {
	e := &s.cache.known[rpKnownIndex(addr)]
	return e.addr == addr && e.at >= changed && s.unseen == 0 && !rpFilterOff
}

//go:nosplit
func rpKnownIndex(addr uintptr) uintptr { return addr >> 2 % rpKnownAtomics }
