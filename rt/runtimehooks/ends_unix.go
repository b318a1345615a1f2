//go:build racepred_seam && unix

package runtime

import "internal/runtime/atomic"

// rpDyingFor is how long the end by a signal may be put off, in nanoseconds.
const rpDyingFor = 2e9

// The same on all systems.
const (
	rpSigQuit = 3
	rpSigKill = 9
)

var (
	rpDying    uint32 // the signal that ends the process
	rpDead     uint32 // 1: nothing is put off any more
	rpDyingM   muintptr
	rpDyingAt  int64
	rpRaisedAt int64
)

// rpDies is called by the handler of a signal before its default action. It reports whether the
// action is put off. (N2)
//
//go:nowritebarrierrec
func rpDies(sig uint32, flags int32) bool {
	if rpEndHook == nil || atomic.Load(&rpDead) != 0 || flags&_SigKill == 0 && sig != rpSigQuit {
		return false
	}
	if atomic.Cas(&rpDying, 0, sig) {
		rpDyingAt = nanotime()
		rpDyingM.set(getg().m)
		atomic.Cas64(&rpEnding, 0, forcegc.g.goid) // (N4)
	}
	return true
}

// rpDyingNow reports whether the helper is to end the process, and does it if that takes too long.
//
//go:nowritebarrierrec
func rpDyingNow(now int64) bool {
	sig := atomic.Load(&rpDying)
	if sig == 0 {
		return false
	}
	if atomic.Load(&rpDead) != 0 && now > rpRaisedAt+rpDyingFor/10 || now > rpDyingAt+rpDyingFor {
		atomic.Store(&rpDead, 1)
		rpRaisedAt = now
		raise(sig)
	}
	return true
}

// rpDie sends the signal again, to the thread that had it: a traceback shows that thread's
// goroutine first.
func rpDie() {
	rpRaisedAt = nanotime()
	atomic.Store(&rpDead, 1)
	signalM(rpDyingM.ptr(), int(rpDying))
}
