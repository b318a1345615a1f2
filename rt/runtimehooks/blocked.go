//go:build racepred_seam && go1.26

package runtime

import (
	"internal/goarch"
	"unsafe"
)

// rp_blocked stops the world and lists goroutines of the program that wait for others, as many as
// list has room for. n is how many there are. quiet says that no other goroutine can run, so that
// none of them is ever woken. With rpFind, the collector first finds those that no goroutine can
// wake: what they wait for is out of reach of all goroutines that run or may run again. With
// rpFindAtEnd, in a process that ends, it finds more.
//
//go:linkname rp_blocked internal/racepred/process.runtime_blocked
func rp_blocked(find uint8, list []rpBlocked) (n int, quiet bool) {
	if find != 0 {
		if find >= rpFindAtEnd {
			rpHideElements()
		}
		if find == rpFindOfOthers {
			rpGoOn(true)
		}
		goroutineLeakGC()
		if find == rpFindOfOthers {
			rpGoOn(false)
		}
	}
	stw := stopTheWorldGC(stwGoroutineProfile)
	self := getg()
	quiet = !rpTimersWait()
	forEachGRace(func(gp *g) {
		s := (*rpG)(unsafe.Pointer(gp.racectx))
		status := readgstatus(gp)
		if gp == self || status == _Gdead || status == _Gidle || isSystemGoroutine(gp, false) {
			return
		}
		why := uint8(0)
		if (status == _Gwaiting || status == _Gleaked) && !rpEngineRuns(gp) { // one that waits for the engine will get it
			why = rpBlockedIn(gp)
		}
		if why == 0 || gp.bubble != nil { // whose timers are its own
			quiet = false
		}
		if why == 0 || s == nil {
			return
		}
		if n < len(list) {
			b := rpBlocked{id: s.id, why: why, stuck: status == _Gleaked, stack: rpStackBelow(gp)}
			if why >= rpBlockedInLock && gp.waiting != nil {
				b.on = gp.waiting.elem.uintptr()
			}
			list[n] = b
		}
		n++
	})
	if n <= len(list) {
		forEachGRace(func(gp *g) { gp.atomicstatus.CompareAndSwap(_Gleaked, _Gwaiting) }) // tracebacks are those of go test
	}
	startTheWorldGC(stw)
	return n, quiet
}

// rpWeaklyReached marks an object with a weak pointer while the collector looks for goroutines that
// no other can wake: they keep the object, so a goroutine with the weak pointer can reach it.
func rpWeaklyReached(s *mspan, sp *special, gcw *gcWork) {
	if work.goroutineLeak.enabled {
		p := s.base() + sp.offset/s.elemsize*s.elemsize
		scanblock(uintptr(unsafe.Pointer(&p)), goarch.PtrSize, &oneptrmask[0], gcw, nil)
	}
}

// rpTimersWait reports whether a timer is set that wakes or starts a goroutine. The world is
// stopped.
func rpTimersWait() bool {
	for _, pp := range allp {
		for _, w := range pp.timers.heap {
			if w.timer.state&timerZombie == 0 && rpWakes(w.timer) {
				return true
			}
		}
	}
	return false
}

// rpHideElements hides from the collector, until its search is done, the addresses of the values
// that goroutines wait to send. "c <- i" in a closure sends i from the closure, which also has c,
// so a goroutine would reach its channel by its own wait. The frames of the send and of the select
// keep the values.
func rpHideElements() {
	stw := stopTheWorldGC(stwGoroutineProfile)
	forEachGRace(func(gp *g) {
		if gp.waitreason == waitReasonChanSend || gp.waitreason == waitReasonSelect {
			for sg := gp.waiting; sg != nil; sg = sg.waitlink {
				sg.elem.setUntraceable()
			}
		}
	})
	startTheWorldGC(stw)
}

// rpGoOn makes the collector take the goroutines of goesOn for ones that may run, until it is
// called with false: by what they wait in, it looks only at some. And it makes the collector take
// every word of the running goroutine's stack for a pointer (rpWholeStack).
func rpGoOn(on bool) {
	stw := stopTheWorldGC(stwGoroutineProfile)
	rpWholeStack = 0
	if on {
		rpWholeStack = getg().stack.lo
	}
	forEachGRace(func(gp *g) {
		s := (*rpG)(unsafe.Pointer(gp.racectx))
		switch {
		case s == nil:
		case on && s.goesOn && rpBlockedIn(gp) != 0:
			s.waited, gp.waitreason = uint8(gp.waitreason), waitReasonSleep
		case !on && s.waited != 0:
			if gp.waitreason == waitReasonSleep {
				gp.waitreason = waitReason(s.waited)
			}
			s.waited = 0
		}
	})
	startTheWorldGC(stw)
}

// rpBlockedIn is the operation that gp waits in, 0 for one that does not depend on other
// goroutines.
func rpBlockedIn(gp *g) uint8 {
	switch gp.waitreason {
	case waitReasonChanReceiveNilChan:
		return rpBlockedInNilReceive
	case waitReasonChanSendNilChan:
		return rpBlockedInNilSend
	case waitReasonSelectNoCases:
		return rpBlockedForEver
	case waitReasonSelect:
		return rpBlockedInSelect
	case waitReasonChanReceive:
		return rpBlockedInReceive
	case waitReasonChanSend:
		return rpBlockedInSend
	case waitReasonSyncCondWait:
		return rpBlockedInCond
	case waitReasonSyncWaitGroupWait:
		return rpBlockedInWaitGroup
	case waitReasonSyncMutexLock:
		return rpBlockedInLock
	case waitReasonSyncRWMutexRLock:
		return rpBlockedInRLock
	case waitReasonSyncRWMutexLock:
		return rpBlockedInWLock
	}
	return 0
}

// rp_locking reports whether a goroutine waits for a lock; it may go on at any time.
//
//go:linkname rp_locking internal/racepred/process.runtime_locking
func rp_locking() (found bool) {
	forEachGRace(func(gp *g) {
		found = found || readgstatus(gp) == _Gwaiting && rpBlockedIn(gp) >= rpBlockedInLock
	})
	return found
}
