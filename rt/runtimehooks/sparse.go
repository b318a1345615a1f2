//go:build racepred_seam

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// In sparse parts of a run, accesses are left out at positions that were recorded often: whoever predicts decides when
// (process.pace). Synchronization is always recorded.
//
// Both ends of a sparse part are records with a ticket.
//
//	(Q1) Nobody leaves anything out before the ticket of rpSparseBegin.
//	(Q2) At rpSparseEnd the world is stopped. A goroutine that left out an access since it last synchronized may be about to execute it, since a
//	     hook comes before its access, and accesses that this one stands for (rule C of package instrument) may follow it. So it is
//	     waited for until it synchronizes again, unless it is parked where a program waits for something: that is a call of its own.
//
// What was recorded before rpSparseEnd and stands for accesses behind it is the business of who predicts (engine, rule F4).

// rpSparse is set from rpSparseBegin to rpSparseEnd.
var rpSparse bool

// rpHeat counts, by position, what was recorded in sparse parts, and rpHotSites says where that was enough.
var (
	rpHeat     [1 << 15]uint32
	rpHotSites [1 << 15]bool
)

//go:nosplit
func rpHotIndex(position uintptr) uintptr { return position % uintptr(len(rpHotSites)) }

// rpHotAt is how many records make a position one that is left out.
var rpHotAt uint32

//go:linkname rp_hotAt internal/racepred/process.runtime_hotAt
func rp_hotAt(n uint32) { rpHotAt = n }

// What was left out, and what the shadow was asked for, both by rpBreath.
var rpBreaths, rpLookups uint64

// skip reports whether an access that the fast path let through, since its position is none of rpHotSites or unknown, is left out.
// fp is its caller's frame, which tells positions without a site apart.
//
//go:nosplit
func (s *rpG) skip(gp *g, kind uint64, site uint32, fp uintptr) bool {
	if s.ignore != 0 || gp != gp.m.curg {
		return false
	}
	at := uintptr(site) + rpDataStart - 1
	if site == 0 {
		at = uintptr(kind)
		lo, hi := gp.stack.lo, gp.stack.hi-goarch.PtrSize
		for n := 0; n < 4 && fp > lo && fp < hi; n++ {
			at = at*31 + *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
			fp = *(*uintptr)(unsafe.Pointer(fp))
		}
		at ^= at >> 13
	}
	at = rpHotIndex(at)
	if rpHotSites[at] {
		if s.skips++; s.skips%rpBreath == 0 {
			s.breathe()
			return rpSparse // if not, this one is to be recorded again
		}
		return true
	}
	if rpHeat[at]++; rpHeat[at] > rpHotAt {
		rpHotSites[at] = true
	}
	return false
}

// breathe asks whether it is time to record again.
func (s *rpG) breathe() {
	atomic.Xadd64(&rpBreaths, 1)
	rpDrainNow()
}

// lookedUp counts what costs, though it is not recorded.
//
//go:nosplit
func (s *rpG) lookedUp() {
	s.lookups++
	if s.lookups%rpBreath == 0 && getg() == getg().m.curg {
		atomic.Xadd64(&rpLookups, 1)
		rpDrainNow()
	}
}

// skipPin reports whether a record that only pins the order of operations in predictions is left out.
func (s *rpG) skipPin() bool {
	if rpSparse {
		s.skips++
	}
	return rpSparse
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
	return true
}

// rp_full ends a sparse part by a record with that number, and returns how many goroutines are waited for (Q2); -1
// when the calling goroutine cannot.
//
//go:linkname rp_full internal/racepred/process.runtime_full
func rp_full(number uint64) int {
	self := (*rpG)(unsafe.Pointer(getg().racectx))
	if self == nil || rpLostAt != 0 {
		return -1
	}
	n := 0
	self.room()
	stw := stopTheWorld(stwUnknown)
	for s := rpAllGs; s != nil; s = s.next {
		s.waits = false
	}
	for _, gp := range allgs {
		if s := (*rpG)(unsafe.Pointer(gp.racectx)); s != nil && s.skips != s.settled && !rpParked(gp) {
			s.waits = true
			n++
		}
	}
	self.ticket(rpSparseEnd, uintptr(number), 0, 0)
	rpSparse = false
	startTheWorld(stw)
	return n
}

// rpParked reports whether gp waits for something that a program can wait for. The world is stopped.
func rpParked(gp *g) bool {
	switch readgstatus(gp) &^ _Gscan {
	case _Gsyscall, _Gdead, _Gidle:
		return true
	case _Gwaiting:
		switch gp.waitreason {
		case waitReasonIOWait, waitReasonSleep, waitReasonChanReceiveNilChan, waitReasonChanSendNilChan, waitReasonSelectNoCases, waitReasonSelect,
			waitReasonChanReceive, waitReasonChanSend, waitReasonSyncCondWait, waitReasonSyncMutexLock, waitReasonSyncRWMutexRLock,
			waitReasonSyncRWMutexLock, waitReasonSyncWaitGroupWait:
			return true
		}
	}
	return false
}

//go:linkname rp_breaths internal/racepred/process.runtime_breaths
func rp_breaths() (skipped, lookups uint64) {
	return atomic.Load64(&rpBreaths) * rpBreath, atomic.Load64(&rpLookups) * rpBreath
}
