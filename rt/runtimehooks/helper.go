//go:build racepred_seam

package runtime

import "internal/runtime/atomic"

// The helper goroutine is the one with which the runtime forces a collection of garbage now and
// then: a goroutine of the system, which no program sees, and which waits nearly all the time. The
// runtime's monitor, which has a thread of its own, wakes it for racepred, too.

// Nanoseconds.
const (
	rpHelpEvery  = 100e6 // between two times that it drains
	rpWatchEvery = 50e6  // the monitor looks, though nothing runs
)

// rpHelpShare times the duration of its last work is how long the helper waits, so that it takes a
// tenth of one processor at most, but no longer than rpHelpMost nanoseconds: on a busy machine the
// duration says more about the machine than about the work.
const (
	rpHelpShare = 10
	rpHelpMost  = 500e6
)

var (
	rpHelpHook  func() (more bool)
	rpHelpAsked bool // the helper was woken for racepred

	rpAsleepIs uint32 // what is done about it that all goroutines wait for each other
	rpHelpAt   int64  // when it is time again
	rpHelpedAt uint64 // rpActivity when it had drained; 0: there is more to do
)

// rpActivity changes whenever a goroutine begins or goes on to run; running is set if one does. A
// processor counts that in a word that only the toolchain's race detector uses: schedtick leaves
// out goroutines that run in the time slice of the one before, as those that a timer or a channel
// wakes may do.
func rpActivity() (n uint64, running bool) {
	self := getg().m.p.ptr()
	lock(&allpLock)
	for _, pp := range allp {
		if pp == nil {
			continue
		}
		n += uint64(pp.raceprocctx)
		running = running || pp != self && pp.status != _Pidle
	}
	unlock(&allpLock)
	return n + 1, running
}

// rpWatch is called by the monitor, without a processor.
//
//go:nowritebarrierrec
func rpWatch(now int64) {
	rp_look(now)
	if rpHelpHook == nil {
		return
	}
	if !rpDyingNow(now) {
		if now < rpHelpAt {
			return
		}
		if n, _ := rpActivity(); n == rpHelpedAt {
			return
		}
	}
	rpWake()
}

// rpWake wakes the helper. It reports whether that waited.
func rpWake() (waited bool) {
	if !forcegc.idle.Load() {
		return false
	}
	lock(&forcegc.lock)
	if waited = forcegc.idle.Load(); waited {
		rpHelpAsked = true
		forcegc.idle.Store(false)
		var list gList
		list.push(forcegc.g)
		injectglist(&list)
	}
	unlock(&forcegc.lock)
	return waited
}

// Values of rpAsleepIs.
const (
	rpAsleepWakes = 1 + iota // the helper is woken, or at work
	rpAsleepDone             // it has done its work, or cannot
)

// rpAsleep is called when all goroutines wait for each other, before the runtime says so and ends
// the process. It reports whether the helper has something to do before that. The monitor may find
// it out while another thread that did has yet to wake the helper.
func rpAsleep() bool {
	switch {
	case rpEndHook == nil:
		return false
	case atomic.Cas(&rpAsleepIs, 0, rpAsleepWakes):
		if rpWake() {
			return true
		}
		atomic.Store(&rpAsleepIs, rpAsleepDone)
	}
	lock(&forcegc.lock)
	works := forcegc.idle.Load() || readgstatus(forcegc.g)&^_Gscan != _Gwaiting
	unlock(&forcegc.lock)
	return works && atomic.Load(&rpAsleepIs) == rpAsleepWakes
}

// rpWatchFor is how long the monitor sleeps if nothing runs.
func rpWatchFor(most int64) int64 {
	if rpHelpHook == nil {
		return most
	}
	return min(most, rpWatchEvery)
}

// rpHelps is what the helper does when it was woken. It reports whether that was for racepred.
func rpHelps() bool {
	if !rpHelpAsked {
		return false
	}
	rpHelpAsked = false
	if sig := atomic.Load(&rpDying); sig != 0 {
		if rpDead == 0 {
			rpMoment()
			rpEndHook(rpEndsBySignal, int32(sig))
			systemstack(rpDie)
		}
		return true
	}
	if atomic.Load(&rpAsleepIs) == rpAsleepWakes {
		rpEndHook(rpEndsByFatal, 2)
		atomic.Store(&rpAsleepIs, rpAsleepDone)
		return true
	}
	since := nanotime()
	more := rpHelpHook()
	now := nanotime()
	rpHelpAt = now + min(max(rpHelpEvery, rpHelpShare*(now-since)), rpHelpMost)
	n, running := rpActivity()
	if more || running {
		n = 0
	}
	rpHelpedAt = n
	return true
}
