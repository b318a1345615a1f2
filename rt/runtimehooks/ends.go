//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The end of a process. If it can be foreseen, all records are analysed, and findings are written,
// before it:
//
//	(N1) An exit, a panic that is not recovered, a fatal error of one goroutine, and a signal that a
//	     goroutine sends to its own process: that goroutine does it.
//	(N2) A signal from outside that the program leaves to its default action: the handler only notes
//	     it. The helper goroutine (helper.go) does the work, and then the signal is sent once more,
//	     to the thread that had it. It takes no longer than rpDyingFor.
//	(N3) Any other end, SIGKILL for one, comes without notice. Little is missing then: the helper
//	     goroutine drains if no other goroutine has done so for a while.
//
// The end is a schedule, too: goroutines that can run get a moment before the last drain, so that
// what they were about to do is recorded.
//
//	(N4) From the moment at which the process would have ended, a goroutine that enters a system
//	     call, panics or exits stops there for good. So no other process can see that goroutines
//	     went on for a moment.
//	(N5) There is no moment if no other goroutine can run.
//	(N6) When the tests are over, goroutines that a timer is about to wake or to start get theirs,
//	     too, if it has not fired before and does within rpTimersFor: with -race, a process sleeps
//	     that long. What a ticker wakes again has run before.

const (
	rpMomentFor = 10e6 // how long goroutines may run on at the end, in nanoseconds
	rpTimersFor = 1e9  // and how long the end may wait for timers
)

var (
	rpEndHook   func(how, status int32)
	rpEnding    uint64 // the goroutine that ends the process; 0: none does
	rpTestsOver uint32 // 1 after the tests of a process, if there were any
)

//go:linkname rp_endHooks internal/racepred/process.runtime_endHooks
func rp_endHooks(help func() bool, end func(how, status int32)) { rpHelpHook, rpEndHook = help, end }

// rpBeginsEnd makes the running goroutine the one that ends the process. If another one does, it
// never returns.
func rpBeginsEnd() {
	self := getg().goid
	if !atomic.Cas64(&rpEnding, 0, self) && atomic.Load64(&rpEnding) != self {
		rpStop()
	}
}

// rpStop stops the running goroutine for good. (N4)
func rpStop() {
	for {
		gopark(nil, nil, waitReasonZero, traceBlockGeneric, 1)
	}
}

// rpMuted reports whether print and println, which make no system call of package syscall's, must
// not print any more. (N4)
func rpMuted() bool {
	gp := getg()
	by := atomic.Load64(&rpEnding)
	return by != 0 && by != gp.goid && gp == gp.m.curg && !isSystemGoroutine(gp, false)
}

// rpEnds is called by user code that ends the process. Within the engine it does nothing, since the
// engine cannot analyse its own end.
func rpEnds(how, status int32) {
	gp := getg()
	f := rpEndHook
	if f == nil || gp != gp.m.curg || gp.m.locks != 0 || gp.m.mallocing != 0 || rpEngineRuns(gp) {
		return
	}
	rpBeginsEnd()
	rpMoment()
	if how == rpEndsInOrder && atomic.Load(&rpTestsOver) != 0 && gp.bubble == nil && rpAwaitTimers() {
		rpMoment()
	}
	f(how, status)
}

//go:linkname rp_testsOver internal/racepred/process.runtime_testsOver
func rp_testsOver(over bool) {
	n := uint32(0)
	if over {
		n = 1
	}
	atomic.Store(&rpTestsOver, n)
}

// rpMoment lets the other goroutines run until they wait, for rpMomentFor at most.
func rpMoment() {
	for until := nanotime() + rpMomentFor; rpOthersRun() && nanotime() < until; {
		Gosched()
	}
}

// rpOthersRun reports whether a goroutine of the program can run, or runs, beside this one. (N5)
func rpOthersRun() bool {
	self, found := getg(), false
	forEachGRace(func(gp *g) {
		if found || gp == self {
			return
		}
		switch readgstatus(gp) &^ _Gscan {
		case _Grunnable, _Grunning, _Gcopystack, _Gpreempted:
			found = !isSystemGoroutine(gp, false)
		}
	})
	return found
}

// rpEngineRuns reports whether gp is within the engine.
//
//go:nosplit
func rpEngineRuns(gp *g) bool {
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	return s != nil && s.ignore%rpIgnoreAll != 0
}

// rpExits is called before the process exits without having asked its exit hooks, and after they
// were asked.
func rpExits(how, status int32) {
	if atomic.Load64(&rpEnding) != getg().goid {
		rpEnds(how, status)
	}
}

// rp_execs is called before the process becomes another program, which may fail.
//
//go:linkname rp_execs
func rp_execs() {
	if f := rpEndHook; f != nil && !rpEngineRuns(getg()) {
		f(rpEndsExec, 0)
	}
}
