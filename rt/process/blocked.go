//go:build racepred_seam

package process

import (
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	_ "unsafe" // go:linkname

	"github.com/racepred/racepred/internal/blocked"
	"github.com/racepred/racepred/internal/present"
	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/trace"
)

//go:linkname runtime_blocked
func runtime_blocked(find uint8, list []rpBlocked) (n int, quiet bool)

//go:linkname runtime_locking
func runtime_locking() bool

// blocked reports goroutines that wait in vain when the process ends: those in a cycle of locks,
// and those that nothing can wake. After a fatal error the runtime cannot collect garbage, and
// goroutines that a signal stopped would have gone on; then it does not look for the latter.
func (a *analysis) blocked(how int32) {
	if a.discarding || how == rpEndsExec {
		return
	}
	w := a.waiting(0)
	timeout := told.ended(how) == protocol.EndTimeout
	panics := how == rpEndsByPanic && !timeout
	if how != rpEndsByFatal && how != rpEndsBySignal && (w.any(blocked.ForEver) && !a.noLeaks || w.any(blocked.Lock)) {
		find := uint8(rpFindAtEnd)
		if panics {
			a.wouldGoOn()
			find = rpFindOfOthers
		}
		w = a.waiting(find)
	}
	w.quiet = w.quiet && !panics // the goroutine that panics would have gone on
	when := atEnd
	if timeout || how == rpEndsBySignal {
		when = whenKilled
	}
	in := a.deadlocks(&w, when)
	if !a.noLeaks {
		var hang map[string]bool
		if w.quiet && when == whenKilled { // at any other end the goroutine that ends the process might have woken some
			hang = a.running()
		}
		a.leaks(w.list, hang, in)
	}
	a.writeFindings()
}

// lockEvery is how long the helper waits until it looks for cycles of locks again, in nanoseconds.
const lockEvery = 1e9

// watchLocks reports cycles of locks while the program runs, since go test would wait until its
// timeout. It returns whether some goroutine waits for a lock, so that the helper must look again.
func (a *analysis) watchLocks(now int64) bool {
	if a.discarding || !runtime_locking() {
		return false
	}
	if now >= a.lookAtLocks {
		a.lookAtLocks = now + lockEvery
		w := a.waiting(0)
		a.deadlocks(&w, whileRuns)
	}
	return true
}

// waits are the goroutines that wait for others.
type waits struct {
	list  []present.Waiting
	quiet bool // no other goroutine can run
}

// any reports whether some goroutine waits in that way, or in one after it.
func (w *waits) any(from blocked.Wait) bool {
	return slices.ContainsFunc(w.list, func(p present.Waiting) bool { return p.Wait >= from })
}

// stuck reports whether nothing can wake any goroutine of a cycle, which still wait for the same
// locks.
func (w *waits) stuck(cycle []blocked.Goroutine) bool {
	for _, g := range cycle {
		if !slices.ContainsFunc(w.list, func(p present.Waiting) bool {
			return p.Goroutine.G == g.G && p.Lock == g.Lock && (p.Stuck || w.quiet)
		}) {
			return false
		}
	}
	return true
}

// waiting are the goroutines that wait for others now. With find, the collector finds which of them
// nothing can wake.
func (a *analysis) waiting(find uint8) (w waits) {
	buf := make([]rpBlocked, 1<<8)
	n, quiet := runtime_blocked(find, buf)
	for n > len(buf) {
		buf = make([]rpBlocked, n+n/4)
		n, quiet = runtime_blocked(0, buf) // the goroutines that were found are still marked
	}
	w.quiet = quiet
	for _, b := range buf[:n] {
		wait := blocked.Wait(b.why)
		g := blocked.Goroutine{G: trace.G(b.id), Stack: trace.Stack(b.stack), Wait: wait, Lock: blocked.LockOf(wait, trace.Addr(b.on)), Stuck: b.stuck}
		w.list = append(w.list, present.Waiting{Goroutine: g})
	}
	return w
}

// leaksPrinted is how many leaks a process prints. A suite that never stops its goroutines may have
// dozens.
const leaksPrinted = 5

// leaks reports the goroutines that nothing can wake, except those in a cycle of locks, once for
// each place. Nothing would have woken those of the tests that hang, since no goroutine could run
// any more, even if what they wait for is in reach of package variables; those that other tests
// left behind are idle.
func (a *analysis) leaks(waiting []present.Waiting, hang map[string]bool, but map[trace.G]bool) {
	var places []string
	given := 0
	first, count := map[string]present.Waiting{}, map[string]int{}
	for _, w := range waiting {
		if !w.Stuck && !hang[a.topTest(uint32(w.Goroutine.G))] || but[w.Goroutine.G] {
			continue
		}
		w = a.known(w)
		at, ok := a.namer.Position(&w)
		if !ok {
			continue
		}
		if count[at]++; count[at] == 1 {
			places = append(places, at)
			first[at] = w
		}
	}
	for _, at := range places {
		w := first[at]
		if out, ok := a.namer.Leak(&w, count[at], a.engine.Around); ok {
			a.give(&out, given < leaksPrinted)
			given++
		}
	}
	if more := given - leaksPrinted; more > 0 {
		runtime_write([]byte("racepred: places where goroutines are left behind, besides these: " + strconv.Itoa(more) + " (-report FILE has them)\n"))
	}
}

// wouldGoOn marks the goroutines that the search for others does not take for stuck, and whose
// variables count as in use, when a goroutine panics (rpFindOfOthers). They are those of tests that
// are not over, of the test of the goroutine that panics, and those that belong to no test. What a
// goroutine would have done after the panic is lost: the compiler knows that panic does not return,
// so the variables of those statements are garbage, and a goroutine that waits for one of them
// looks as if nothing could wake it. What tests that are over have left behind is still found,
// unless the stack of the goroutine that panics has its address.
func (a *analysis) wouldGoOn() {
	running := a.running()
	running[""] = true
	if self := (*rpG)(runtime_self()); self != nil {
		running[a.topTest(self.id)] = true
	}
	for _, s := range goroutines() {
		s.goesOn = running[a.topTest(s.id)]
	}
}

// running has the tests that are not over, without subtests.
func (a *analysis) running() map[string]bool {
	running := map[string]bool{}
	for _, s := range goroutines() {
		if name, began := a.testOn[s.id]; began && atomic.LoadUint32(&s.dead) == 0 {
			running[name] = true
		}
	}
	return running
}

// topTest is the name of the test that a goroutine belongs to, without those of subtests; "" for
// none.
func (a *analysis) topTest(id uint32) string { return topName(a.tests[a.engine.Test(trace.G(id))]) }

func topName(test string) string {
	name, _, _ := strings.Cut(test, "/")
	return name
}

// known adds to a finding what the engine knows of a goroutine.
func (a *analysis) known(w present.Waiting) present.Waiting {
	w.Participant = a.engine.Present(trace.Event{G: w.Goroutine.G, Stack: w.Stack, Addr: w.Lock})
	return w
}
