//go:build racepred_seam

package runtime

import (
	"internal/abi"
	"unsafe"
)

// rpAwaitTimers is (N6). It reports whether there was a timer.
func rpAwaitTimers() bool {
	now := nanotime()
	last := rpTimersDue(now + rpTimersFor)
	if last == 0 {
		return false
	}
	timeSleep(last - now)
	for late := nanotime() + rpMomentFor; rpTimersDue(last) != 0 && nanotime() < late; { // on a busy machine, timers fire late
		timeSleep(rpMomentFor / 20)
	}
	return true
}

// rpTimersDue is when the last of the timers of (N6) fires that fire by until; 0 is none.
func rpTimersDue(until int64) (last int64) {
	lock(&allpLock)
	for _, pp := range allp {
		ts := &pp.timers
		ts.lock()
		for _, w := range ts.heap {
			t := w.timer
			t.lock()
			if t.state&timerZombie == 0 && (t.period == 0 || t.state&rpTimerFired == 0) && t.when > last && t.when <= until && rpWakes(t) {
				last = t.when
			}
			t.unlock()
		}
		ts.unlock()
	}
	unlock(&allpLock)
	return last
}

// rpTimerFired is a bit of a timer's state that the runtime does not use: the timer has fired. What
// a ticker wakes runs again and again, so only its first time is worth waiting for.
const rpTimerFired = 1 << 7

// rpWakes reports whether a timer wakes a goroutine of the program, or starts one. A goroutine that
// waits for the network is not asked for, and -timeout's timer is not one of the program's.
func rpWakes(t *timer) bool {
	if t.isChan {
		return t.blocked > 0
	}
	if gp, sleeps := t.arg.(*g); sleeps {
		return !isSystemGoroutine(gp, false)
	}
	if e := efaceOf(&t.arg); e._type != nil && e._type.Kind() == abi.Chan { // asynctimerchan=1, as before Go 1.23
		return (*hchan)(e.data).recvq.first != nil
	}
	return rpStarts(t)
}

// rpStarts reports whether a timer other than that of -timeout starts a goroutine: only timers of
// time.AfterFunc have a function as their argument.
func rpStarts(t *timer) bool {
	f, ok := t.arg.(func())
	if !ok || f == nil {
		return false
	}
	const alarm = "testing.(*M).startAlarm."
	name := funcname(findfunc(**(**uintptr)(unsafe.Pointer(&f))))
	return len(name) < len(alarm) || name[:len(alarm)] != alarm
}
