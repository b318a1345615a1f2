//go:build racepred_seam && linux && (amd64 || arm64)

package runtime

import "internal/runtime/atomic"

// rpThisPid is this process. To find out about the system, package os starts a child that has the
// same memory and exits.
var rpThisPid = getpid()

// rpCalls is called before each system call of the program. Its arguments may be addresses on the
// stack. The stack may move only if no argument is one, or if the goroutine does not return.
//
//go:nosplit
func rpCalls(gp *g, op uint8, a1, a2, a3 uintptr) {
	if gp != gp.m.curg || gp.m.locks != 0 || gp.syscallsp != 0 || rpEngineRuns(gp) {
		return
	}
	by := atomic.Load64(&rpEnding)
	if (by == 0 || by == gp.goid) && op < rpCallSignalThread && op != rpCallSignal || getpid() != rpThisPid {
		return
	}
	if by != 0 && by != gp.goid {
		rpStop() // (N4)
	}
	switch op { // (N1)
	case rpCallExit:
		rpExits(rpEndsByCall, int32(a1))
	case rpCallSignal:
		rpSendsSignal(a1, a2)
	case rpCallSignalThread:
		rpSendsSignal(a1, a3)
	}
}

// rpSendsSignal is called before a signal is sent to a process. If the signal ends this process,
// all is written before. That it does so is not certain, so no goroutine stops. (N1)
//
// Which thread gets a signal for the process is the kernel's choice, and the sender goes on until
// that thread runs: under a load that is some milliseconds. So the sender's own thread gets the
// signal first, which ends the process then and there.
func rpSendsSignal(pid, signal uintptr) {
	if pid != uintptr(getpid()) || signal >= uintptr(len(sigtable)) || rpEndHook == nil {
		return
	}
	if signal != rpSigKill {
		if sigtable[signal].flags&_SigKill == 0 && signal != rpSigQuit || rpWanted(uint32(signal)) || signal_ignored(uint32(signal)) {
			return
		}
	}
	rpEndHook(rpEndsBySignal, int32(signal))
	if signal != rpSigKill {
		atomic.Store(&rpDead, 1) // the handler need not put off anything
		mp := acquirem()
		signalM(mp, int(signal))
		releasem(mp)
	}
}
