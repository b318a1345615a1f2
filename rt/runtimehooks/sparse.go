//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// In sparse parts of a run, accesses are left out at positions that were recorded often: whoever predicts decides when
// (process.pace). Synchronization is always recorded, but for atomic loads that tell nothing new (atomics.go).
//
// A position of rewritten code has a byte of its own, its site, which is 1 while it is left out: the check is inlined, so that what is
// left out costs a comparison and a branch, and is not counted. What the runtime and the compiler's hooks tell of has no site; its
// position is made up of the frames above, and looked for in a table.
//
// Both ends of a sparse part are records with a ticket.
//
//	(Q1) Nobody leaves anything out before the ticket of rpSparseBegin.
//	(Q2) At rpSparseEnd the world is stopped. Any goroutine may be about to execute an access that it left out, since a
//	     hook comes before its access, and accesses that this one stands for (rule C of package instrument) may follow it. So it is
//	     waited for until it synchronizes again, unless it is parked where a program waits for something, which is a call of its own,
//	     or one of the runtime's own.
//
// What was recorded before rpSparseEnd and stands for accesses behind it is the business of who predicts (package witness, P10).

// rpSparse is set from rpSparseBegin to rpSparseEnd.
var rpSparse bool

// rpHeat counts, by position, what was recorded in sparse parts; rpBusyPlaces says where that was enough, of positions without a site.
var (
	rpHeat       [1 << 15]uint32
	rpBusyPlaces [1 << 15]bool
)

// rpBusySites are the sites where it was enough, the first rpBusyCount of them; when there is no room for more, all others are recorded.
var (
	rpBusySites [1 << 16]uintptr // of bytes in the data segment: nothing for the garbage collector to look at
	rpBusyCount uint32
)

//go:nosplit
func rpHeatIndex(position uintptr) uintptr { return position % uintptr(len(rpHeat)) }

// rpBusyAt is how many records make a position one that is left out.
var rpBusyAt uint32

//go:linkname rp_hotAt internal/racepred/process.runtime_hotAt
func rp_hotAt(n uint32) { rpBusyAt = n }

// What was looked for, by rpBreath: see lookedUp.
var rpLookups uint64

// busySite counts an access at a site that is recorded in a sparse part.
//
//go:nosplit
func (s *rpG) busySite(site *byte) {
	if gp := getg(); s.ignore != 0 || gp != gp.m.curg {
		return
	}
	at := rpHeatIndex(uintptr(unsafe.Pointer(site)))
	if rpHeat[at]++; rpHeat[at] > rpBusyAt {
		rpSkipSite(site)
	}
}

// busyPlace reports whether an access at a position without a site, which is named by one of its return addresses or several, is left out.
//
//go:nosplit
func (s *rpG) busyPlace(place uintptr) bool {
	if gp := getg(); s.ignore != 0 || gp != gp.m.curg {
		return false
	}
	at := rpHeatIndex(place ^ place>>13)
	if rpBusyPlaces[at] {
		s.lookedUp()
		return rpSparse // if not, this one is to be recorded again
	}
	if rpHeat[at]++; rpHeat[at] > rpBusyAt {
		rpBusyPlaces[at] = true
	}
	return false
}

// rpBusyHook is busyPlace for the function with the frame at fp.
//
//go:nosplit
func rpBusyHook(fp uintptr) bool {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	return s == nil || s.busyPlace(rpPlace(getg(), fp))
}

// busyHere is the same for what synchronizes, which is recorded all the same, but in sparse parts, where it is called, without its stack, and
// without the access that an atomic operation is.
//
//go:nosplit
func (s *rpG) busyHere(fp uintptr) bool {
	return s.busyPlace(rpPlace(getg(), fp))
}

// rpSkipSite makes the accesses at a site be left out in sparse parts. Two goroutines may do so at once, and a site then be twice in the list.
//
//go:nosplit
func rpSkipSite(site *byte) {
	n := atomic.Xadd(&rpBusyCount, 1) - 1
	if n >= uint32(len(rpBusySites)) {
		atomic.Xadd(&rpBusyCount, -1)
		return
	}
	rpBusySites[n] = uintptr(unsafe.Pointer(site))
	*site = 1 // rpSparse cannot have ended meanwhile: it takes a stopped world
}

// rpSkipSites switches between leaving out accesses at all the sites in the list and recording them.
func rpSkipSites(skip byte) {
	for _, site := range rpBusySites[:min(int(atomic.Load(&rpBusyCount)), len(rpBusySites))] {
		*(*byte)(unsafe.Pointer(site)) = skip
	}
}

// lookedUp counts what costs, though it is not recorded, and asks now and then whether it is time for a change.
//
//go:nosplit
func (s *rpG) lookedUp() {
	s.lookups++
	if s.lookups%rpBreath == 0 && getg() == getg().m.curg {
		atomic.Xadd64(&rpLookups, 1)
		rpDrainNow()
	}
}

// rp_sparse begins a sparse part, and reports whether the calling goroutine could.
//
//go:linkname rp_sparse internal/racepred/process.runtime_sparse
func rp_sparse() bool {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if s == nil || rpLostAt != 0 {
		return false
	}
	s.sync(rpSparseBegin, 0, 0) // (Q1)
	rpSparse = true
	rpSkipSites(1)
	return true
}

// rp_full ends a sparse part by a record with that number, and returns how many goroutines are waited for (Q2); -1
// when the calling goroutine cannot. When the part has ended, it does so again for those that are still waited for: they may be parked now.
//
//go:linkname rp_full internal/racepred/process.runtime_full
func rp_full(number uint64) int {
	self := (*rpG)(unsafe.Pointer(getg().racectx))
	if self == nil || rpLostAt != 0 {
		return -1
	}
	n, again := 0, !rpSparse
	self.room()
	stw := stopTheWorld(stwUnknown)
	rpSkipSites(0)
	if !again {
		for s := rpAllGs; s != nil; s = s.next {
			s.waits = false
		}
	}
	for _, gp := range allgs {
		s := (*rpG)(unsafe.Pointer(gp.racectx))
		if s == nil || again && !s.waits {
			continue
		}
		s.waits = !(again && s.epoch != s.awaited) && !rpParked(gp)
		if s.awaited = s.epoch; s.waits {
			n++
		}
	}
	self.ticket(rpSparseEnd, uintptr(number), 0, 0)
	rpSparse = false
	startTheWorld(stw)
	return n
}

// rpParked reports whether gp waits for something that a program can wait for, or runs no code but the runtime's. The world is stopped.
func rpParked(gp *g) bool {
	switch readgstatus(gp) &^ _Gscan {
	case _Gsyscall, _Gdead, _Gidle:
		return true
	case _Gwaiting:
		switch gp.waitreason {
		case waitReasonIOWait, waitReasonSleep, waitReasonChanReceiveNilChan, waitReasonChanSendNilChan, waitReasonSelectNoCases, waitReasonSelect,
			waitReasonChanReceive, waitReasonChanSend, waitReasonSyncCondWait, waitReasonSyncMutexLock, waitReasonSyncRWMutexRLock,
			waitReasonSyncRWMutexLock, waitReasonSyncWaitGroupWait, waitReasonCoroutine, waitReasonSynctestRun, waitReasonSynctestWait,
			waitReasonSynctestChanReceive, waitReasonSynctestChanSend, waitReasonSynctestSelect, waitReasonSynctestWaitGroupWait:
			return true
		}
	}
	return isSystemGoroutine(gp, false)
}

//go:linkname rp_lookups internal/racepred/process.runtime_lookups
func rp_lookups() uint64 { return atomic.Load64(&rpLookups) * rpBreath }

// rp_busy is how many positions were busy enough that accesses there were left out.
//
//go:linkname rp_busy internal/racepred/process.runtime_busy
func rp_busy() int {
	n := min(int(atomic.Load(&rpBusyCount)), len(rpBusySites))
	for _, busy := range rpBusyPlaces {
		if busy {
			n++
		}
	}
	return n
}
