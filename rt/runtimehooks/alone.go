//go:build racepred_seam && go1.26

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// A goroutine is alone while all others wait for it: in operations on channels, for a WaitGroup, or
// in a Cond. What it does then comes before whatever any of them does next, by the edge that wakes
// it or starts it. So there is nothing to predict about a variable or lock that only this goroutine
// has used so far, and it is not recorded:
//
//	(L1) A goroutine is alone from when it finds that no other one can run, until it wakes or starts
//	     one, sets a timer, waits, or ends. It looks when some chunks were filled (rpLookEach).
//	(L2) While it is alone, an access is left out if all notes of its bytes are the goroutine's own
//	     (owns), and so are an atomic operation, a lock and an edge of a Pool if those of the
//	     object's first word are. Nothing is left out in a section that is recorded: unrecorded code
//	     in another section of the lock may have accessed what is accessed here, and the two
//	     sections keep their order only if both have accesses. For the same reason a goroutine is
//	     not alone while another one holds a lock, and waits: its section may be waiting for this
//	     one. Nor is anything left out in a call that is meant to be atomic, since others come
//	     between its parts later. Everything else is recorded, edges of channels, WaitGroups and
//	     Conds always: they wake others.
//	(L3) Notes forget nothing of others. Synchronization leaves one, too (uses). One that makes room
//	     for another goroutine's has a bit, which later ones take over (rpLost). Each is exchanged
//	     for what was looked at, since two goroutines may write notes of one word at the same time.
//	(L4) The owner in a note is a class of goroutines. A goroutine is alone only if no other of its
//	     class lived since it began (rpClasses); what a note of an earlier one says is foreign.
//	(L5) A lock that is left out and not given back is recorded before the goroutine does anything
//	     that may wake or start another one, as if it were taken then: nobody else has used it, so
//	     it protects nothing until then. An opaque call in its section is recorded again
//	     (leftOpaque).
//	(L6) Timers that are set for rpAloneTimer or more from now do not count as goroutines that can
//	     run, nor does -timeout's. If one fires after all, or the collector has finalizers or
//	     cleanups to run, or C calls back, no edge comes from a goroutine that was alone since the
//	     timer was set, or since what goes on now began to wait. So that acquires all that was
//	     recorded by then (rpAcquireAll). A goroutine that is alone at that moment may be in the
//	     middle of an operation. So a lock that it has left out begins a hard section at its next
//	     record.
//
// While a goroutine is alone, all it does belongs to one span, unless it is recorded.

// rpAloneTimer is how far away a timer is that does not count, in nanoseconds.
const rpAloneTimer = 10e9

// Chunks that are filled from one look to the next: rpLookEach when the last one found that a
// goroutine is alone, else twice as many as before, up to rpLookMost. With many goroutines it is
// one for each rpLookPerG.
const (
	rpLookEach = 1
	rpLookMost = 16
	rpLookPerG = 32
)

var (
	rpAloneG *rpG   // the goroutine that is alone
	rpWoken  uint64 // goroutines that others woke or started

	rpAloneTimes uint64 // how often a goroutine was alone

	rpLooksAlone uint32 // the next one that comes by rpPoll looks
	rpLookIn     int32  // chunks until then
	rpLookNext   int32

	rpAloneMode uint32 = rpAloneNever
)

// rpAloneMode; the numbers are those of protocol.Alone.
const (
	rpAloneDefault = iota
	rpAloneNever
	rpAloneLooks
	rpAloneTimers
)

// rp_alone sets the mode.
//
//go:linkname rp_alone internal/racepred/process.runtime_alone
func rp_alone(mode uint32) { rpAloneMode = mode }

// rpLookSoon counts a chunk. rpGLock is held.
func rpLookSoon() {
	if rpLookIn--; rpLookIn <= 0 {
		rpLookIn = 1 << 30
		rpLooksAlone = 1
	}
}

// rpLookAlone begins the time in which the running goroutine is alone, if it is. (L1)
func rpLookAlone() {
	gp := getg()
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s == nil || gp != gp.m.curg || gp.m.locks != 0 || gp.m.mallocing != 0 || gp.m.preemptoff != "" || s.ignore != 0 {
		return // the next one looks
	}
	if rpAloneMode < rpAloneLooks {
		rpLooksAlone = 0
	}
	found := rpAloneG == s
	if rpAloneG == nil && gp.bubble == nil && s.ownsClass() && rpAloneMode != rpAloneNever {
		woken := atomic.Load64(&rpWoken)
		if rpOthersWait(gp) {
			atomic.Xadd64(&rpAloneTimes, 1)
			if atomic.Casp1((*unsafe.Pointer)(unsafe.Pointer(&rpAloneG)), nil, unsafe.Pointer(s)) {
				atomic.Store(&s.alone, 1)
				if found = atomic.Load64(&rpWoken) == woken; !found {
					s.notAlone()
				}
			}
		}
	}
	next := int32(rpLookEach)
	if !found {
		next = min(2*rpLookNext+1, rpLookMost)
	}
	next = max(next, int32(allglen/rpLookPerG))
	lock(&rpGLock)
	rpLookNext, rpLookIn = next, next
	unlock(&rpGLock)
}

// rpOthersWait reports whether all goroutines but gp wait for others, and no timer fires soon.
// While it looks, one that it has not seen yet may wake one that it has.
func rpOthersWait(gp *g) bool {
	all, n := atomicAllG()
	for i := range n {
		if !rpWaitsForOthers(atomicAllGIndex(all, i), gp) {
			return false
		}
	}
	return rpAloneMode == rpAloneTimers || !rpTimerSoon(nanotime()+rpAloneTimer)
}

func rpWaitsForOthers(o, gp *g) bool {
	s := (*rpG)(unsafe.Pointer(o.racectx))
	if o == gp || s == nil {
		return true
	}
	status := readgstatus(o) &^ _Gscan
	switch {
	case status == _Gdead || status == _Gidle || status == _Gdeadextra:
		return true
	case isSystemGoroutine(o, false):
		// The collector's workers are not recorded; some others do nothing that is. The rest are
		// woken as any goroutine (L6).
		return s.ignore != 0 || status == _Gwaiting || o == sweep.g || o == scavenger.g || o == forcegc.g
	case status != _Gwaiting && status != _Gleaked || s.ignore|s.unseen|s.nheld != 0 || o.bubble != nil:
		return false
	}
	if o.waitreason == waitReasonSleep && rpAloneMode == rpAloneTimers {
		return true
	}
	why := rpBlockedIn(o)
	ignores := int8(0)
	if why == rpBlockedInWaitGroup {
		ignores = 1 // its edge comes when it goes on
	}
	return why != 0 && why < rpBlockedInLock && o.raceignore == ignores
}

// rpTimerSoon reports whether a timer fires by until that wakes a goroutine or starts one.
func rpTimerSoon(until int64) (found bool) {
	lock(&allpLock)
	for _, pp := range allp {
		ts := &pp.timers
		if when := ts.wakeTime(); when == 0 || when > until {
			continue
		}
		ts.lock()
		for _, w := range ts.heap {
			t := w.timer
			t.lock()
			found = found || t.state&timerZombie == 0 && t.when <= until && rpWakes(t)
			t.unlock()
			if found {
				break
			}
		}
		ts.unlock()
	}
	unlock(&allpLock)
	return found
}

// notAlone ends the time in which s is alone, on its own thread. It comes before the record of what
// ends it.
//
//go:nosplit
func (s *rpG) notAlone() {
	if s.nleft != 0 {
		s.recordLeft()
	}
	atomic.Store(&s.alone, 0)
	rpAloneG = nil
	s.fresh.rpFreshCount = rpFreshCount{}
	s.newKey()
}

// runsHere reports whether s is the state of the goroutine of this thread, which may be on the
// system's stack.
//
//go:nosplit
func (s *rpG) runsHere() bool {
	gp := getg().m.curg
	return gp != nil && gp.racectx == uintptr(unsafe.Pointer(s))
}

// rpAloneEnds is called when the goroutine of context woken (0 is one that has none yet) has become
// able to run, but cannot run yet, or when it goes on. So either this finds the goroutine that is
// alone, or that one finds in rpLookAlone that rpWoken has changed. It reports whether the woken
// one must acquire everything. (L6)
//
//go:nosplit
func rpAloneEnds(woken uintptr) (acquires bool) {
	atomic.Xadd64(&rpWoken, 1)
	for {
		s := rpAloneG
		switch {
		case s == nil:
			return false
		case woken == uintptr(unsafe.Pointer(s)): // it was preempted
			return false
		case woken != 0 && (*rpG)(unsafe.Pointer(woken)).ignore != 0:
			return false
		}
		if s.runsHere() {
			s.notAlone()
			return false
		}
		if atomic.Casp1((*unsafe.Pointer)(unsafe.Pointer(&rpAloneG)), unsafe.Pointer(s), nil) {
			atomic.Store(&s.alone, 0)
			return true
		}
	}
}

// rpReady is called when gp is able to run again, before it is put where it is found.
func rpReady(gp *g) {
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s == nil || gp == sweep.g || gp == scavenger.g || gp == forcegc.g {
		return
	}
	acquires := rpAloneEnds(gp.racectx)
	if timer := rpTimerOf(getg()); timer != nil && s.aloneAt != atomic.Load64(&rpAloneTimes) { // (L6)
		acquires = acquires || timer.late != 0 || gp.waitreason == waitReasonSleep // it sleeps only with rpAloneTimers
	}
	if acquires {
		s.acquiresAll()
	}
}

// rpTimerOf is the context of the timer that fires on gp, nil if none does.
func rpTimerOf(gp *g) *rpG {
	if gp.m.curg != nil || gp != gp.m.g0 {
		return nil
	}
	return (*rpG)(unsafe.Pointer(gp.racectx))
}

// rpParks is called when the running goroutine is about to wait.
//
//go:nosplit
func rpParks() {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if s == nil {
		return
	}
	if rpAloneG == s {
		s.notAlone()
	} else if s.leftFresh { // (V4)
		s.recordLeft()
	}
	s.aloneAt = atomic.Load64(&rpAloneTimes)
}

// rpCallsBack is called when C calls Go.
func rpCallsBack() {
	ctx := getg().racectx
	s := (*rpG)(unsafe.Pointer(ctx))
	if s == nil {
		return
	}
	n := atomic.Load64(&rpAloneTimes)
	if acquires := rpAloneEnds(ctx); acquires || s.aloneAt != n {
		s.acquiresAll()
	}
	s.aloneAt = n
}

// rpTimerSet is called when t is set.
//
//go:nosplit
func rpTimerSet(t *timer) {
	if s := rpAloneG; s != nil && s.runsHere() {
		s.notAlone()
	}
	t.rpAloneAt = atomic.Load64(&rpAloneTimes)
}

// rpTimerLate is called when t fires, in the goroutine of context racectx. (L6)
func rpTimerLate(racectx uintptr, t *timer) {
	ctx := (*rpG)(unsafe.Pointer(racectx))
	ctx.late = 0
	if n := atomic.Load64(&rpAloneTimes); t.rpAloneAt != n {
		t.rpAloneAt, ctx.late = n, 1
	}
}
